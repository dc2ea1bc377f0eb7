#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <rtindex/index.hpp>

#include "answers/answers.hpp"
#include "answers/request.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "index/index_state.hpp"
#include "keys/lookup_batch.hpp"

namespace rtindex {

namespace {

constexpr std::array<std::string_view, 4> join_names = {"inner", "left", "semi", "anti"};
constexpr std::size_t join_grain = std::size_t{1} << 12;
constexpr std::size_t whole = std::numeric_limits<std::size_t>::max();

}  // namespace

// A join, batch by batch, over an index that does not change meanwhile.
class Joiner {
 public:
  Joiner(const Index& index, const Query& query, JoinKind how, std::size_t max_pairs, Stream stream)
      : index_(index),
        query_(query),
        how_(how),
        max_pairs_(max_pairs),
        stream_(stream),
        size_(query.size()) {}

  // The next batch; none after the last one.
  [[nodiscard]] std::optional<JoinedRows> next() {
    const bool is_split = cut_ < split_.rows.size();
    if (!is_split && first_ == size_ && started_) return std::nullopt;
    started_ = true;
    return explain_out_of_memory("joining rows", [&] {
      if (is_split) return next_of_split();
      const std::size_t count = std::min(size_ - first_, max_pairs_);
      if (how_ == JoinKind::semi || how_ == JoinKind::anti) return advanced(count, filtered(count));
      if (query_.kind == QueryKind::nearest) return advanced(count, neighbours(count));
      if (max_pairs_ == whole) return advanced(count, pairs(count));
      return next_pairs(count);
    });
  }

 private:
  [[nodiscard]] JoinedRows advanced(std::size_t count, JoinedRows joined) {
    first_ += count;
    return joined;
  }

  // Of the next `count` queries.
  [[nodiscard]] Answers answer(std::size_t count, AnswerSet answers, bool matched) const {
    const AnswerOptions options{.answers = answers, .matched = matched, .stream = stream_};
    if (first_ == 0 && count == size_) return index_.answer(query_, options);
    return index_.answer(query_.slice(first_, count), options);
  }

  [[nodiscard]] JoinedRows filtered(std::size_t count) const {
    const Answers answers = answer(count, {}, true);
    JoinedRows joined;
    for (std::size_t i = 0; i < count; ++i)
      if (answers.matched(i) == (how_ == JoinKind::semi)) joined.lookups.push_back(first_ + i);
    return joined;
  }

  [[nodiscard]] JoinedRows neighbours(std::size_t count) const {
    const Answers answers = answer(count, Answer::any, false);
    JoinedRows joined;
    joined.lookups.reserve(count);
    joined.rows.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t row = answers.any()[i];
      if (row == miss_row && how_ == JoinKind::inner) continue;
      joined.lookups.push_back(first_ + i);
      joined.rows.push_back(row);
    }
    return joined;
  }

  // The number of pairs of a query with so many rows.
  [[nodiscard]] std::uint64_t pairs_of(std::uint64_t rows) const {
    return how_ == JoinKind::left ? std::max<std::uint64_t>(rows, 1) : rows;
  }

  [[nodiscard]] JoinedRows pairs(std::size_t count) const {
    Answers answers = answer(count, Answer::rows, false);
    const std::span<const std::uint64_t> offsets = answers.offsets();
    std::vector<std::uint64_t> starts(count + 1, 0);
    for (std::size_t i = 0; i < count; ++i)
      starts[i + 1] = starts[i] + pairs_of(offsets[i + 1] - offsets[i]);
    JoinedRows joined;
    joined.lookups.resize(starts[count]);
    parallel_for(count, join_grain, [&](std::size_t begin, std::size_t size) {
      for (std::size_t i = begin; i < begin + size; ++i)
        std::fill(joined.lookups.begin() + static_cast<std::ptrdiff_t>(starts[i]),
                  joined.lookups.begin() + static_cast<std::ptrdiff_t>(starts[i + 1]), first_ + i);
    });
    if (starts[count] == offsets[count]) {
      // Every query has a row: the rows of all queries are those of all pairs.
      joined.rows = AnswersAccess::rows_of(std::move(answers));
      return joined;
    }
    joined.rows.resize(starts[count], miss_row);
    parallel_for(count, join_grain, [&](std::size_t begin, std::size_t size) {
      for (std::size_t i = begin; i < begin + size; ++i) {
        const std::span<const std::uint32_t> rows = answers.rows(i);
        std::copy(rows.begin(), rows.end(),
                  joined.rows.begin() + static_cast<std::ptrdiff_t>(starts[i]));
      }
    });
    return joined;
  }

