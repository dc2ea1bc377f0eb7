// Composite lookups whose parts lie in device memory: points, prefixes, ranges with open ends and
// neighbours, against a full scan.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/cuda/runtime.hpp"
#include "support/changing_index.hpp"
#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/cuda/neighbour_scan.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

// A composite column of the host, part by part on the GPU; the first `parts` of them.
class TuplesOnGpu {
 public:
  TuplesOnGpu(const ColumnView& column, std::size_t parts) {
    std::vector<ColumnView> views;
    for (const ColumnView& part : column.parts().subspan(0, parts))
      views.push_back(columns_.emplace_back(part).view());
    view_ = ColumnView::composite(std::move(views));
  }
  [[nodiscard]] const ColumnView& view() const { return view_; }

 private:
  std::vector<ColumnOnGpu> columns_;
  ColumnView view_;
};

// Two parts that fit 64 bits, or three that do not.
Shape tuple_shape(bool is_packed) {
  if (is_packed) return {Type::composite, {}, {{Type::u32}, {Type::i32}}};
  return {Type::composite, {}, {{Type::u64}, {Type::i64}, {Type::f64}}};
}

std::vector<Key> random_tuples(const Shape& shape, std::size_t size, Random& random) {
  std::vector<Key> keys;
  for (std::size_t i = 0; i < size; ++i) {
    Key key;
    for (const Shape& part : shape.parts) {
      if (part.type == Type::f64)
        key.emplace_back(static_cast<double>(random.below(12)) / 4);
      else if (random.one_in(15))
        key.emplace_back(random.one_in(2) ? smallest_of(part.type) : largest_of(part.type));
      else
        key.emplace_back(random.between(smallest_of(part.type) < 0 ? -6 : 0, 6));
    }
    if (random.one_in(30)) key[random.below(key.size())] = std::monostate{};
    keys.push_back(key);
  }
  return keys;
}

// How the first parts of a key compare.
int compare_prefix(const Key& key, const Key& prefix, std::size_t parts) {
  const auto cut = [&](const Key& from) {
    return Key(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(parts));
  };
  return compare(cut(key), cut(prefix));
}

bool begins_null(const Key& key, std::size_t parts) {
  return std::any_of(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(parts),
                     [](const Part& part) { return std::holds_alternative<std::monostate>(part); });
}

struct TupleCase {
  std::string spec;
  bool is_packed;
};

class DeviceComposites : public GpuTestWithParam<TupleCase> {};

std::vector<std::uint32_t> counts_on_gpu(const Index& index, const ColumnView& lower,
                                         const ColumnView& upper, Ends ends, std::size_t n) {
  const OnGpu count(4 * n);
  Outputs outputs;
  outputs.memory_space = MemorySpace::device;
  outputs.count = count.as<std::uint32_t>();
  index.answer_into(Query::range(lower, upper, ends), {}, outputs);
  require(cudaStreamSynchronize(nullptr));
  return count.read<std::uint32_t>();
}

// Ranges between prefixes of every length, one of which may be left out.
void expect_ranges(const ChangingIndex& table, Random& random) {
  const Shape& shape = table.shape();
  const TestColumn low(shape, random_tuples(shape, 60, random));
  const TestColumn high(shape, random_tuples(shape, 60, random));
  const std::size_t most = shape.parts.size();
  for (std::size_t low_parts = 0; low_parts <= most; ++low_parts)
    for (std::size_t high_parts = low_parts == 0 ? 1 : 0; high_parts <= most; ++high_parts)
      for (const Ends ends : {Ends::closed, Ends::right_open, Ends::left_open, Ends::open}) {
        const bool lower_open = ends == Ends::left_open || ends == Ends::open;
        const bool upper_open = ends == Ends::right_open || ends == Ends::open;
        std::vector<std::uint32_t> wanted;
        for (std::size_t i = 0; i < low.size(); ++i) {
          const Key& from = low.keys()[i];
          const Key& to = high.keys()[i];
          const bool is_null_range = begins_null(from, low_parts) || begins_null(to, high_parts);
          const auto inside = [&](const Key& key) {
            if (is_null(key) || is_null_range) return false;
            const int above = low_parts == 0 ? 1 : compare_prefix(key, from, low_parts);
            const int below = high_parts == 0 ? -1 : compare_prefix(key, to, high_parts);
            return above >= (lower_open ? 1 : 0) && below <= (upper_open ? -1 : 0);
          };
          wanted.push_back(static_cast<std::uint32_t>(
              std::count_if(table.keys().begin(), table.keys().end(), inside)));
        }
        const TuplesOnGpu lower(low.view(), std::max<std::size_t>(low_parts, 1));
        const TuplesOnGpu upper(high.view(), std::max<std::size_t>(high_parts, 1));
        const ColumnView none;
        ASSERT_EQ(counts_on_gpu(table.index(), low_parts == 0 ? none : lower.view(),
                                high_parts == 0 ? none : upper.view(), ends, low.size()),
                  wanted)
            << low_parts << " to " << high_parts << " parts " << name_of(ends);
      }
}

