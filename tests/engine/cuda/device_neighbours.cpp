// Neighbours of native keys on a GPU, with lookups and answers in host and in device memory, in
// indexes of several segments and with erased rows, against a full scan.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/cuda/runtime.hpp"
#include "support/changing_index.hpp"
#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/cuda/neighbour_scan.hpp"
#include "support/lookups.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

// Indexes that keep their keys in order.
std::vector<std::string> neighbour_specs() {
  std::vector<std::string> specs = {"rx:native@cuda", "rx:native@cuda,delta=0", "sorted@cuda",
                                    "btree@cuda", "btree@cuda,group=16"};
  if (is_available("rx:optix@cuda")) specs.emplace_back("rx:optix@cuda,bucket=3");
  return specs;
}

const std::vector<Type>& neighbour_types() {
  static const std::vector<Type> types = {Type::u32, Type::i32,    Type::u64,
                                          Type::i64, Type::f32,    Type::f64,
                                          Type::u8,  Type::date32, Type::timestamp64};
  return types;
}

bool is_real(Type type) { return type == Type::f32 || type == Type::f64; }

// Few values, so that many rows have one key, and those at the ends of the type.
Key neighbour_key(Type type, Random& random) {
  if (is_real(type)) {
    const double infinity = std::numeric_limits<double>::infinity();
    if (random.one_in(12))
      return {random.pick(std::vector<double>{-infinity, infinity, std::nan(""), -0.0, 0.0})};
    return {static_cast<double>(random.below(40)) / 4 - 5};
  }
  if (random.one_in(12)) return {random.one_in(2) ? smallest_of(type) : largest_of(type)};
  const Whole low = smallest_of(type) < 0 ? -20 : 0;
  return {random.between(low, 40)};
}

std::vector<Key> neighbour_keys(Type type, std::size_t size, Random& random) {
  std::vector<Key> keys;
  for (std::size_t i = 0; i < size; ++i)
    keys.push_back(random.one_in(25) ? Key{std::monostate{}} : neighbour_key(type, random));
  return keys;
}

// The neighbours of all lookups as rows of the table.
std::vector<std::uint32_t> scan_all(const std::vector<Key>& table, const TestColumn& lookups,
                                    const NearestOptions& options) {
  std::vector<std::uint32_t> rows;
  for (const Key& key : lookups.keys()) rows.push_back(scan_neighbour(table, key, options));
  return rows;
}

std::size_t rows_with(const std::vector<Key>& table, const Key& key) {
  return static_cast<std::size_t>(std::count_if(table.begin(), table.end(), [&](const Key& other) {
    return !is_null(other) && compare(other, key) == 0;
  }));
}

void expect_keys(const ColumnView& keys, const std::vector<Key>& table,
                 const std::vector<std::uint32_t>& rows, const std::string& what) {
  ASSERT_EQ(keys.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(keys.valid(i), rows[i] != miss_row) << what << " " << i;
    if (rows[i] == miss_row) continue;
    const TestColumn wanted(Shape{keys.type()}, {table[rows[i]]});
    const std::string text = wanted.view().text(0);
    // -0 comes back as +0.
    ASSERT_EQ(keys.text(i), text == "-0" ? "0" : text) << what << " " << i;
  }
}

void expect_on_host(const ChangingIndex& table, const TestColumn& lookups,
                    const NearestOptions& options, const ColumnView& keys) {
  const std::string what = text_of(options);
  const std::vector<std::uint32_t> wanted = scan_all(table.keys(), lookups, options);
  const Answers found = table.index().nearest(
      keys, options, {.answers = Answer::any | Answer::key | Answer::count, .matched = true});
  ASSERT_EQ(std::vector(found.any().begin(), found.any().end()), wanted) << what;
  expect_keys(found.keys(), table.keys(), wanted, what);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool is_found = wanted[i] != miss_row;
    ASSERT_EQ(found.matched(i), is_found) << what << " " << i;
    ASSERT_EQ(found.count()[i], is_found ? rows_with(table.keys(), table.keys()[wanted[i]]) : 0)
        << what << " " << i;
  }
}

