#include <algorithm>
#include <utility>

#include "answers/request.hpp"
#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "index/index_state.hpp"
#include "rows/check_rows.hpp"

namespace rtindex {

void Index::State::require_rows(const ColumnView& changed) const {
  if (changed.nullable()) fail("the rows carry a validity bitmap: leave out null rows");
  require_reachable(changed, "rows");
}

void Index::State::require_one_space(const ColumnView& a, const char* a_name, const ColumnView& b,
                                     const char* b_name) {
  if (a.memory_space() != b.memory_space())
    fail("the {} are in {} memory and the {} in {} memory: copy one of them", a_name,
         name_of(a.memory_space()), b_name, name_of(b.memory_space()));
}

void Index::State::require_included(const ColumnView& values, std::size_t column,
                                    std::size_t count) const {
  const IncludedType& expected = included[column];
  if (!values.has_value() && count != 0)
    fail("expected {} values of type {}, one for each row, got none", count,
         name_of(expected.type));
  if (values.has_value() && values.type() != expected.type)
    fail("expected values of type {}, as the index includes them, got {}", name_of(expected.type),
         name_of(values.type()));
  require_values(values, count);
  require_reachable(values, "values");
  if (values.time_unit() != expected.time_unit && values.time_unit() != TimeUnit::unspecified &&
      expected.time_unit != TimeUnit::unspecified)
    fail("the included values count time in {} and the new ones in {}: convert them",
         name_of(expected.time_unit), name_of(values.time_unit()));
  if (values.has_value() && values.scale() != expected.scale)
    fail("the included decimals have the scale {} and the new ones {}: cast them to the scale {}",
         expected.scale, values.scale(), expected.scale);
}

std::vector<ColumnView> Index::State::inserted_columns(const IncludedColumns& values,
                                                       std::size_t count) const {
  if (included.empty() && !values.empty())
    fail("the index has no included values: leave them out, or build it with included values");
  std::vector<ColumnView> columns(included.size());
  std::vector<bool> is_set(included.size(), false);
  for (const IncludedColumn& one : values.columns()) {
    const std::size_t number = included_number(one.name);
    if (is_set[number]) fail("the included column '{}' is passed twice: pass it once", one.name);
    is_set[number] = true;
    columns[number] = one.values;
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!is_set[i] && count != 0 && included.size() > 1)
      fail("the included column '{}' is missing: the index includes {}, pass all of them",
           included[i].name, included_names());
    require_included(columns[i], i, count);
  }
  return columns;
}

std::uint32_t Index::State::insert(const ColumnView& keys, const IncludedColumns& values,
                                   Stream stream) {
  require_reachable(keys, "keys");
  require_whole_keys(*read(), keys);
  const std::vector<ColumnView> columns = inserted_columns(values, keys.size());
  for (const ColumnView& column : columns)
    if (column.has_value()) require_one_space(keys, "keys", column, "values");
  std::size_t first = 0;
  change([&](VersionMaker& maker, Version& next) {
    first = next.rows();
    if (keys.size() > max_rows - first)
      fail(
          "the index has {} rows and cannot take {} more: it holds at most 2^32 - 1, erased rows "
          "included",
          first, keys.size());
    if (keys.empty()) return;
    maker.insert(next, {.first = static_cast<std::uint32_t>(first),
                        .count = keys.size(),
                        .keys = keys,
                        .include = columns,
                        .stream = stream});
  });
  return static_cast<std::uint32_t>(first);
}

void Index::State::erase(const ColumnView& rows, Stream stream) {
  require_rows(rows);
  std::vector<std::uint32_t> copied;
  const ColumnView changed = as_row_ids(rows, copied);
  if (changed.empty()) return;
  change([&](VersionMaker& maker, Version& next) { maker.erase(next, changed, stream); });
}

std::size_t Index::State::erase_keys(const ColumnView& keys, Stream stream) {
  require_reachable(keys, "keys");
  if (read()->main().codec->are_intervals())
    fail("intervals are erased by their rows: find these by a query, and pass them to erase");
  if (read()->main().codec->are_points())
    fail("points are erased by their rows: find these by a query, and pass them to erase");
  require_whole_keys(*read(), keys);
  std::size_t erased = 0;
  if (keys.empty()) return erased;
  change(
      [&](VersionMaker& maker, Version& next) { erased = maker.erase_keys(next, keys, stream); });
  return erased;
}

void Index::State::update(const ColumnView& rows, const ColumnView& new_keys, Stream stream) {
  require_rows(rows);
  std::vector<std::uint32_t> copied;
  const ColumnView changed = as_row_ids(rows, copied);
  if (changed.size() != new_keys.size())
    fail("expected one new key per row, got {} rows and {} keys", changed.size(), new_keys.size());
  require_reachable(new_keys, "new keys");
  require_one_space(changed, "rows", new_keys, "new keys");
  require_whole_keys(*read(), new_keys);
  if (changed.empty()) return;
  if (refit(changed, new_keys, stream)) return end_control();
  change([&](VersionMaker& maker, Version& next) {
    maker.change(next, current()->segments,
                 {.rows = changed, .count = changed.size(), .keys = new_keys, .stream = stream});
  });
}

