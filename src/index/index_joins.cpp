#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <rtindex/index.hpp>

#include "answers/aggregate.hpp"
#include "answers/pair_sink.hpp"
#include "answers/request.hpp"
#include "base/array.hpp"
#include "base/call_control.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "index/index_state.hpp"
#include "index/joiner.hpp"

namespace rtindex {

namespace {

constexpr std::array<std::string_view, 4> join_names = {"inner", "left", "semi", "anti"};
constexpr std::array<std::string_view, 2> order_names = {"lookups", "any"};

// Copies the pairs that fit.
void copy_pairs(const JoinedRows& joined, const JoinOutputs& outputs) {
  *outputs.count = joined.lookups.size();
  const std::size_t pairs = std::min(joined.lookups.size(), outputs.capacity);
  std::copy_n(joined.lookups.begin(), pairs, outputs.lookups);
  if (!joined.rows.empty()) std::copy_n(joined.rows.begin(), pairs, outputs.rows);
}

}  // namespace

std::string_view name_of(JoinKind kind) { return join_names[static_cast<std::size_t>(kind)]; }

JoinKind join_named(std::string_view name) {
  const auto* const found = std::find(join_names.begin(), join_names.end(), name);
  if (found == join_names.end())
    fail("unknown join '{}': expected inner, left, semi or anti", name);
  return static_cast<JoinKind>(found - join_names.begin());
}

std::string_view name_of(JoinOrder order) { return order_names[static_cast<std::size_t>(order)]; }

JoinOrder join_order_named(std::string_view name) {
  const auto* const found = std::find(order_names.begin(), order_names.end(), name);
  if (found == order_names.end()) fail("unknown order '{}': expected lookups or any", name);
  return static_cast<JoinOrder>(found - order_names.begin());
}

JoinedRows Index::join(const Query& query, JoinKind how, const JoinOptions& options) const {
  return run_call("joining rows", &options.control,
                  [&] { return *Joiner(*this, query, how, Joiner::whole, options).next(); });
}

struct JoinBatches::State {
  State(const Index& from, Query batch, JoinKind how, std::size_t limit, const JoinOptions& options)
      : index(from.snapshot()),
        query(std::move(batch)),
        has_rows(rtindex::has_rows(how)),
        max_pairs(limit),
        control(options.control),
        joiner(index, query, how, limit, options) {}

  Index index;
  Query query;
  bool has_rows;
  std::size_t max_pairs;
  Control control;
  Joiner joiner;

