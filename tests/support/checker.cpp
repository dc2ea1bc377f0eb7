#include "support/checker.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace rtindex::test {

namespace {

std::vector<std::uint32_t> copy(std::span<const std::uint32_t> span) {
  return {span.begin(), span.end()};
}

// The aggregates of one lookup, computed without any code of the library.
struct Aggregate {
  Whole whole_sum = 0;
  long double real_sum = 0;
  long double magnitude = 0;
  const Part* smallest = nullptr;
  const Part* largest = nullptr;
  std::size_t count = 0;

  [[nodiscard]] long double sum() const {
    return magnitude == 0 && real_sum == 0 ? static_cast<long double>(whole_sum) : real_sum;
  }
};

Aggregate aggregate(const std::vector<std::uint32_t>& rows, const TestColumn& values) {
  Aggregate result;
  // Apart from the others: long doubles take a hundred times as long where one is not finite.
  double not_finite = 0;
  for (const std::uint32_t row : rows) {
    const Part& value = values.keys()[row][0];
    if (value.index() == 0) continue;  // null
    if (result.count++ == 0) result.smallest = result.largest = &value;
    if (const auto* whole = std::get_if<Whole>(&value)) {
      result.whole_sum += *whole;
      if (*whole < std::get<Whole>(*result.smallest)) result.smallest = &value;
      if (*whole > std::get<Whole>(*result.largest)) result.largest = &value;
    } else {
      const double real = std::get<double>(value);
      if (std::isfinite(real)) {
        result.real_sum += static_cast<long double>(real);
        result.magnitude += static_cast<long double>(std::abs(real));
      } else {
        not_finite += real;
      }
      if (compare(value, *result.smallest) < 0) result.smallest = &value;
      if (compare(value, *result.largest) > 0) result.largest = &value;
    }
  }
  if (not_finite != 0) result.real_sum = result.magnitude = static_cast<long double>(not_finite);
  return result;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool close(double got, const Aggregate& wanted) {
  const auto exact = static_cast<double>(wanted.real_sum);
  if (!std::isfinite(exact)) return same(got, exact);
  return std::abs(static_cast<long double>(got) - wanted.real_sum) <=
         sum_tolerance * wanted.magnitude;
}

class Checker {
 public:
  Checker(const PlainAnswers& found, const AnswerOptions& options, const Batch& batch,
          const Matches& matches, const TestColumn& values)
      : found_(found), options_(options), batch_(batch), matches_(matches), values_(values) {}

  std::string run() {
    check_sizes();
    for (std::size_t i = 0; i < matches_.size() && difference_.empty(); ++i) {
      check_rows_ids(i);
      check_aggregates(i);
      check_rows(i);
      check_matched(i);
      check_bitmap(i);
      if (!difference_.empty()) difference_ += " (" + batch_.text(i) + ")";
    }
    if (found_.bitmap && difference_.empty()) check_union();
    return difference_;
  }

 private:
  template <class... Args>
  void differ(fmt::format_string<Args...> format, Args&&... args) {
    if (difference_.empty()) difference_ = fmt::format(format, std::forward<Args>(args)...);
  }

  template <class Vector>
  void check_size(std::string_view name, bool wanted, const std::optional<Vector>& got,
                  std::size_t size) {
    if (wanted != got.has_value())
      return differ("{} is {}", name, wanted ? "missing" : "returned but was not requested");
    if (wanted && got->size() != size)
      differ("{} has {} entries in place of {}", name, got->size(), size);
  }

  void check_aggregate_size(std::string_view name, bool wanted,
                            const std::optional<Aggregates>& got) {
    if (wanted != got.has_value())
      return differ("{} is {}", name, wanted ? "missing" : "returned but was not requested");
    if (!wanted) return;
    const std::size_t index = is_float_shape(values_.shape())         ? 2
                              : smallest_of(values_.shape().type) < 0 ? 1
                                                                      : 0;
    if (got->index() != index)
      differ("{} is of class {} in place of {}", name, got->index(), index);
    const std::size_t size = std::visit([](const auto& vector) { return vector.size(); }, *got);
    if (size != matches_.size())
      differ("{} has {} entries in place of {}", name, size, matches_.size());
  }

  void check_sizes() {
    const std::size_t n = matches_.size();
    if (found_.size != n) differ("{} lookups in place of {}", found_.size, n);
    check_size("any", options_.answers.has(Answer::any), found_.any, n);
    check_size("first", options_.answers.has(Answer::first), found_.first, n);
    check_size("last", options_.answers.has(Answer::last), found_.last, n);
    check_size("count", options_.answers.has(Answer::count), found_.count, n);
    check_aggregate_size("sum", options_.answers.has(Answer::sum), found_.sum);
    check_size("mean", options_.answers.has(Answer::mean), found_.mean, n);
    check_aggregate_size("min", options_.answers.has(Answer::min), found_.min);
    check_aggregate_size("max", options_.answers.has(Answer::max), found_.max);
    check_size("offsets", options_.answers.has(Answer::rows), found_.offsets, n + 1);
    check_size("matched", options_.matched, found_.matched, (n + 7) / 8);
    check_size("bitmaps", options_.answers.has(Answer::bitmaps), found_.bitmaps, n);
    if (options_.answers.has(Answer::bitmap) != found_.bitmap.has_value())
      differ("bitmap is {}", found_.bitmap ? "returned but was not requested" : "missing");
    if (!difference_.empty()) return;
    if (found_.offsets &&
        (found_.offsets->front() != 0 || found_.offsets->back() != found_.rows.size()))
      differ("offsets go from {} to {} but there are {} rows", found_.offsets->front(),
             found_.offsets->back(), found_.rows.size());
    if (found_.offsets && !std::is_sorted(found_.offsets->begin(), found_.offsets->end()))
      differ("offsets are not ascending");
    if (found_.matched && n % 8 != 0 && (found_.matched->back() >> (n % 8)) != 0)
      differ("the matched bitmap has bits behind its end");
  }

  void check_rows_ids(std::size_t i) {
    const std::vector<std::uint32_t>& rows = matches_[i];
    if (found_.any) {
      const std::uint32_t any = (*found_.any)[i];
      if (rows.empty() ? any != miss_row : !std::binary_search(rows.begin(), rows.end(), any))
        differ("lookup {}: any is {}, which is none of the {} matches", i, any, rows.size());
    }
    const std::uint32_t first = rows.empty() ? miss_row : rows.front();
    if (found_.first && (*found_.first)[i] != first)
      differ("lookup {}: first is {} in place of {}", i, (*found_.first)[i], first);
    const std::uint32_t last = rows.empty() ? miss_row : rows.back();
    if (found_.last && (*found_.last)[i] != last)
      differ("lookup {}: last is {} in place of {}", i, (*found_.last)[i], last);
    if (found_.count && (*found_.count)[i] != rows.size())
      differ("lookup {}: count is {} in place of {}", i, (*found_.count)[i], rows.size());
  }

  void check_aggregates(std::size_t i) {
    if (!found_.sum && !found_.min && !found_.max && !found_.mean) return;
    const Aggregate wanted = aggregate(matches_[i], values_);
    if (found_.min) check_value("min", *found_.min, i, wanted.smallest);
    if (found_.max) check_value("max", *found_.max, i, wanted.largest);
    if (found_.mean) check_mean(i, wanted);
    if (!found_.sum) return;
    if (const auto* reals = std::get_if<2>(&*found_.sum); reals != nullptr && wanted.count != 0) {
      if (!close((*reals)[i], wanted))
        differ("lookup {}: sum is {} in place of {}", i, (*reals)[i],
               static_cast<double>(wanted.real_sum));
      return;
    }
    const Part sum = wanted.whole_sum;
    check_value("sum", *found_.sum, i, wanted.count == 0 ? nullptr : &sum);
  }

  // The mean of integers is exact up to the two roundings of its division.
  void check_mean(std::size_t i, const Aggregate& wanted) {
    const double got = (*found_.mean)[i];
    const auto count = static_cast<long double>(wanted.count);
    const long double mean = wanted.sum() / count;
    const double exact = wanted.count == 0 ? options_.miss.f64 : static_cast<double>(mean);
    const long double tolerance =
        sum_tolerance * (wanted.magnitude + std::abs(wanted.sum())) / std::max(count, 1.0L);
    if (!same(got, exact) && !(std::isfinite(exact) && std::abs(got - mean) <= tolerance))
      differ("lookup {}: mean is {} in place of {}", i, got, exact);
  }

  // The value, or where there is none the miss value of its class; integers modulo 2^64.
  void check_value(std::string_view name, const Aggregates& got, std::size_t i,
                   const Part* wanted) {
    if (const auto* reals = std::get_if<2>(&got)) {
      const double value = wanted == nullptr ? options_.miss.f64 : std::get<double>(*wanted);
      if (!same((*reals)[i], value))
        differ("lookup {}: {} is {} in place of {}", i, name, (*reals)[i], value);
    } else if (const auto* integers = std::get_if<1>(&got)) {
      const std::int64_t value = wanted == nullptr
                                     ? options_.miss.i64
                                     : static_cast<std::int64_t>(std::get<Whole>(*wanted));
      if ((*integers)[i] != value)
        differ("lookup {}: {} is {} in place of {}", i, name, (*integers)[i], value);
    } else {
      const std::uint64_t value = wanted == nullptr
                                      ? options_.miss.u64
                                      : static_cast<std::uint64_t>(std::get<Whole>(*wanted));
      if (std::get<0>(got)[i] != value)
        differ("lookup {}: {} is {} in place of {}", i, name, std::get<0>(got)[i], value);
    }
  }

  void check_rows(std::size_t i) {
    if (!found_.offsets) return;
    const std::size_t begin = (*found_.offsets)[i];
    const std::size_t end = (*found_.offsets)[i + 1];
    const std::vector<std::uint32_t>& matches = matches_[i];
    const std::size_t wanted = std::min<std::size_t>(matches.size(), options_.limit);
    if (end - begin != wanted)
      return differ("lookup {}: {} rows in place of {}", i, end - begin, wanted);
    // Every row takes one of the matches: they come in any order.
    if (!matches.empty() && matches.back() >= left_.size()) left_.resize(matches.back() + 1);
    for (const std::uint32_t row : matches) left_[row] = true;
    for (std::size_t at = begin; at < end; ++at) {
      const std::uint32_t row = found_.rows[at];
      if (row >= left_.size() || !left_[row])
        return differ("lookup {}: row {} does not match, or appears twice", i, row);
      left_[row] = false;
    }
    for (const std::uint32_t row : matches) left_[row] = false;
  }

  void check_matched(std::size_t i) {
    if (!found_.matched) return;
    const bool matched = ((*found_.matched)[i / 8] >> (i % 8) & 1) != 0;
    if (matched == matches_[i].empty())
      differ("lookup {}: matched is {} but there are {} matches", i, matched, matches_[i].size());
  }

  void check_bitmap(std::size_t i) {
    if (found_.bitmaps && (*found_.bitmaps)[i] != matches_[i])
      differ("lookup {}: {} rows in its bitmap in place of {}, or other ones", i,
             (*found_.bitmaps)[i].size(), matches_[i].size());
  }

  void check_union() {
    std::vector<bool> is_wanted;
    for (const std::vector<std::uint32_t>& rows : matches_) {
      if (!rows.empty() && rows.back() >= is_wanted.size()) is_wanted.resize(rows.back() + 1);
      for (const std::uint32_t row : rows) is_wanted[row] = true;
    }
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t row = 0; row < is_wanted.size(); ++row)
      if (is_wanted[row]) wanted.push_back(row);
    if (*found_.bitmap != wanted)
      differ("{} rows in the bitmap in place of {}, or other ones", found_.bitmap->size(),
             wanted.size());
  }

  const PlainAnswers& found_;
  const AnswerOptions& options_;
  const Batch& batch_;
  const Matches& matches_;
  const TestColumn& values_;
  std::vector<bool> left_;  // whether a row is a match that no row of the lookup has taken
  std::string difference_;
};

}  // namespace