void Index::State::set_included(const ColumnView& rows, const ColumnView& values,
                                const std::string& name, Stream stream) {
  require_rows(rows);
  std::vector<std::uint32_t> copied;
  const ColumnView changed = as_row_ids(rows, copied);
  const std::size_t column = included_number(name);
  require_included(values, column, changed.size());
  require_one_space(changed, "rows", values, "values");
  if (changed.empty()) return;
  std::vector<ColumnView> columns(included.size());
  columns[column] = values;
  change([&](VersionMaker& maker, Version& next) {
    maker.change(next, current()->segments,
                 {.rows = changed, .count = changed.size(), .include = columns, .stream = stream});
  });
}

Index::State::Turn::Turn(State& state)
    : state_(state), lock_(state.change_mutex_, std::defer_lock) {
  if (state.changer_ == std::this_thread::get_id())
    fail(
        "the progress callback of a change cannot change the same index: change it after the call");
  take();
}

Index::State::Turn::~Turn() {
  if (lock_.owns_lock()) end();
}

void Index::State::Turn::take() {
  lock_.lock();
  state_.changer_ = std::this_thread::get_id();
}

void Index::State::Turn::end() {
  state_.changer_ = std::thread::id();
  lock_.unlock();
}

void Index::State::Turn::wait_for_merge(bool always) {
  while (state_.merging_ != nullptr &&
         (always || VersionMaker::lags(*state_.current(), state_.max_delta))) {
    end();
    state_.merge_thread_.wait();
    take();
  }
}

MergeRules Index::State::merge_rules() const {
  const bool has_failed = !merge_failure().empty();
  return {.max_delta = max_delta,
          // A change that cannot wait for another attempt merges, and reports why it fails.
          .in_background = engine.merges_in_background && !engine.refits &&
                           !(has_failed && VersionMaker::lags(*current(), max_delta)),
          .busy = merging_ == nullptr ? 0 : merging_->first + merging_->segments.size()};
}

void Index::State::start_merge(std::size_t first) {
  if (merge_thread_.is_running()) return;  // its merge was given up: a later change starts another
  try {
    const std::shared_ptr<const Version> now = current();
    merging_ = std::make_shared<const RunningMerge>(RunningMerge{
        first,
        {now->segments.begin() + static_cast<std::ptrdiff_t>(first), now->segments.end()},
        now->rows()});
    merge_thread_.start([this, merge = merging_]() mutable { run_merge(std::move(merge)); });
  } catch (const std::exception& error) {
    merging_ = nullptr;
    set_merge_failure(error.what());
  }
}

void Index::State::run_merge(std::shared_ptr<const RunningMerge> merge) {
  Segment merged;
  std::string failure;
  try {
    // One thread, beside those of `threads`: lookups and changes keep theirs.
    ThreadLimit(1).run([&] {
      const Segment& oldest = merge->segments.front();
      merged = engine.segments->merge(merge->segments, merge->rows, merge->first == 0);
      // Where changes have needed the positions of rows, the next one does not wait for them.
      const Lazy<RowPositions>* const old_rows = oldest.searcher->row_positions();
      const Lazy<RowPositions>* const new_rows = merged.searcher->row_positions();
      if (old_rows != nullptr && old_rows->if_there() != nullptr && new_rows != nullptr)
        static_cast<void>(new_rows->get());
    });
  } catch (const std::exception& error) {
    failure = error.what();
  }
  const std::lock_guard turn(change_mutex_);
  if (merging_ != merge) return;  // a change has merged the segments meanwhile
  merging_ = nullptr;
  try {
    if (failure.empty()) {
      auto next = std::make_shared<Version>(*current());
      VersionMaker::replace(*next, merge->first, merge->segments, std::move(merged));
      publish(std::move(next));
    }
  } catch (const std::exception& error) {
    failure = error.what();
  }
  set_merge_failure(std::move(failure));
}

std::string Index::State::merge_failure() const {
  const std::lock_guard lock(merge_failure_mutex_);
  return merge_failure_;
}

void Index::State::set_merge_failure(std::string failure) {
  const std::lock_guard lock(merge_failure_mutex_);
  merge_failure_ = std::move(failure);
}

void Index::State::merge() {
  Turn turn(*this);
  turn.wait_for_merge(true);
  make_version([&](VersionMaker& maker, Version& next) { maker.merge_all(next); });
  set_merge_failure({});
}

