#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rtindex/column.hpp>

namespace rtindex::python {

// Keeps the memory of a view alive.
using Owner = std::shared_ptr<const void>;

// A column from Python: one view per chunk of its memory, and the owners of that memory.
class Column {
 public:
  Column(Type type, std::string unit) : type_(type), unit_(std::move(unit)) {}

  // One more chunk.
  void append(ColumnView view) {
    size_ += view.size();
    pieces_.push_back(std::move(view));
  }
  void keep(Owner owner) { owners_.push_back(std::move(owner)); }

  [[nodiscard]] Type type() const { return type_; }
  // The unit of timestamps ("us"); of a composite, the units of its parts, separated by commas.
  [[nodiscard]] const std::string& unit() const { return unit_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::vector<ColumnView>& pieces() const { return pieces_; }
  [[nodiscard]] const std::vector<Owner>& owners() const { return owners_; }
  // Whether it is in device memory; then it has one chunk.
  [[nodiscard]] bool on_device() const {
    return !pieces_.empty() && pieces_.front().memory_space() == MemorySpace::device;
  }
  // The address of the first chunk; 0 for strings and composites.
  [[nodiscard]] std::size_t address() const;
  // Whether these are ends of ranges that were rounded to integers inside the ranges.
  [[nodiscard]] bool rounded() const { return rounded_; }
  void set_rounded(bool rounded) { rounded_ = rounded; }

 private:
  Type type_;
  std::string unit_;
  bool rounded_ = false;
  std::size_t size_ = 0;
  std::vector<ColumnView> pieces_;
  std::vector<Owner> owners_;
};

// A view, and the owners of memory that was allocated for it.
struct OwnedView {
  ColumnView view;
  std::vector<Owner> owners;
};

// The units of the parts of a composite, separated by commas; empty where no part has one.
[[nodiscard]] std::string joined_units(const std::vector<std::string>& units);
// The view with its unit, or the units of its parts, separated by commas.
[[nodiscard]] ColumnView with_units(const ColumnView& column, std::string_view units);

// The whole column as one view. One chunk is viewed in place; several are concatenated.
[[nodiscard]] OwnedView as_one_view(const Column& column);

// The column as batches of lookups: large chunks in place, small adjacent ones concatenated.
[[nodiscard]] std::vector<OwnedView> batches(const Column& column);

// A column of one element, `count` times.
[[nodiscard]] Column repeated(const Column& column, std::size_t count);

// What several columns of one length are side by side.
struct CompositeShape {
  std::optional<Ends> interval_ends = {};  // intervals
  bool are_points = false;
};
[[nodiscard]] Column composite(const std::vector<const Column*>& parts,
                               const CompositeShape& shape);

// How floats become lookups on a column of integers.
struct Rounding {
  int direction = 0;  // > 0: up, for lower ends of ranges; < 0: down, for upper ends; 0: not
  bool open = false;  // the end itself is not part of the range
  std::string rejection = {};  // a sentence about floats without an integer; empty: they are null
};

// Floats as lookups on an integer column of `type`. Ends of ranges become the first or last integer
// inside the range, those beyond the type are clamped. NaNs are null.
[[nodiscard]] Column whole_numbers(const Column& floats, Type type, const Rounding& rounding);

// How integers become those of another unit or scale: an element times multiplier / divisor.
struct Rescale {
  Type type;         // of the result: times, decimals or integers
  std::string unit;  // of the result
  int scale;         // of the result, where it is a decimal
  std::int64_t multiplier, divisor;
  Rounding rounding;  // of elements between two units; its text is not used
};

// The elements in another unit. Those between two units, or beyond the type, are null where
// `rounding` has no element for them; the first of these, with its position, is `rejected`.
struct Rescaled {
  Column column;
  std::optional<std::pair<std::size_t, std::int64_t>> rejected;
};
[[nodiscard]] Rescaled rescaled(const Column& column, const Rescale& rescale);

// The column with its NaNs as nulls.
[[nodiscard]] Column nan_as_null(const Column& column);

// An end of `size` ranges that excludes no key of the type: the smallest key, or the largest one.
[[nodiscard]] Column open_end(Type type, const std::string& unit, std::size_t size, bool upper);

// Copies `count` bits to `to`, from bit `to_bit` on; bits are counted from the least significant.
void copy_bits(const std::uint8_t* from, std::size_t count, std::uint8_t* to, std::size_t to_bit);

}  // namespace rtindex::python
