#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <rtindex/index.hpp>

#include "answers/pair_sink.hpp"
#include "answers/request.hpp"
#include "base/call_control.hpp"
#include "base/error.hpp"
#include "base/huge_pages.hpp"
#include "base/parallel.hpp"
#include "index/index_state.hpp"

namespace rtindex {

// A join, batch by batch, over an index that does not change meanwhile.
class Joiner {
 public:
  // The max_pairs of a join in one batch.
  static constexpr std::size_t whole = std::numeric_limits<std::size_t>::max();

  Joiner(const Index& index, const Query& query, JoinKind how, std::size_t max_pairs,
         const JoinOptions& options)
      : index_(index),
        query_(query),
        how_(how),
        max_pairs_(max_pairs),
        stream_(options.stream),
        in_any_order_(options.order == JoinOrder::any &&
                      index.state_->engine.memory_space == MemorySpace::host),
        finds_one_neighbour_(query.kind == QueryKind::nearest && !index.interval_ends()),
        size_(query.size()),
        window_(max_pairs) {}

  // The next batch; none after the last one.
  [[nodiscard]] std::optional<JoinedRows> next() {
    const bool is_split = cut_ < split_.rows.size();
    if (!is_split && first_ == size_ && started_) return std::nullopt;
    started_ = true;
    return explain_out_of_memory("joining rows", [&] {
      if (is_split) return next_of_split();
      const std::size_t count = std::min(size_ - first_, max_pairs_);
      if (in_any_order_ && (max_pairs_ == whole || makes_one_pair()))
        return advanced(count, pairs_in_any_order(count, pairs_expected(count)));
      if (how_ == JoinKind::semi || how_ == JoinKind::anti) return advanced(count, filtered(count));
      if (finds_one_neighbour_) return advanced(count, neighbours(count));
      if (max_pairs_ == whole) return advanced(count, pairs(count));
      return next_pairs(count);
    });
  }

  // The next batch into device memory for max_pairs: the number of its pairs. Lookups are joined in
  // windows, as many at a time as had fitting pairs before.
  [[nodiscard]] std::optional<std::size_t> next_on_device(std::uint64_t* lookups,
                                                          std::uint32_t* rows) {
    if (first_ == size_ && started_) return std::nullopt;
    started_ = true;
    return explain_out_of_memory("joining rows", [&] {
      for (;;) {
        const std::size_t count = std::min(size_ - first_, window_);
        const std::uint64_t total = join_window(count, lookups, rows);
        const std::uint64_t left = total - skipped_;
        if (left > max_pairs_ && count > 1) {
          window_ = std::min(count / 2, fitting_window(count, total));
          continue;
        }
        if (left > max_pairs_) {  // one lookup, in several batches
          skipped_ += max_pairs_;
          return max_pairs_;
        }
        window_ = fitting_window(count, total);
        first_ += count;
        skipped_ = 0;
        return static_cast<std::size_t>(left);
      }
    });
  }

  // All pairs in any order into buffers in host memory, which receive those that fit.
  void join_in_any_order(const JoinOutputs& outputs) const {
    PairSink sink(outputs.lookups, outputs.rows, outputs.capacity, has_rows(how_),
                  PairSink::Rest::dropped);
    index_.state_->append_pairs(query_, how_, sink);
    *outputs.count = sink.size();
  }
  [[nodiscard]] bool is_in_any_order() const { return in_any_order_; }
  // Of the lookups.
  [[nodiscard]] double share_done() const {
    return size_ == 0 ? 1 : static_cast<double>(first_) / static_cast<double>(size_);
  }

 private:
  // Joins the next `count` lookups into device memory, and returns the number of their pairs.
  // NOLINTBEGIN(readability-non-const-parameter): both are written
  [[nodiscard]] std::uint64_t join_window(std::size_t count, std::uint64_t* lookups,
                                          std::uint32_t* rows) const {
    // NOLINTEND(readability-non-const-parameter)
    std::uint64_t total = 0;
    const JoinRequest request{.how = how_,
                              .outputs = {.lookups = lookups,
                                          .rows = rows,
                                          .capacity = max_pairs_,
                                          .memory_space = MemorySpace::device},
                              .first_lookup = first_,
                              .skipped_pairs = skipped_,
                              .total = &total};
    index_.state_->join_into(query_.slice(first_, count), request, stream_);
    return total;
  }