// Without nulls, kernels read pairs of integers as they are.
void expect_neighbours_of_tuples(const ChangingIndex& table, bool with_nulls, Random& random) {
  const Shape& shape = table.shape();
  std::vector<Key> given = random_tuples(shape, 100, random);
  if (!with_nulls) std::erase_if(given, is_null);
  const TestColumn lookups(shape, given);
  const TuplesOnGpu keys(lookups.view(), shape.parts.size());
  const std::size_t n = lookups.size();
  for (const NearestOptions& options : every_nearest(shape.parts.back().type == Type::f64)) {
    std::vector<std::uint32_t> wanted, counts;
    for (const Key& key : lookups.keys()) {
      wanted.push_back(scan_neighbour(table.keys(), key, options));
      const std::uint32_t row = wanted.back();
      counts.push_back(static_cast<std::uint32_t>(
          row == miss_row
              ? 0
              : std::count_if(table.keys().begin(), table.keys().end(), [&](const Key& other) {
                  return !is_null(other) && compare(other, table.keys()[row]) == 0;
                })));
    }
    const OnGpu any(4 * n), count(4 * n);
    for (const bool alone : {true, false}) {
      Outputs outputs;
      outputs.memory_space = MemorySpace::device;
      outputs.any = any.as<std::uint32_t>();
      if (!alone) outputs.count = count.as<std::uint32_t>();
      table.index().answer_into(Query::nearest(keys.view(), options), {}, outputs);
      require(cudaStreamSynchronize(nullptr));
      ASSERT_EQ(any.read<std::uint32_t>(), wanted) << text_of(options);
    }
    ASSERT_EQ(count.read<std::uint32_t>(), counts) << text_of(options);
    // Answers for the host, of lookups in either memory.
    for (const ColumnView& from : {lookups.view(), keys.view()}) {
      const Answers found = table.index().nearest(from, options, {.answers = Answer::any});
      ASSERT_EQ(std::vector(found.any().begin(), found.any().end()), wanted) << text_of(options);
    }
  }
}

TEST_P(DeviceComposites, AnswerLikeAScan) {
  const auto& [spec, is_packed] = GetParam();
  Random random(is_packed ? 91 : 92);
  const Shape shape = tuple_shape(is_packed);
  ChangingIndex table(TestColumn(shape, random_tuples(shape, 300, random)), spec, {.seed = 3});
  for (int change = 0; change < 4; ++change) {
    expect_ranges(table, random);
    if (HasFatalFailure()) return;
    for (const bool with_nulls : {true, false}) {
      expect_neighbours_of_tuples(table, with_nulls, random);
      if (HasFatalFailure()) return;
    }
    table.random_change();
  }
}

std::vector<TupleCase> tuple_cases() {
  std::vector<TupleCase> cases;
  for (const char* const spec : {"rx:native@cuda", "sorted@cuda", "btree@cuda,group=4"})
    for (const bool is_packed : {true, false}) cases.push_back({spec, is_packed});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cuda, DeviceComposites, testing::ValuesIn(tuple_cases()),
                         [](const auto& item) {
                           return test_name(item.param.spec) +
                                  (item.param.is_packed ? "_packed" : "_lossy");
                         });

using DeviceCompositeColumns = GpuTest;

// Columns of device parts: built, inserted, looked up and erased.
TEST_F(DeviceCompositeColumns, AreBuiltOver) {
  Random random(5);
  const Shape shape = tuple_shape(true);
  const TestColumn first(shape, random_tuples(shape, 80, random));
  const TestColumn more(shape, random_tuples(shape, 40, random));
  std::vector<Key> keys = first.keys();
  keys.insert(keys.end(), more.keys().begin(), more.keys().end());
  for (const char* const spec : {"rx:native@cuda", "hash@cuda"}) {
    Index index = build(TuplesOnGpu(first.view(), 2).view(), spec);
    EXPECT_EQ(index.insert(TuplesOnGpu(more.view(), 2).view()), 80U);
    const TestColumn lookups(shape, random_tuples(shape, 200, random));
    const TuplesOnGpu on_gpu(lookups.view(), 2);
    const Answers found = index.lookup(on_gpu.view(), Answer::count);
    const Matches wanted = scan(keys, points(lookups));
    for (std::size_t i = 0; i < lookups.size(); ++i)
      ASSERT_EQ(found.count()[i], wanted[i].size()) << i;
    EXPECT_NE(index.erase_keys(on_gpu.view()), 0U);
    const Answers left = index.lookup(on_gpu.view(), Answer::count);
    for (std::size_t i = 0; i < lookups.size(); ++i) ASSERT_EQ(left.count()[i], 0U) << i;
  }
}

}  // namespace
}  // namespace rtindex::test