  // Pairs of some of the next `count` queries. One query that has too many is split.
  [[nodiscard]] JoinedRows next_pairs(std::size_t count) {
    const Answers counts = answer(count, Answer::count, false);
    std::uint64_t total = 0;
    std::size_t fitting = 0;
    while (fitting < count && total + pairs_of(counts.count()[fitting]) <= max_pairs_)
      total += pairs_of(counts.count()[fitting++]);
    if (fitting != 0 || count == 0) return advanced(fitting, pairs(fitting));
    split_ = advanced(1, pairs(1));
    cut_ = 0;
    return next_of_split();
  }

  [[nodiscard]] JoinedRows next_of_split() {
    const auto from = static_cast<std::ptrdiff_t>(cut_);
    cut_ = std::min(split_.rows.size(), cut_ + max_pairs_);
    const auto to = static_cast<std::ptrdiff_t>(cut_);
    return {{split_.lookups.begin() + from, split_.lookups.begin() + to},
            {split_.rows.begin() + from, split_.rows.begin() + to}};
  }

  const Index& index_;
  const Query& query_;
  JoinKind how_;
  std::size_t max_pairs_;
  Stream stream_;
  std::size_t size_;
  std::size_t first_ = 0;  // the first query of the next batch
  bool started_ = false;
  JoinedRows split_;  // the pairs of one query, of which `cut_` have been returned
  std::size_t cut_ = 0;
};

namespace {

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

JoinedRows Index::join(const Query& query, JoinKind how, Stream stream) const {
  return *Joiner(*this, query, how, whole, stream).next();
}

struct JoinBatches::State {
  State(const Index& from, Query batch, JoinKind how, std::size_t max_pairs, Stream stream)
      : index(from.snapshot()),
        query(std::move(batch)),
        joiner(index, query, how, max_pairs, stream) {}

  Index index;
  Query query;
  Joiner joiner;
};

JoinBatches::JoinBatches(const Index& index, Query query, JoinKind how, std::size_t max_pairs,
                         Stream stream) {
  if (max_pairs == 0) fail("invalid max_pairs 0: expected at least 1");
  explain_out_of_memory("joining rows", [&] {
    state_ = std::make_unique<State>(index, std::move(query), how, max_pairs, stream);
  });
}
JoinBatches::JoinBatches(JoinBatches&&) noexcept = default;
JoinBatches& JoinBatches::operator=(JoinBatches&&) noexcept = default;
JoinBatches::~JoinBatches() = default;

std::optional<JoinedRows> JoinBatches::next() { return state_->joiner.next(); }

void Index::join_batches(const Query& query, JoinKind how, std::size_t max_pairs,
                         const JoinCallback& callback, Stream stream) const {
  if (callback == nullptr) fail("expected a callback for the batches of the join, got none");
  JoinBatches batches(*this, query, how, max_pairs, stream);
  while (const std::optional<JoinedRows> batch = batches.next()) callback(*batch);
}

void Index::join_into(const Query& query, JoinKind how, const JoinOutputs& outputs,
                      Stream stream) const {
  const JoinRequest request{how, outputs};
  if (outputs.count == nullptr) fail("expected a buffer for the number of pairs, got none");
  if (outputs.capacity != 0 &&
      (outputs.lookups == nullptr || (request.wants_rows() && outputs.rows == nullptr)))
    fail("expected buffers for {} pairs, got none", outputs.capacity);
  if (outputs.memory_space == MemorySpace::device)
    return explain_out_of_memory("joining rows",
                                 [&] { state_->join_into(query, request, stream); });
  copy_pairs(join(query, how, stream), outputs);
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

}  // namespace rtindex
