#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "support/key.hpp"

namespace rtindex::test {

// A column in two forms: the keys as plain values, for the oracle, and the same keys laid out in
// memory as a user would have them, for the library.
class TestColumn {
 public:
  TestColumn() : TestColumn(Shape{}, {}) {}
  // Every key must fit the shape. Rows with a null part get a validity bitmap.
  TestColumn(const Shape& shape, std::vector<Key> keys);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::size_t size() const { return keys_->size(); }
  [[nodiscard]] const std::vector<Key>& keys() const { return *keys_; }
  // Valid as long as this column or a copy of it exists.
  [[nodiscard]] ColumnView view() const;

 private:
  struct Storage;

  Shape shape_;
  // Copies share them: batches are copied often.
  std::shared_ptr<const std::vector<Key>> keys_;
  std::shared_ptr<const Storage> storage_;
};

// Columns of one part from plain values.
[[nodiscard]] TestColumn integers(Type type, std::span<const Whole> values);
[[nodiscard]] TestColumn floats(Type type, std::span<const double> values);
[[nodiscard]] TestColumn strings(std::span<const std::string> values,
                                 Layout layout = Layout::strings);

// A copy of a column in which every row with `is_null(row)` is null.
template <class Predicate>
[[nodiscard]] TestColumn with_nulls(const TestColumn& column, Predicate is_null) {
  std::vector<Key> keys = column.keys();
  for (std::size_t row = 0; row < keys.size(); ++row)
    if (is_null(row)) keys[row][row % keys[row].size()] = std::monostate{};
  return {column.shape(), std::move(keys)};
}

}  // namespace rtindex::test
