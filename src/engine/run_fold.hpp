#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "answers/aggregate.hpp"
#include "answers/chunk_buffers.hpp"
#include "answers/counted_aggregate.hpp"
#include "answers/valid_matches.hpp"
#include "order/included.hpp"

namespace rtindex {

// The answers of one lookup whose matches are many runs of positions: each run is answered like a
// lookup of its own, and their answers are joined.
template <class Class, class Rows>
class RunFold {
 public:
  // `values`: the included columns. `deleted`: what is derived from deleted rows, or null.
  RunFold(const Request& request, std::size_t lookup, const Rows& rows, std::size_t size,
          std::span<const std::unique_ptr<IncludedValues>> values, DeletedSet* deleted)
      : request_(request),
        lookup_(lookup),
        rows_(rows),
        size_(size),
        values_(values),
        deleted_(deleted) {}

  // Folds runs, chunk by chunk; stops where one row is enough.
  void add(std::span<Match> runs) {
    if (runs.empty()) return;
    ChunkBuffers buffers;
    Request local = request_;
    local.drop_rows();
    local.outputs = buffers.outputs(request_.outputs);
    local.outputs.bitmaps = nullptr;
    local.outputs.matched = nullptr;
    local.outputs.count = buffers.count;
    buffers.receive_counts(local);
    for (std::size_t first = 0; first < runs.size(); first += chunk_lookups) {
      const std::size_t count = std::min(chunk_lookups, runs.size() - first);
      Match* const found = runs.data() + first;
      answer_valid(request_.deleted, deleted_, size_, found, count, rows_, [&](const auto& valid) {
        answer_rows(local, 0, found, count, rows_, false, valid);
        if (request_.outputs.bitmaps != nullptr) set_own_bitmap(found, count, valid);
        if (request_.answers.has(Answer::rows)) collect(found, count, valid);
        if (!request_.wants_values()) return;
        if (request_.included)
          answer_included(local, found, count, valid);
        else
          answer_values(local, 0, found, count, rows_, valid);
      });
      join(local, found, count);
      if (count_ != 0 && request_.one_hit_is_enough()) return;
    }
  }

  // Adds the runs that another fold of the same lookup has folded. Rows are not moved.
  void merge(const RunFold& other) {
    if (any_ == miss_row) any_ = other.any_;
    first_ = Min{}(first_, other.first_);
    last_ = Last{}(last_, other.last_);
    count_ += other.count_;
    values_folded_.merge(other.values_folded_);
    counted_.merge(other.counted_);
  }

  // Writes the answers.
  void finish() const {
    const Outputs& out = request_.outputs;
    if (out.any != nullptr) out.any[lookup_] = any_;
    if (out.first != nullptr) out.first[lookup_] = first_;
    if (out.last != nullptr) out.last[lookup_] = last_;
    if (out.count != nullptr) out.count[lookup_] = count_;
    if (request_.value_counts != nullptr)
      write_counted(request_, lookup_, counted_);
    else if (request_.wants_values())
      write_values(out, lookup_,
                   values_folded_.or_miss(count_ != 0, miss_as<Class>(request_.miss)));
    if (request_.answers.has(Answer::rows)) request_.row_counts[lookup_] = collected_;
    if (count_ != 0 && out.matched != nullptr) set_matched(out.matched, lookup_);
  }

 private:
  template <class Valid>
  void set_own_bitmap(const Match* found, std::size_t count, const Valid& valid) const {
    for (std::size_t i = 0; i < count; ++i)
      matches::set_rows(found[i], rows_, valid.deleted(i), request_.bitmap_of(lookup_),
                        request_.outputs.bitmap_rows);
  }

  template <class Valid>
  void collect(const Match* found, std::size_t count, const Valid& valid) {
    std::uint64_t sizes[chunk_lookups];
    for (std::size_t i = 0; i < count; ++i) {
      sizes[i] = std::min<std::uint64_t>(valid.count(i, found[i]), request_.limit - collected_);
      collected_ += static_cast<std::uint32_t>(sizes[i]);
    }
    if (request_.chunk_rows == nullptr) return;
    matches::append_rows(RowOrder::any, sizes, found, count, rows_, valid,
                         (*request_.chunk_rows)[lookup_ / chunk_lookups]);
  }

  void answer_included(const Request& local, const Match* found, std::size_t count,
                       const AllValid&) const {
    values_[request_.included_column]->answer(local, 0, found, count, nullptr, nullptr);
  }
  void answer_included(const Request& local, const Match* found, std::size_t count,
                       const ValidMatches& valid) const {
    const IncludedValues& values = *values_[request_.included_column];
    const ValidAggregates* aggregates = nullptr;
    if (const DeletedPositions* const positions = valid.positions())
      aggregates = deleted_->aggregates(
          request_.included_column, rows_to_walk(found, count), size_,
          [&](CountedRef<ValidAggregates> before, std::span<const std::uint32_t> added) {
            return values.valid_aggregates(positions->bits(), std::move(before), added);
          });
    values.answer(local, 0, found, count, &valid, aggregates);
  }

  void join(const Request& local, const Match* found, std::size_t count) {
    const Outputs& out = local.outputs;
    for (std::size_t i = 0; i < count; ++i) {
      if (out.count[i] == 0) continue;
      count_ += out.count[i];
      if (any_ == miss_row) any_ = rows_[found[i].begin];
      if (out.first != nullptr) first_ = Min{}(first_, out.first[i]);
      if (out.last != nullptr) last_ = Last{}(last_, out.last[i]);
      if (!request_.wants_values()) continue;
      ValueAggregate<Class> values;
      if (out.sum != nullptr) values.sum = static_cast<const Class*>(out.sum)[i];
      if (out.min != nullptr) values.min = static_cast<const Class*>(out.min)[i];
      if (out.max != nullptr) values.max = static_cast<const Class*>(out.max)[i];
      if (local.value_counts == nullptr) {
        values_folded_.merge(values);
      } else if (local.value_counts[i] != 0) {
        CountedAggregate<Class> counted{values, 0, local.value_counts[i]};
        if (local.mean_sums != nullptr) counted.sum = mean_sum<Class>(local.mean_sums[i]);
        counted_.merge(counted);
      }
    }
  }

  const Request& request_;
  std::size_t lookup_;
  Rows rows_;
  std::size_t size_;
  std::span<const std::unique_ptr<IncludedValues>> values_;
  DeletedSet* deleted_;

  std::uint32_t any_ = miss_row, first_ = miss_row, last_ = miss_row, count_ = 0;
  std::uint32_t collected_ = 0;
  ValueAggregate<Class> values_folded_;
  CountedAggregate<Class> counted_;
};

}  // namespace rtindex
