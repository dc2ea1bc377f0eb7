#include "index/version.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace rtindex {

namespace {

// The main segment is merged with all others when they have this share of its keys, or when this
// share of its own rows is deleted.
constexpr std::size_t main_factor = 8;

// Merges of this many keys take so little time that the change waits for them.
constexpr std::size_t small_merge = std::size_t{1} << 13;
// A change of this many rows takes long itself, and merges with all threads.
constexpr std::size_t large_change = std::size_t{1} << 14;
// Lookups search each segment.
constexpr std::size_t max_segments = 32;
// So many segments of few keys are cheaper to search than to merge with each change.
constexpr std::size_t max_tiny_segments = 3;

}  // namespace

void VersionMaker::insert(Version& version, const NewRows& rows) {
  const std::size_t row_count = version.rows() + rows.count;
  const std::size_t first = first_to_merge_now(version, rows.count);
  NewRows added_rows = rows;
  added_rows.merged_at_once = first < version.segments.size();
  NewSegment added = engine_.segments->build_rows(added_rows, version.segments, row_count);
  version.states.rows = row_count;
  version.states.nulls = union_of(version.states.nulls, added.nulls);
  add(version, std::move(added.segment), first);
}

void VersionMaker::change(Version& version, std::span<const Segment> before, const NewRows& rows) {
  mark_listed(version, rows.rows, Listed::superseded, rows.stream);
  const std::size_t first = first_to_merge_now(version, rows.count);
  NewRows added_rows = rows;
  added_rows.merged_at_once = first < version.segments.size();
  NewSegment added = engine_.segments->build_rows(added_rows, before, version.rows());
  version.states.nulls = union_of(version.states.nulls, added.nulls);
  add(version, std::move(added.segment), first);
}

void VersionMaker::erase(Version& version, const ColumnView& rows, Stream stream) {
  mark_listed(version, rows, Listed::erased, stream);
  merge_from(version, first_to_merge_now(version, 0));
}

std::size_t VersionMaker::erase_keys(Version& version, const ColumnView& keys, Stream stream) {
  const RowBitmapPtr rows =
      engine_.batches->matching_rows(version.segments, keys, version.rows(), stream);
  if (rows == nullptr) return 0;
  mark_deleted(version, rows);
  version.states.erased = union_of(version.states.erased, rows);
  merge_from(version, first_to_merge_now(version, 0));
  return rows->count();
}

void VersionMaker::add(Version& version, Segment segment, std::size_t first) {
  version.segments.push_back(std::move(segment));
  if (fit_together(version)) return merge_from(version, first);
  due_.reset();
  merge_from(version, 0);
}

// The key mode can hold the keys of each segment, but perhaps not those of all segments. Merging
// all at once then rejects this change, not a later one, or drops the rows that do not fit.
bool VersionMaker::fit_together(const Version& version) const {
  constexpr std::uint64_t largest_span = std::numeric_limits<std::uint64_t>::max();
  if (version.segments.size() == 1 || !engine_.holds || engine_.holds(largest_span)) return true;
  std::uint64_t smallest = largest_span;
  std::uint64_t largest = 0;
  for (const Segment& segment : version.segments) {
    if (segment.codec->empty()) continue;
    const std::optional<std::uint64_t> base = segment.codec->native_base();
    if (!base) return false;  // strings and composites: each segment has an encoding of its own
    smallest = std::min(smallest, *base);
    largest = std::max(largest, *base + segment.codec->span());
  }
  return smallest > largest || engine_.holds(largest - smallest);
}

// Segments and the index often share a bitmap, which is changed once.
void VersionMaker::mark_listed(Version& version, const ColumnView& rows, Listed listed,
                               Stream stream) {
  RowStates& states = version.states;
  std::vector<RowBitmapPtr> before;
  const auto position = [&](const RowBitmapPtr& bitmap) {
    return static_cast<std::size_t>(std::find(before.begin(), before.end(), bitmap) -
                                    before.begin());
  };
  const auto add_once = [&](const RowBitmapPtr& bitmap) {
    if (position(bitmap) == before.size()) before.push_back(bitmap);
  };
  const std::span<Segment> marked_segments =
      std::span(version.segments).first(are_in_main(version, rows) ? 1 : version.segments.size());
  for (const Segment& segment : marked_segments) add_once(segment.deleted);
  if (listed == Listed::erased) add_once(states.erased);
  if (states.nulls != nullptr) add_once(nullptr);  // the rows alone
  const MarkedRows marked = engine_.segments->mark_rows(rows, states, before, stream);
  for (Segment& segment : marked_segments)
    segment.deleted = marked.bitmaps[position(segment.deleted)];
  if (listed == Listed::erased) states.erased = marked.bitmaps[position(states.erased)];
  if (marked.nulls != 0) states.nulls = difference(states.nulls, marked.bitmaps[position(nullptr)]);
}

