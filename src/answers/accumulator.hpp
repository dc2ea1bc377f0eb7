#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "answers/request.hpp"
#include "answers/values.hpp"

namespace rtindex {

// Folds the hits of one lookup, one at a time and in any order, into all answers that a request
// wants. Class is the class of the value type.
template <class Class>
class Accumulator {
 public:
  Accumulator(const Request& request, std::size_t chunk)
      : request_(&request),
        values_(request.values_as<Class>()),
        answers_(request.answers),
        one_is_enough_(request.one_hit_is_enough()),
        wants_values_(answers_.has_any_of(Answer::sum | Answer::min | Answer::max)),
        wants_rows_(answers_.has(Answer::rows)),
        row_limit_(wants_rows_ ? request.limit : 0),
        rows_alone_(answers_ == AnswerSet(Answer::rows)),
        rows_(request.chunk_rows != nullptr ? &(*request.chunk_rows)[chunk] : nullptr) {}

  // Before a lookup's first hit.
  void start() {
    count_ = 0;
    row_count_ = 0;
  }

  // Takes a hit; true when no further one can change the answers.
  bool hit(std::uint32_t row) {
    if (count_ == 0) {
      any_ = row;
      first_ = row;
    } else if (row < first_) {
      first_ = row;
    }
    if (wants_values_) {
      const Class value = values_[row];
      if (count_ == 0) {
        sum_ = value;
        min_ = value;
        max_ = value;
      } else {
        sum_ = add(sum_, value);
        if (less(value, min_)) min_ = value;
        if (less(max_, value)) max_ = value;
      }
    }
    if (wants_rows_ && row_count_ < row_limit_) {
      if (rows_ != nullptr) rows_->push_back(row);
      ++row_count_;
    }
    ++count_;
    return one_is_enough_ || (rows_alone_ && row_count_ >= row_limit_);
  }

  // Whether a lookup is answered before any hit (a limit of zero rows and nothing else wanted).
  [[nodiscard]] bool wants_no_hit() const {
    return rows_alone_ && row_limit_ == 0 && request_->outputs.matched == nullptr;
  }

  // After a lookup's last hit.
  void finish(std::size_t lookup) const {
    const Outputs& out = request_->outputs;
    const bool matched = count_ != 0;
    if (out.any != nullptr) out.any[lookup] = matched ? any_ : miss_row;
    if (out.first != nullptr) out.first[lookup] = matched ? first_ : miss_row;
    if (out.count != nullptr) out.count[lookup] = count_;
    const auto miss = request_->miss_as<Class>();
    if (out.sum != nullptr) static_cast<Class*>(out.sum)[lookup] = matched ? sum_ : miss;
    if (out.min != nullptr) static_cast<Class*>(out.min)[lookup] = matched ? min_ : miss;
    if (out.max != nullptr) static_cast<Class*>(out.max)[lookup] = matched ? max_ : miss;
    if (wants_rows_) request_->row_counts[lookup] = row_count_;
    if (matched && out.matched != nullptr)
      out.matched[lookup / 8] =
          static_cast<std::uint8_t>(out.matched[lookup / 8] | 1U << (lookup % 8));
  }

 private:
  const Request* request_;
  Values<Class> values_;
  AnswerSet answers_;
  bool one_is_enough_;
  bool wants_values_;
  bool wants_rows_;
  std::uint32_t row_limit_;
  bool rows_alone_;
  std::vector<std::uint32_t>* rows_;

  std::uint32_t any_ = 0;
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t row_count_ = 0;
  Class sum_{}, min_{}, max_{};
};

}  // namespace rtindex
