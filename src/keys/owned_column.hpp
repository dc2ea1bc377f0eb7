#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/column.hpp>

namespace rtindex {

// A column that owns its elements, for decoded keys and updates.
class OwnedColumn {
 public:
  OwnedColumn() = default;
  // `size` elements, all null until they are set.
  OwnedColumn(Type type, std::size_t size);
  static OwnedColumn composite(std::vector<OwnedColumn> parts);
  static OwnedColumn points(std::vector<OwnedColumn> columns);

  [[nodiscard]] ColumnView view() const;
  // Element `row` becomes element `from` of a column that can be compared with this one; a value
  // that this column's type cannot hold is an error.
  void set(std::size_t row, const ColumnView& source, std::size_t from);
  void set_valid(std::size_t row, bool valid);
  void set_all_valid() { std::fill(validity_.begin(), validity_.end(), std::uint8_t{0xff}); }

  template <class T>
  [[nodiscard]] T* data() {
    return reinterpret_cast<T*>(bytes_.data());
  }
  [[nodiscard]] std::string& string(std::size_t row) { return strings_[row]; }
  [[nodiscard]] std::vector<OwnedColumn>& parts() { return parts_; }

 private:
  Type type_ = Type::u64;
  bool are_points_ = false;
  std::size_t size_ = 0;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::string> strings_;
  std::vector<OwnedColumn> parts_;
  std::vector<std::uint8_t> validity_;
};

// The error that key i cannot become an element of a column of this type.
[[noreturn]] void fail_to_fit(const ColumnView& keys, std::size_t i, Type type);

}  // namespace rtindex