bool VersionMaker::are_in_main(const Version& version, const ColumnView& rows) {
  const Segment& main = version.main();
  const Lazy<RowPositions>* const positions = main.searcher->row_positions();
  if (version.segments.size() == 1 || positions == nullptr || positions->if_there() == nullptr ||
      rows.memory_space() != MemorySpace::host || rows.size() > few_changed_rows)
    return false;
  const RowBits deleted = bits_of(main.deleted);
  return std::ranges::all_of(row_ids(rows), [&](std::uint32_t row) {
    return positions->get().find(row) && !deleted.has(row);
  });
}

void VersionMaker::mark_deleted(Version& version, const RowBitmapPtr& rows) {
  RowBitmapPtr old_deleted;
  RowBitmapPtr new_deleted = rows;
  // Segments often share their deleted rows.
  for (Segment& segment : version.segments) {
    if (segment.deleted != old_deleted) {
      old_deleted = segment.deleted;
      new_deleted = union_of(old_deleted, rows);
    }
    segment.deleted = new_deleted;
  }
}

bool VersionMaker::stay_alone(const Version& version, std::size_t added) const {
  if (!rules_.in_background || added > few_changed_rows) return false;
  const std::vector<Segment>& segments = version.segments;
  std::size_t tiny = 0;
  while (tiny + 1 < segments.size() &&
         segments[segments.size() - 1 - tiny].keys() <= few_changed_rows)
    ++tiny;
  return tiny < max_tiny_segments;
}

std::size_t VersionMaker::first_to_merge(const Version& version, std::size_t added) const {
  const Segment& main = version.main();
  const std::size_t delta = version.delta_keys() + added;
  if (delta > rules_.max_delta || main_factor * delta > main.keys() ||
      main_factor * count_of(main.deleted) > main.keys())
    return 0;
  std::size_t first = version.segments.size();
  if (stay_alone(version, added)) return first;
  std::size_t newer = added;
  while (first > 1 && version.segments[first - 1].keys() / engine_.merge_factor <= newer)
    newer += version.segments[--first].keys();
  return first;
}

std::size_t VersionMaker::first_to_merge_now(const Version& version, std::size_t added) {
  const std::size_t first = first_to_merge(version, added);
  const std::vector<Segment>& segments = version.segments;
  const bool is_free = rules_.busy == 0;
  if (!rules_.in_background || rules_.max_delta == 0 || first == segments.size() ||
      (is_free && added >= large_change))
    return first;
  std::size_t keys = added;
  for (std::size_t i = first; i < segments.size(); ++i) keys += segments[i].keys();
  if (first >= rules_.busy && keys <= small_merge) return first;
  if (is_free) due_ = first;
  std::size_t now = segments.size();
  for (std::size_t newer = added; now > std::max<std::size_t>(rules_.busy, 1); --now) {
    const std::size_t older = segments[now - 1].keys();
    if (older / engine_.merge_factor > newer || newer + older > small_merge) break;
    newer += older;
  }
  return now;
}

bool VersionMaker::lags(const Version& version, std::size_t max_delta) {
  const std::size_t bound =
      std::min(max_delta, std::max(version.main().keys() / main_factor, small_merge));
  return version.delta_keys() > 2 * bound || version.segments.size() > max_segments;
}

void VersionMaker::replace(Version& version, std::size_t first, std::span<const Segment> before,
                           Segment merged) {
  const auto begin = version.segments.begin() + static_cast<std::ptrdiff_t>(first);
  for (std::size_t i = 0; i < before.size(); ++i)
    if (begin[static_cast<std::ptrdiff_t>(i)].deleted != before[i].deleted)
      merged.deleted =
          union_of(merged.deleted,
                   difference(begin[static_cast<std::ptrdiff_t>(i)].deleted, before[i].deleted));
  *begin = std::move(merged);
  version.segments.erase(begin + 1, begin + static_cast<std::ptrdiff_t>(before.size()));
}

void VersionMaker::merge_from(Version& version, std::size_t first) {
  version.is_changed = true;
  if (first == version.segments.size()) return;
  has_merged_busy_ = first < rules_.busy;
  const std::span<const Segment> segments = std::span(version.segments).subspan(first);
  if (segments.size() == 1 && segments.front().deleted == nullptr) return;
  Segment merged = engine_.segments->merge(segments, version.rows(), first == 0);
  version.segments.resize(first);
  version.segments.push_back(std::move(merged));
}

}  // namespace rtindex
