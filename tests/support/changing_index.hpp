#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {

// An index that changes, and a plain table of what it should hold: the key and the value of every
// row. The key of an erased row is null, as nothing matches it.
class ChangingIndex {
 public:
  // Returns the column of a change as it is passed to the index, in host or device memory.
  using ToMemory = std::function<ColumnView(const ColumnView& column)>;
  // Returns keys for a change of a table with these keys; they fit its shape.
  using NewKeys = std::function<std::vector<Key>(const TestColumn& now, std::size_t size, Random&)>;

  struct Options {
    std::uint64_t seed = 0;
    bool include = false;        // the index includes the values
    ToMemory to_memory = {};     // by default in host memory
    NewKeys new_keys = {};       // by default keys of other rows, near and far keys, and nulls
    std::size_t max_rows = 700;  // the table grows slowly from here on
  };

  ChangingIndex(const TestColumn& column, const std::string& spec, const Options& options);

  [[nodiscard]] const Index& index() const { return index_; }
  [[nodiscard]] Index& index() { return index_; }
  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::vector<std::uint32_t> rows_not_erased() const;

  // "" where the index answers like a scan of the table, else the first difference.
  [[nodiscard]] std::string difference();

  // Each changes the index and, where it did not throw, the table.
  void insert(const std::vector<Key>& keys, const Shape& shape);
  void erase(const std::vector<std::uint32_t>& rows);
  void erase_keys(const std::vector<Key>& keys, const Shape& shape);
  void update(const std::vector<std::uint32_t>& rows, const std::vector<Key>& new_keys,
              const Shape& shape);
  void set_included(const std::vector<std::uint32_t>& rows, const std::vector<Key>& values);
  void merge() { index_.merge(); }

  // Some rows get other keys.
  void random_update();
  // Any of the changes, of any size.
  void random_change();

  // A table as this one is now, over a snapshot of the index, or over another index that should
  // answer like this one.
  [[nodiscard]] ChangingIndex snapshot() const { return {*this, index_.snapshot()}; }
  [[nodiscard]] ChangingIndex over(Index index) const { return {*this, std::move(index)}; }

 private:
  ChangingIndex(const ChangingIndex& other, Index index);

  [[nodiscard]] ColumnView placed(const ColumnView& column) const;
  [[nodiscard]] std::vector<Batch> batches(const TestColumn& now);
  [[nodiscard]] std::string difference(const Oracle& oracle, const Batch& all_rows,
                                       const TestColumn& values, const TestColumn& others);
  // Values of rows, of which some may be null.
  [[nodiscard]] TestColumn new_values(std::size_t size);
  // Rows for a change, in any order.
  [[nodiscard]] std::vector<std::uint32_t> random_rows();
  [[nodiscard]] std::size_t random_size(std::size_t max_size);
  // A shape for new keys.
  [[nodiscard]] Shape random_shape();
  // Keys that both the table and the shape can hold.
  [[nodiscard]] std::vector<Key> random_keys(std::size_t size, const Shape& shape);
  void replace_key(std::uint32_t row, const Key& key);

  Options options_;
  Random random_;
  Shape shape_;
  std::vector<Key> keys_;
  std::vector<Key> values_;
  std::vector<bool> erased_;
  std::vector<Key> old_keys_;  // some that rows had once
  Type value_type_;
  bool is_nullable_ = false;  // some values are null
  Index index_;
};

// The first rows of a workload: enough for changes, few enough for many of them.
[[nodiscard]] TestColumn some_rows(const std::string& workload, std::size_t rows = 120);

// Settings of an index that affect updates.
[[nodiscard]] std::vector<std::string> update_specs(const std::string& index);

// Settings of an index with limits of its delta: none, few keys and the default.
[[nodiscard]] std::vector<std::string> delta_specs(const std::string& index);

}  // namespace rtindex::test
