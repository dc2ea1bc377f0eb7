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
  // The column of a change as the index gets it, in host or device memory.
  using Place = std::function<ColumnView(const ColumnView& column)>;
  // Keys for a change of a table that looks like this now; they fit its shape.
  using NewKeys = std::function<std::vector<Key>(const TestColumn& now, std::size_t size, Random&)>;

  struct Options {
    std::uint64_t seed = 0;
    bool include = false;        // the values are kept by the index
    Place place = {};            // where they are, in host memory
    NewKeys new_keys = {};       // those of other rows, near and far ones and null
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
  [[nodiscard]] std::string difference(const Batch& batch, const TestColumn& values,
                                       const TestColumn& others);
  // Rows that a change may name, in any order.
  [[nodiscard]] std::vector<std::uint32_t> random_rows();
  [[nodiscard]] std::size_t random_size(std::size_t most);
  // A shape in which new keys may come.
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
  Index index_;
};

// The first rows of a workload: enough for changes, few enough for many of them.
[[nodiscard]] TestColumn some_rows(const std::string& workload, std::size_t rows = 120);

// Settings of an index that bear on updates.
[[nodiscard]] std::vector<std::string> update_specs(const std::string& index);

// Settings of an index with bounds on what waits for a merge: none, few keys and the usual one.
[[nodiscard]] std::vector<std::string> delta_specs(const std::string& index);

}  // namespace rtindex::test
