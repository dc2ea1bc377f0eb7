#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "support/random.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {

// An index that is updated, and the keys that it should hold.
class ChangingIndex {
 public:
  // How rows and keys of the host reach the index.
  using Send =
      std::function<void(Index&, const std::vector<std::uint32_t>& rows, const ColumnView& keys)>;

  ChangingIndex(const TestColumn& column, const std::string& spec, std::uint64_t seed,
                Send send = from_host);

  // "" where the index answers like a scan of the keys, else the first difference.
  [[nodiscard]] std::string difference();

  void update(const std::vector<std::uint32_t>& rows, const std::vector<Key>& new_keys,
              const Shape& shape);
  // Some rows get other keys: those of other rows, near or far ones, or null.
  void random_update();

 private:
  static void from_host(Index& index, const std::vector<std::uint32_t>& rows,
                        const ColumnView& keys);

  Shape shape_;
  std::vector<Key> keys_;
  Index index_;
  Send send_;
  Random random_;
  TestColumn values_;
};

// The first rows of a workload: enough for updates, few enough for many of them.
[[nodiscard]] TestColumn some_rows(const std::string& workload);

// Settings of an index that bear on updates.
[[nodiscard]] std::vector<std::string> update_specs(const std::string& index);

}  // namespace rtindex::test
