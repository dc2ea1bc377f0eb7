// Rows in the order of their keys on a GPU: of one and of several segments, with erased rows, with
// rows of equal keys that were updated, and with limits.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/cuda/runtime.hpp"
#include "support/changing_index.hpp"
#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

std::vector<std::string> ordered_specs() {
  std::vector<std::string> specs = {"rx:native@cuda", "sorted@cuda", "btree@cuda"};
  if (is_available("rx:optix@cuda")) specs.emplace_back("rx:optix@cuda,bucket=3");
  return specs;
}

std::vector<Key> few_keys(Type type, std::size_t size, Random& random) {
  std::vector<Key> keys;
  for (std::size_t i = 0; i < size; ++i) {
    const Whole key = random.between(0, 30) * (type == Type::u64 ? Whole{1} << 40 : 1);
    keys.push_back(random.one_in(20) ? Key{std::monostate{}} : Key{key});
  }
  return keys;
}

// The rows of each range, in order.
std::vector<std::vector<std::uint32_t>> scan_in_order(const std::vector<Key>& table,
                                                      const TestColumn& lower,
                                                      const TestColumn& upper, RowOrder order,
                                                      std::uint32_t limit) {
  std::vector<std::vector<std::uint32_t>> all;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    std::vector<std::uint32_t>& rows = all.emplace_back();
    if (is_null(lower.keys()[i]) || is_null(upper.keys()[i])) continue;
    for (std::uint32_t row = 0; row < table.size(); ++row)
      if (!is_null(table[row]) && compare(table[row], lower.keys()[i]) >= 0 &&
          compare(table[row], upper.keys()[i]) <= 0)
        rows.push_back(row);
    std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
      return compare(table[a], table[b]) < 0;
    });
    if (order == RowOrder::descending) std::reverse(rows.begin(), rows.end());
    if (rows.size() > limit) rows.resize(limit);
  }
  return all;
}

using RowLists = std::vector<std::vector<std::uint32_t>>;

RowLists lists_on_host(const Index& index, const TestColumn& lower, const TestColumn& upper,
                       const AnswerOptions& options) {
  AnswerOptions wanted = options;
  wanted.answers = Answer::rows | Answer::count;
  const Answers found = index.range(lower.view(), upper.view(), wanted);
  RowLists lists;
  for (std::size_t i = 0; i < lower.size(); ++i)
    lists.emplace_back(found.rows(i).begin(), found.rows(i).end());
  return lists;
}

RowLists lists_on_gpu(const Index& index, const TestColumn& lower, const TestColumn& upper,
                      const AnswerOptions& options) {
  const ColumnOnGpu low(lower.view());
  const ColumnOnGpu high(upper.view());
  const OnGpu offsets(8 * (lower.size() + 1));
  Outputs outputs;
  outputs.memory_space = MemorySpace::device;
  outputs.offsets = offsets.as<std::uint64_t>();
  index.answer_into(Query::range(low.view(), high.view()), options, outputs);
  const std::vector<std::uint64_t> starts = offsets.read<std::uint64_t>();
  const OnGpu rows(4 * starts.back());
  outputs.rows = rows.as<std::uint32_t>();
  outputs.rows_capacity = starts.back();
  index.answer_into(Query::range(low.view(), high.view()), options, outputs);
  const std::vector<std::uint32_t> all = rows.read<std::uint32_t>();
  RowLists lists;
  for (std::size_t i = 0; i < lower.size(); ++i)
    lists.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(starts[i]),
                       all.begin() + static_cast<std::ptrdiff_t>(starts[i + 1]));
  return lists;
}

using OrderedCase = std::tuple<std::string, Type>;

class OrderedDeviceRows : public GpuTestWithParam<OrderedCase> {};

TEST_P(OrderedDeviceRows, AreThoseOfASort) {
  const auto& [spec, type] = GetParam();
  Random random(17);
  const Shape shape{type};
  ChangingIndex table(TestColumn(shape, few_keys(type, 400, random)), spec, {.seed = 11});
  for (int change = 0; change < 8; ++change) {
    const TestColumn lower(shape, few_keys(type, 70, random));
    const TestColumn upper(shape, few_keys(type, 70, random));
    for (const RowOrder order : {RowOrder::ascending, RowOrder::descending})
      for (const std::uint32_t limit : {3U, no_limit}) {
        AnswerOptions options;
        options.order = order;
        options.limit = limit;
        const RowLists wanted = scan_in_order(table.keys(), lower, upper, order, limit);
        ASSERT_EQ(lists_on_host(table.index(), lower, upper, options), wanted) << change;
        ASSERT_EQ(lists_on_gpu(table.index(), lower, upper, options), wanted) << change;
      }
    // Updated rows get keys that newer rows have: merged, equal keys are not in the order of rows.
    if (change % 2 == 0) {
      std::vector<std::uint32_t> rows = table.rows_not_erased();
      random.shuffle(rows);
      rows.resize(std::min<std::size_t>(rows.size(), 60));
      std::vector<Key> keys;
      for (std::size_t i = 0; i < rows.size(); ++i)
        keys.push_back({random.between(0, 30) * (type == Type::u64 ? Whole{1} << 40 : 1)});
      table.update(rows, keys, shape);
    } else if (change % 4 == 1) {
      table.merge();
    } else {
      table.random_change();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cuda, OrderedDeviceRows,
                         testing::Combine(testing::ValuesIn(ordered_specs()),
                                          testing::Values(Type::u32, Type::u64)),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param)) + "_" +
                                  std::string(name_of(std::get<1>(item.param)));
                         });

}  // namespace
}  // namespace rtindex::test
