#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <rtindex/index.hpp>

#include "column.hpp"

namespace rtindex::python {

// A batch of lookups from Python.
class Lookups {
 public:
  enum class Kind : std::uint8_t { points, ranges, neighbours, prefixes };

  [[nodiscard]] static Lookups points(const Column& keys) { return {Kind::points, keys}; }
  [[nodiscard]] static Lookups prefixes(const Column& strings) { return {Kind::prefixes, strings}; }
  // An end that is null is left out; without both there is one range, over everything. An end whose
  // fractions were rounded is part of its range, whatever `ends` says.
  [[nodiscard]] static Lookups ranges(const Column* lower, const Column* upper, Ends ends);
  [[nodiscard]] static Lookups neighbours(const Column& keys, const NearestOptions& nearest);

  [[nodiscard]] Kind kind() const { return kind_; }
  // The keys, the prefixes or the lower ends.
  [[nodiscard]] const Column* lower() const { return lower_ ? &*lower_ : nullptr; }
  [[nodiscard]] const Column* upper() const { return upper_ ? &*upper_ : nullptr; }
  [[nodiscard]] Ends ends() const { return ends_; }
  [[nodiscard]] const NearestOptions& nearest() const { return nearest_; }
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool on_device() const;
  // The lookups from `first` on.
  [[nodiscard]] Lookups slice(std::size_t first, std::size_t count) const;

 private:
  Lookups(Kind kind, std::optional<Column> lower) : kind_(kind), lower_(std::move(lower)) {}

  Kind kind_;
  std::optional<Column> lower_, upper_;
  Ends ends_ = Ends::closed;
  NearestOptions nearest_;
};

// Adjacent lookups of a batch, as views.
struct Part {
  OwnedView lower, upper;  // an end that is left out is a view of nothing
  std::size_t first = 0;   // the position of its first lookup in the batch
  std::size_t size = 0;
};

// The batch in parts that need no copy where its chunks are large.
[[nodiscard]] std::vector<Part> parts_of(const Lookups& lookups);
// The batch in one part.
[[nodiscard]] Part as_one_part(const Lookups& lookups);

// The answers of an index to one part of the lookups. ask_into() takes no prefixes.
[[nodiscard]] Answers ask(const Index& index, const Lookups& lookups, const Part& part,
                          const AnswerOptions& options);
void ask_into(const Index& index, const Lookups& lookups, const Part& part,
              const AnswerOptions& options, const Outputs& outputs);

}  // namespace rtindex::python
