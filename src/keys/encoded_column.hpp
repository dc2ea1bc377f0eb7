#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/array.hpp"
#include "file/stored.hpp"
#include "keys/interval.hpp"

namespace rtindex {

// An array of unsigned integers in 4 bytes each where all of them fit, else in 8.
class PackedKeys {
 public:
  PackedKeys() = default;
  PackedKeys(std::size_t size, std::uint64_t largest)
      : wide_(is_wide(largest)), narrow_keys_(wide_ ? 0 : size), wide_keys_(wide_ ? size : 0) {}
  // Keys of a file can have any value.
  PackedKeys(const FileReader& file, std::string_view name, std::size_t size, std::uint64_t largest)
      : wide_(is_wide(largest)) {
    if (wide_)
      wide_keys_ = file.array<std::uint64_t>(name, size);
    else
      narrow_keys_ = file.array<std::uint32_t>(name, size);
  }

  // The keys must outlive the writing of the file.
  void save(FileWriter& file, std::string_view name) const& {
    if (wide_)
      file.array(name, wide_keys_.span());
    else
      file.array(name, narrow_keys_.span());
  }
  void save(FileWriter& file, std::string_view name) && {
    if (wide_)
      file.array(name, std::move(wide_keys_));
    else
      file.array(name, std::move(narrow_keys_));
  }

  [[nodiscard]] std::size_t size() const { return wide_ ? wide_keys_.size() : narrow_keys_.size(); }
  [[nodiscard]] std::size_t bytes() const { return narrow_keys_.bytes() + wide_keys_.bytes(); }
  [[nodiscard]] bool wide() const { return wide_; }
  // Elements which[0], which[1], ...
  [[nodiscard]] PackedKeys selected(std::span<const std::uint32_t> which) const {
    PackedKeys some(which.size(), wide_ ? ~std::uint64_t{0} : 0);
    for (std::size_t i = 0; i < which.size(); ++i) some.set(i, (*this)[which[i]]);
    return some;
  }
  [[nodiscard]] std::uint64_t operator[](std::size_t i) const {
    return wide_ ? wide_keys_[i] : narrow_keys_[i];
  }
  [[nodiscard]] const void* address(std::size_t i) const {
    return wide_ ? static_cast<const void*>(wide_keys_.data() + i) : narrow_keys_.data() + i;
  }
  void set(std::size_t i, std::uint64_t key) {
    if (wide_)
      wide_keys_[i] = key;
    else
      narrow_keys_[i] = static_cast<std::uint32_t>(key);
  }
  [[nodiscard]] void* data() {
    return wide_ ? static_cast<void*>(wide_keys_.data()) : narrow_keys_.data();
  }
  [[nodiscard]] const void* data() const { return address(0); }
  [[nodiscard]] const std::uint32_t* narrow_data() const { return narrow_keys_.data(); }
  [[nodiscard]] const std::uint64_t* wide_data() const { return wide_keys_.data(); }

 private:
  bool wide_ = false;
  Array<std::uint32_t> narrow_keys_;
  Array<std::uint64_t> wide_keys_;
};

// The encoded keys of the valid rows of a column, in row order.
struct EncodedColumn {
  PackedKeys keys;
  PackedKeys ends;                 // of intervals, whose starts are the keys; else empty
  std::vector<PackedKeys> points;  // of a column of points, by column; there are no keys then
  Array<std::uint32_t> rows;       // the rowID of each key; empty where key i is row i (no nulls)
  std::size_t row_count = 0;       // of the column, nulls included
  std::uint64_t span = 0;          // no key is greater; keys start at 0
  bool merged_at_once = false;     // nothing searches it before it is merged with others

  [[nodiscard]] std::size_t size() const {
    return points.empty() ? keys.size() : points.front().size();
  }
  // Elements which[0], which[1], ..., with their rows.
  [[nodiscard]] EncodedColumn selected(std::span<const std::uint32_t> which) const {
    EncodedColumn some;
    some.row_count = row_count;
    some.span = span;
    if (keys.size() != 0) some.keys = keys.selected(which);
    if (ends.size() != 0) some.ends = ends.selected(which);
    for (const PackedKeys& column : points) some.points.push_back(column.selected(which));
    some.rows = Array<std::uint32_t>(which.size());
    for (std::size_t i = 0; i < which.size(); ++i) some.rows[i] = row(which[i]);
    return some;
  }
  [[nodiscard]] std::uint32_t row(std::size_t i) const {
    return rows.empty() ? static_cast<std::uint32_t>(i) : rows[i];
  }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t bytes = keys.bytes() + ends.bytes() + rows.bytes();
    for (const PackedKeys& column : points) bytes += column.bytes();
    return bytes;
  }
};

// For errors.
using KeyText = std::function<std::string(std::uint32_t row)>;

}  // namespace rtindex
