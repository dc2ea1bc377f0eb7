#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <rtindex/column.hpp>

namespace rtindex::python {

// What keeps the memory behind a view alive.
using Owner = std::shared_ptr<const void>;

// A column that came from Python: views of memory where it lies, one per chunk, and its owners.
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
  // What the ticks of timestamps are ("us"); of a composite, those of its parts between commas.
  [[nodiscard]] const std::string& unit() const { return unit_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::vector<ColumnView>& pieces() const { return pieces_; }
  [[nodiscard]] const std::vector<Owner>& owners() const { return owners_; }
  // Whether it lies in the memory of a GPU; then it has one chunk.
  [[nodiscard]] bool on_device() const {
    return !pieces_.empty() && pieces_.front().memory_space() == MemorySpace::device;
  }
  // Where the first chunk lies, as a number; 0 for strings and composites.
  [[nodiscard]] std::size_t address() const;

 private:
  Type type_;
  std::string unit_;
  std::size_t size_ = 0;
  std::vector<ColumnView> pieces_;
  std::vector<Owner> owners_;
};

// A view, and what was made to lay it out.
struct Laid {
  ColumnView view;
  std::vector<Owner> owners;
};

// The whole column in one view. One chunk is viewed where it lies; several are laid together.
[[nodiscard]] Laid whole(const Column& column);

// The column as batches of lookups: chunks as they lie, where they are large enough to be worth a
// call of their own, and neighbours laid together where they are small.
[[nodiscard]] std::vector<Laid> batches(const Column& column);

// Several columns of one length as one of tuples.
[[nodiscard]] Column composite(const std::vector<const Column*>& parts);

// Days as the other kind of days: timestamps in days as dates, dates as timestamps in days.
[[nodiscard]] Column converted_days(const Column& column);

// Copies `count` bits to `to`, from bit `to_bit` on; bits are counted from the least significant.
void copy_bits(const std::uint8_t* from, std::size_t count, std::uint8_t* to, std::size_t to_bit);

}  // namespace rtindex::python
