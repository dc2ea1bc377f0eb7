#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "answers/aggregate.hpp"
#include "answers/counted_aggregate.hpp"
#include "answers/request.hpp"
#include "answers/values.hpp"

namespace rtindex {

// Folds the hits of one lookup after the other, in any order, into all answers of a request. Class
// is the class of the value type.
template <class Class>
class Accumulator {
 public:
  Accumulator(const Request& request, std::size_t chunk)
      : request_(&request),
        values_{request.values, request.value_type},
        miss_(miss_as<Class>(request.miss)),
        one_is_enough_(request.one_hit_is_enough()),
        wants_values_(request.wants_values()),
        counts_values_(request.value_counts != nullptr),
        wants_bitmaps_(request.wants_bitmaps()),
        wants_rows_(request.answers.has(Answer::rows)),
        rows_alone_(request.answers == AnswerSet(Answer::rows)),
        limit_(wants_rows_ ? request.limit : 0),
        chunk_rows_(request.chunk_rows != nullptr ? &(*request.chunk_rows)[chunk] : nullptr) {}

  // Before the first hit of a lookup.
  void start(std::size_t lookup) {
    lookup_ = lookup;
    row_aggregate_ = {};
    last_ = miss_row;
    value_aggregate_ = {};
    counted_ = {};
    collected_ = {limit_};
  }

  // Folds one hit if its row is valid. Returns true once no further hit can change the answers.
  bool hit(std::uint32_t row) { return hit(row, row); }
  // `element`: of the row's value.
  bool hit(std::uint32_t row, std::size_t element) {
    if (request_->deleted.has(row)) return false;
    row_aggregate_.add(row);
    last_ = Last{}(last_, row);
    if (!counts_values_) {
      if (wants_values_) value_aggregate_.add(values_[element]);
    } else if (request_->has_value(element)) {
      counted_.add(values_[element]);
    }
    if (wants_bitmaps_ && row < request_->outputs.bitmap_rows) set_bits(row);
    if (wants_rows_ && !collected_.full()) {
      if (chunk_rows_ != nullptr) chunk_rows_->push_back(row);
      collected_.add();
    }
    return one_is_enough_ || (rows_alone_ && collected_.full());
  }

  // Whether a lookup is answered before any hit: only rows are requested, with a limit of 0.
  [[nodiscard]] bool wants_no_hit() const {
    return rows_alone_ && limit_ == 0 && request_->outputs.matched == nullptr;
  }

  // After its last hit.
  void finish(std::size_t lookup) const {
    const Outputs& out = request_->outputs;
    const bool matched = row_aggregate_.matched();
    if (out.any != nullptr) out.any[lookup] = row_aggregate_.any;
    if (out.first != nullptr) out.first[lookup] = row_aggregate_.first;
    if (out.last != nullptr) out.last[lookup] = last_;
    if (out.count != nullptr) out.count[lookup] = row_aggregate_.count;
    if (counts_values_)
      write_counted(*request_, lookup, counted_);
    else
      write_values(out, lookup, value_aggregate_.or_miss(matched, miss_));
    if (wants_rows_) request_->row_counts[lookup] = collected_.count;
    if (matched && out.matched != nullptr) set_matched(out.matched, lookup);
  }

 private:
  void set_bits(std::uint32_t row) const {
    if (request_->outputs.bitmap != nullptr) set_row(request_->outputs.bitmap, row);
    if (request_->outputs.bitmaps != nullptr) set_row(request_->bitmap_of(lookup_), row);
  }

  const Request* request_;
  Values<Class> values_;
  Class miss_;
  bool one_is_enough_;
  bool wants_values_;
  bool counts_values_;
  bool wants_bitmaps_;
  bool wants_rows_;
  bool rows_alone_;
  std::uint32_t limit_;
  std::vector<std::uint32_t>* chunk_rows_;

  std::size_t lookup_ = 0;
  RowAggregate row_aggregate_;
  std::uint32_t last_ = miss_row;
  ValueAggregate<Class> value_aggregate_;
  CountedAggregate<Class> counted_;
  CollectedRows collected_;
};

}  // namespace rtindex