  // next(), a batch or the number of its pairs; reports how much of the join is done.
  template <class Next>
  [[nodiscard]] auto run(const Next& next) const {
    return run_step("joining rows", &control, [&] {
      { const ProgressStage done(joiner.share_done()); }
      const ProgressStage batch(0);
      auto result = next();
      if (!result) finish_progress();
      return result;
    });
  }
};

JoinBatches::JoinBatches(const Index& index, Query query, JoinKind how, std::size_t max_pairs,
                         const JoinOptions& options) {
  if (max_pairs == 0) fail("invalid max_pairs 0: expected at least 1");
  explain_out_of_memory("joining rows", [&] {
    state_ = std::make_unique<State>(index, std::move(query), how, max_pairs, options);
  });
}
JoinBatches::JoinBatches(JoinBatches&&) noexcept = default;
JoinBatches& JoinBatches::operator=(JoinBatches&&) noexcept = default;
JoinBatches::~JoinBatches() = default;

std::optional<JoinedRows> JoinBatches::next() {
  return state_->run([&] { return state_->joiner.next(); });
}

std::optional<std::size_t> JoinBatches::next_into(std::uint64_t* lookups, std::uint32_t* rows,
                                                  MemorySpace memory_space) {
  if (lookups == nullptr || (state_->has_rows && rows == nullptr))
    fail("expected buffers for {} pairs, got none", state_->max_pairs);
  if (memory_space == MemorySpace::device)
    return state_->run([&] { return state_->joiner.next_on_device(lookups, rows); });
  const std::optional<JoinedRows> batch = next();
  if (!batch) return std::nullopt;
  std::copy(batch->lookups.begin(), batch->lookups.end(), lookups);
  std::copy(batch->rows.begin(), batch->rows.end(), rows);
  return batch->lookups.size();
}

void Index::join_batches(const Query& query, JoinKind how, std::size_t max_pairs,
                         const JoinCallback& callback, const JoinOptions& options) const {
  if (callback == nullptr) fail("expected a callback for the batches of the join, got none");
  JoinBatches batches(*this, query, how, max_pairs, options);
  while (const std::optional<JoinedRows> batch = batches.next()) callback(*batch);
}

void Index::join_into(const Query& query, JoinKind how, const JoinOutputs& outputs,
                      const JoinOptions& options) const {
  const JoinRequest request{.how = how, .outputs = outputs, .order = options.order};
  if (outputs.count == nullptr) fail("expected a buffer for the number of pairs, got none");
  if (outputs.capacity != 0 &&
      (outputs.lookups == nullptr || (request.wants_rows() && outputs.rows == nullptr)))
    fail("expected buffers for {} pairs, got none", outputs.capacity);
  if (outputs.memory_space == MemorySpace::device)
    return run_call("joining rows", &options.control,
                    [&] { state_->join_into(query, request, options.stream); });
  const Joiner joiner(*this, query, how, Joiner::whole, options);
  if (joiner.is_in_any_order())
    return run_call("joining rows", &options.control, [&] { joiner.join_in_any_order(outputs); });
  copy_pairs(join(query, how, options), outputs);
}

void Index::State::join_into(const Query& query, const JoinRequest& join, Stream stream) const {
  require_writable(MemorySpace::device);
  const Reading now = read();
  require_query(*now, query);
  require_supported(*now, {}, Answer::any, query.kind);
  AnswerOptions options;
  options.stream = stream;
  Request request = request_into(options, {}, {.memory_space = MemorySpace::device});
  request.join = &join;
  threads->run([&] { run(*now, query, request); });
}

namespace {

// Appends those of the first `count` lookups that keeps(i), with row_of(i).
template <class Keeps, class RowOf>
void append_lookups(std::size_t count, PairSink& pairs, const Keeps& keeps, const RowOf& row_of) {
  constexpr std::size_t grain = std::size_t{1} << 12;
  parallel_for(count, grain, [&](std::size_t first, std::size_t size) {
    PairBuffer some(pairs);
    for (std::size_t i = first; i < first + size; ++i)
      if (keeps(i)) some.add(i, row_of(i));
    some.flush();
  });
}

}  // namespace

void Index::State::append_pairs(const Query& query, JoinKind how, PairSink& pairs) const {
  const Reading now = read();
  require_query(*now, query);
  require_supported(*now, {}, Answer::any, searched_kind(*now, query));
  threads->run([&] {
    const std::size_t size = query.size();
    const bool of_neighbours =
        has_rows(how) && query.kind == QueryKind::nearest && !now->main().codec->are_intervals();
    Array<std::uint32_t> rows(of_neighbours ? size : 0);
    std::vector<std::uint8_t> matched(how == JoinKind::inner || of_neighbours ? 0 : size / 8 + 1);
    Request request = request_into({}, {},
                                   {.any = of_neighbours ? rows.data() : nullptr,
                                    .matched = matched.empty() ? nullptr : matched.data()});
    if (has_rows(how) && !of_neighbours) request.pairs = &pairs;
    run(*now, query, request);
    if (of_neighbours)
      return append_lookups(
          size, pairs, [&](std::size_t i) { return how == JoinKind::left || rows[i] != miss_row; },
          [&](std::size_t i) { return rows[i]; });
    if (how == JoinKind::inner) return;
    append_lookups(
        size, pairs,
        [&](std::size_t i) { return is_matched(matched.data(), i) == (how == JoinKind::semi); },
        [](std::size_t) { return miss_row; });
  });
}

}  // namespace rtindex