  // How many lookups have max_pairs, by the pairs of `count` lookups; a little less, because a
  // window with too many pairs is joined again in parts.
  [[nodiscard]] std::size_t fitting_window(std::size_t count, std::uint64_t pairs) const {
    if (pairs == 0) return max_pairs_;
    const double fitting = 0.875 * static_cast<double>(count) * static_cast<double>(max_pairs_) /
                           static_cast<double>(pairs);
    if (fitting >= static_cast<double>(max_pairs_)) return max_pairs_;
    return std::max<std::size_t>(static_cast<std::size_t>(fitting), 1);
  }

  // Whether a lookup has one pair at most.
  [[nodiscard]] bool makes_one_pair() const { return !has_rows(how_) || finds_one_neighbour_; }

  // About how many pairs the next `count` lookups have, by the median of samples: a few lookups
  // with very many rows must not make it allocate for more pairs than there are.
  [[nodiscard]] std::size_t pairs_expected(std::size_t count) const {
    constexpr std::size_t in_sample = 128;
    std::array<std::uint64_t, 16> samples{};
    if (makes_one_pair() || count < samples.size() * in_sample) return count;
    const ProgressStage sampling(0.05);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const std::size_t at = first_ + count / samples.size() * i;
      const Answers found = index_.answer(query_.slice(at, in_sample), {.answers = Answer::count});
      for (const std::uint32_t rows : found.count()) samples[i] += pairs_of(rows);
    }
    std::uint64_t* const median = samples.data() + samples.size() / 2;
    std::nth_element(samples.data(), median, samples.data() + samples.size());
    constexpr double margin = 1.05;
    return static_cast<std::size_t>(margin * static_cast<double>(*median) *
                                    static_cast<double>(count) / in_sample);
  }

  [[nodiscard]] JoinedRows pairs_in_any_order(std::size_t count, std::size_t expected) const {
    JoinedRows joined;
    resize_in_huge_pages(joined.lookups, expected);
    if (has_rows(how_)) resize_in_huge_pages(joined.rows, expected);
    PairSink sink(joined.lookups.data(), joined.rows.data(), expected, has_rows(how_),
                  PairSink::Rest::kept);
    const bool is_whole = first_ == 0 && count == size_;
    index_.state_->append_pairs(is_whole ? query_ : query_.slice(first_, count), how_, sink);
    joined.lookups.resize(sink.size());
    if (has_rows(how_)) joined.rows.resize(sink.size());
    sink.copy_rest(joined.lookups.data(), joined.rows.data());
    if (joined.lookups.capacity() > 2 * joined.lookups.size()) joined.lookups.shrink_to_fit();
    if (joined.rows.capacity() > 2 * joined.rows.size()) joined.rows.shrink_to_fit();
    if (first_ != 0)
      for (std::uint64_t& lookup : joined.lookups) lookup += first_;
    return joined;
  }

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
    parallel_for(count, grain, [&](std::size_t begin, std::size_t size) {
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
    parallel_for(count, grain, [&](std::size_t begin, std::size_t size) {
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
    if (in_any_order_ && fitting != 0) return advanced(fitting, pairs_in_any_order(fitting, total));
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

  static constexpr std::size_t grain = std::size_t{1} << 12;  // lookups

  const Index& index_;
  const Query& query_;
  JoinKind how_;
  std::size_t max_pairs_;
  Stream stream_;
  bool in_any_order_;  // indexes on a GPU list the pairs for host memory in the order of lookups
  bool finds_one_neighbour_;  // the neighbour of a key is one row; all closest intervals are joined
  std::size_t size_;
  std::size_t window_;         // into device memory: how many lookups to join next,
  std::uint64_t skipped_ = 0;  // and how many pairs of the first one have been returned
  std::size_t first_ = 0;      // the first query of the next batch
  bool started_ = false;
  JoinedRows split_;  // the pairs of one query, of which `cut_` have been returned
  std::size_t cut_ = 0;
};

}  // namespace rtindex