void expect_on_gpu(const ChangingIndex& table, const TestColumn& lookups,
                   const NearestOptions& options, const ColumnView& keys) {
  const std::string what = text_of(options) + " on the GPU";
  const std::size_t n = lookups.size();
  const Type type = table.shape().type;
  const std::vector<std::uint32_t> wanted = scan_all(table.keys(), lookups, options);
  const OnGpu any(4 * n), key(width_of(type) * n), count(4 * n), matched((n + 7) / 8);
  // Rows alone are written by the search itself.
  for (const bool alone : {true, false}) {
    Outputs outputs;
    outputs.memory_space = MemorySpace::device;
    outputs.any = any.as<std::uint32_t>();
    if (!alone) {
      outputs.key = key.data();
      outputs.count = count.as<std::uint32_t>();
      outputs.matched = matched.as<std::uint8_t>();
    }
    table.index().answer_into(Query::nearest(keys, options), {}, outputs);
    require(cudaStreamSynchronize(nullptr));
    ASSERT_EQ(any.read<std::uint32_t>(), wanted) << what;
  }
  const std::vector<std::uint8_t> bits = matched.read<std::uint8_t>();
  const std::vector<std::uint8_t> elements = key.read<std::uint8_t>();
  expect_keys(ColumnView::of(type, elements.data(), n).with_validity(bits.data()), table.keys(),
              wanted, what);
  const std::vector<std::uint32_t> counts = count.read<std::uint32_t>();
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_EQ(counts[i],
              wanted[i] == miss_row ? 0 : rows_with(table.keys(), table.keys()[wanted[i]]))
        << what << " " << i;
}

using NeighbourCase = std::tuple<std::string, Type>;

class DeviceNeighbours : public GpuTestWithParam<NeighbourCase> {};

TEST_P(DeviceNeighbours, MatchTheScan) {
  const auto& [spec, type] = GetParam();
  Random random(static_cast<std::uint64_t>(type) + 31);
  const Shape shape{type};
  ChangingIndex table(TestColumn(shape, neighbour_keys(type, 150, random)), spec, {.seed = 7});
  ASSERT_TRUE(table.index().supports(Answer::any, QueryKind::nearest));
  for (int change = 0; change < 6; ++change) {
    // With nulls, which kernels do not read as elements, and without.
    TestColumn lookups(shape, neighbour_keys(type, 200, random));
    std::vector<Key> valid = lookups.keys();
    std::erase_if(valid, is_null);
    for (const TestColumn& batch : {lookups, TestColumn(shape, valid), TestColumn(shape, {})}) {
      const ColumnOnGpu on_gpu(batch.view());
      for (const NearestOptions& options : every_nearest(is_real(type))) {
        expect_on_host(table, batch, options, batch.view());
        expect_on_gpu(table, batch, options, on_gpu.view());
        if (HasFatalFailure()) return;
      }
    }
    expect_on_host(table, lookups, {}, ColumnOnGpu(lookups.view()).view());
    expect_on_gpu(table, lookups, {}, lookups.view());
    if (HasFatalFailure()) return;
    change % 3 == 2 ? table.merge() : table.random_change();
  }
}

INSTANTIATE_TEST_SUITE_P(Cuda, DeviceNeighbours,
                         testing::Combine(testing::ValuesIn(neighbour_specs()),
                                          testing::ValuesIn(neighbour_types())),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param)) + "_" +
                                  std::string(name_of(std::get<1>(item.param)));
                         });

using NeighboursInLongRuns = GpuTest;

// Most rows of each key are erased.
TEST_F(NeighboursInLongRuns, AreFoundBehindErasedRows) {
  constexpr std::uint32_t size = 200'000;
  std::vector<std::uint64_t> keys(size);
  for (std::uint32_t row = 0; row < size; ++row) keys[row] = std::uint64_t{row % 5} << 40;
  for (const std::string& spec : neighbour_specs()) {
    Index index = build(keys, spec);
    std::vector<std::uint32_t> erased;
    for (std::uint32_t row = 0; row < size; ++row)
      if (row % 5 == 3 || (row > 10 && row < size - 10)) erased.push_back(row);
    index.erase(erased);
    const std::vector<std::uint64_t> lookups = {0, std::uint64_t{1} << 40, std::uint64_t{3} << 40,
                                                (std::uint64_t{4} << 40) + 1, ~std::uint64_t{0}};
    const auto rows = [&](Direction direction) {
      const Answers found = index.nearest(lookups, {.direction = direction});
      return std::vector(found.any().begin(), found.any().end());
    };
    // Rows 0 to 10 and the last ten are left, but for those with the fourth key.
    EXPECT_EQ(rows(Direction::backward),
              (std::vector<std::uint32_t>{size - 5, size - 4, size - 3, size - 1, size - 1}))
        << spec;
    EXPECT_EQ(rows(Direction::forward), (std::vector<std::uint32_t>{0, 1, 4, miss_row, miss_row}))
        << spec;
  }
}

}  // namespace
}  // namespace rtindex::test