std::vector<std::uint32_t> rows_of(const BitmapView& bitmap) {
  std::vector<std::uint32_t> rows;
  for (std::size_t row = 0; row < bitmap.rows; ++row)
    if ((bitmap.offset + row) % 8 == 0 && bitmap.bits[(bitmap.offset + row) / 8] == 0)
      row += 7;  // as in most bytes
    else if (bitmap.has(row))
      rows.push_back(static_cast<std::uint32_t>(row));
  return rows;
}

PlainAnswers plain_answers(const Answers& answers, const AnswerOptions& options) {
  PlainAnswers found;
  found.size = answers.size();
  if (options.answers.has(Answer::any)) found.any = copy(answers.any());
  if (options.answers.has(Answer::first)) found.first = copy(answers.first());
  if (options.answers.has(Answer::last)) found.last = copy(answers.last());
  if (options.answers.has(Answer::count)) found.count = copy(answers.count());
  if (options.answers.has(Answer::sum)) found.sum = answers.sum();
  if (options.answers.has(Answer::mean))
    found.mean.emplace(answers.mean().begin(), answers.mean().end());
  if (options.answers.has(Answer::min)) found.min = answers.min();
  if (options.answers.has(Answer::max)) found.max = answers.max();
  if (options.answers.has(Answer::rows)) {
    found.offsets.emplace(answers.offsets().begin(), answers.offsets().end());
    found.rows = copy(answers.rows());
  }
  if (options.answers.has(Answer::bitmap)) found.bitmap = rows_of(answers.bitmap());
  if (options.answers.has(Answer::bitmaps)) {
    found.bitmaps.emplace();
    for (std::size_t i = 0; i < answers.size(); ++i)
      found.bitmaps->push_back(rows_of(answers.bitmap(i)));
  }
  if (options.matched)
    found.matched.emplace(answers.matched_bitmap().begin(), answers.matched_bitmap().end());
  return found;
}

std::string first_difference(const PlainAnswers& found, const AnswerOptions& options,
                             const Batch& batch, const Matches& matches, const TestColumn& values) {
  return Checker(found, options, batch, matches, values).run();
}

}  // namespace rtindex::test