// Refits in place. If a snapshot shares the searcher, or it cannot hold the new keys, the update is
// a change like any other.
bool Index::State::refit(const ColumnView& changed, const ColumnView& new_keys, Stream stream) {
  if (!engine.refits) return false;
  const UnstoppableScope in_place;
  const Turn turn(*this);
  const std::unique_lock lock = [&] {
    const std::lock_guard waiting(turnstile_);
    return std::unique_lock(refit_mutex_);
  }();
  const Segment& main = version_->main();
  if (version_.use_count() != 1 || version_->segments.size() != 1 || main.deleted != nullptr ||
      main.searcher.use_count() != 1)
    return false;
  auto next = std::make_shared<Version>(*version_);  // first: nothing may fail after the refit
  next->is_changed = true;
  bool done = false;
  threads->run([&] {
    const SegmentBuilder& builder = *engine.segments;
    if (builder.check_rows(changed, version_->states, stream).nulls != 0) return;
    const std::optional<Refit> plan = builder.plan_refit(main, changed, new_keys, stream);
    if (!plan) return;
    main.searcher->refit(plan->changes, plan->span);
    main.codec->set_span(plan->span);
    done = true;
  });
  if (done) publish(std::move(next));
  return done;
}

MemoryUsage Index::State::memory_usage() const {
  const Reading now = read();
  MemoryUsage total;
  const auto add = [&](const std::string& name, std::size_t bytes) {
    const auto found = std::find_if(total.parts.begin(), total.parts.end(),
                                    [&](const auto& part) { return part.first == name; });
    if (found == total.parts.end())
      total.parts.emplace_back(name, bytes);
    else
      found->second += bytes;
    total.resident += bytes;
  };
  std::vector<const RowBitmap*> counted;
  std::size_t bitmap = 0;
  const auto add_marks = [&](const RowBitmapPtr& set) {
    if (set == nullptr || std::find(counted.begin(), counted.end(), set.get()) != counted.end())
      return;
    counted.push_back(set.get());
    bitmap += set->bytes();
  };
  for (const Segment& segment : now->segments) {
    const MemoryUsage usage = segment.searcher->memory_usage();
    for (const auto& [name, bytes] : usage.parts) add(name, bytes);
    const std::size_t full_keys = segment.codec->bytes();
    if (full_keys != 0) add("full keys", full_keys);
    total.build_peak = std::max(total.build_peak, usage.build_peak + full_keys);
    add_marks(segment.deleted);
  }
  add_marks(now->states.erased);
  add_marks(now->states.nulls);
  if (bitmap != 0) add("erased and null rows", bitmap);
  total.build_peak = std::max(total.build_peak, total.resident);
  return total;
}

std::string Index::State::describe() const {
  const MemoryUsage memory = memory_usage();
  const Reading now = read();
  const std::size_t rows = now->rows();
  std::vector<KeyForm> forms;
  for (std::size_t i = 0; i < part_time_units.size(); ++i)
    forms.push_back({part_time_units[i], part_scales[i]});
  if (forms.empty()) forms.push_back({time_unit, scale});
  std::string text = fmt::format("index: {}\ncolumn: {} rows, {}\n", spec.text(), rows,
                                 now->main().codec->describe(forms));
  if (now->valid() != rows)
    text += fmt::format("rows: {} valid, {} erased, {} null\n", now->valid(),
                        count_of(now->states.erased), count_of(now->states.nulls));
  text += now->main().searcher->describe();
  text += fmt::format("segments: {} with {} keys", now->segments.size(), now->main().keys());
  for (std::size_t i = 1; i < now->segments.size(); ++i)
    text += fmt::format(" + {}", now->segments[i].keys());
  if (now->main().deleted != nullptr)
    text += fmt::format(", {} rows of the first are erased or have moved",
                        now->main().deleted->count());
  text += fmt::format("; merged when the others exceed {}{} keys\n",
                      max_delta == 0 ? "" : "an eighth of the first or ", max_delta);
  if (merge_thread_.is_running()) text += "merge: running in the background\n";
  if (const std::string failure = merge_failure(); !failure.empty())
    text += fmt::format("merge: failed, the next change tries again: {}\n", failure);
  if (!file.empty() && now->is_changed)
    text += fmt::format("loaded: from {}, changed in memory since\n", file);
  else if (!loaded.empty())
    text += fmt::format("loaded: {}\n", loaded);
  text += fmt::format("memory: {}", human_bytes(memory.resident));
  if (rows != 0)
    text += fmt::format(" ({:.1f} bytes a row)",
                        static_cast<double>(memory.resident) / static_cast<double>(rows));
  std::string parts;
  for (const auto& [name, size] : memory.parts)
    if (size != 0)
      parts += fmt::format("{}{} {}", parts.empty() ? ": " : ", ", name, human_bytes(size));
  return text + parts +
         fmt::format("; at most {} while building\n", human_bytes(memory.build_peak));
}

std::unique_ptr<Index::State> Index::State::snapshot() const {
  auto same = std::make_unique<State>();
  same->spec = spec;
  same->kind = kind;
  same->engine = engine;
  same->max_delta = max_delta;
  same->threads = threads;
  same->time_unit = time_unit;
  same->part_time_units = part_time_units;
  same->included = included;
  same->scale = scale;
  same->part_scales = part_scales;
  same->metadata_ = metadata();
  same->file = file;
  same->loaded = loaded;
  same->publish(read().version);
  return same;
}

Index Index::snapshot() const {
  return explain_out_of_memory("taking a snapshot", [&] { return Index(state_->snapshot()); });
}

}  // namespace rtindex
