// Lookups, values and answers in pinned, registered and pageable host memory, in as many pieces as
// it takes, against answers that follow from the key.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/cuda/staging.hpp"
#include "engine/cuda/device_lookups.hpp"
#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/cuda/host_arrays.hpp"
#include "support/cuda/host_table.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

using HostCase = std::tuple<std::string, HostMemory>;

std::string case_name(const testing::TestParamInfo<HostCase>& item) {
  return test_name(std::get<0>(item.param)) + "_" + name_of(std::get<1>(item.param));
}

// Every memory with one index, and the two that differ most with all others.
std::vector<HostCase> host_cases() {
  std::vector<HostCase> cases;
  for (const HostMemory memory : host_memories) cases.emplace_back("rx:native@cuda", memory);
  for (const char* spec : {"sorted@cuda", "btree@cuda", "hash@cuda", "rx:optix@cuda"})
    for (const HostMemory memory : {HostMemory::pageable, HostMemory::pinned})
      cases.emplace_back(spec, memory);
  return cases;
}

class HostData : public GpuTestWithParam<HostCase> {
 protected:
  void SetUp() override {
    NeedsGpu::SetUp();
    if (!IsSkipped() && !is_available(spec())) GTEST_SKIP() << spec() << " is not available";
  }
  [[nodiscard]] static const std::string& spec() { return std::get<0>(GetParam()); }
  [[nodiscard]] static HostMemory memory() { return std::get<1>(GetParam()); }
};

TEST_P(HostData, IsLookedUpInPiecesOfAnySize) {
  for (const TableKeys keys : {TableKeys::unique, TableKeys::repeated}) {
    const Index index = build(known_table(keys).keys(), spec());
    const ColumnView values(known_table(keys).values());
    for (const QueryKind kind : {QueryKind::equal, QueryKind::range}) {
      if (!supports(index, Answer::sum, kind)) continue;
      for (const std::size_t size : {std::size_t{1}, std::size_t{1000}, std::size_t{70'001},
                                     small_piece - 1, small_piece, small_piece + 1})
        expect_right(index, keys, kind, memory(), {memory()}, values, size);
      if (keys == TableKeys::unique)
        expect_right(index, keys, kind, memory(), {memory()}, values, 4 * small_piece + 77);
    }
  }
}

TEST_P(HostData, MixesWithOtherMemory) {
  const Index index = build(known_table(TableKeys::repeated).keys(), spec());
  const std::vector<HostMemory> all(std::begin(host_memories), std::end(host_memories));
  const ColumnView values(known_table(TableKeys::repeated).values());
  const std::size_t size = 2 * small_piece + 5;
  for (const QueryKind kind : {QueryKind::equal, QueryKind::range}) {
    if (!supports(index, Answer::sum, kind)) continue;
    expect_right(index, TableKeys::repeated, kind, memory(), all, values, size);
    expect_right(index, TableKeys::repeated, kind, HostMemory::pageable, {memory()}, values, size);
    expect_right(index, TableKeys::repeated, kind, HostMemory::pinned,
                 {HostMemory::pageable, memory()}, values, size);
  }
}

TEST_P(HostData, AnswersPointsInFullPieces) {
  const Index index = build(known_table(TableKeys::unique).keys(), spec());
  for (const std::size_t size : {cuda::piece_lookups - 1, cuda::piece_lookups,
                                 cuda::piece_lookups + 1, 4 * cuda::piece_lookups + 4097}) {
    const HostLookups lookups(memory(), size, size);
    const HostArray<std::uint32_t> any(memory(), size);
    index.answer_into(Query::equal(lookups.lower.view(Type::u32)), {}, {.any = any.data()});
    for (std::size_t i = 0; i < size; ++i)
      ASSERT_EQ(any[i],
                known_table(TableKeys::unique).wanted(QueryKind::equal, lookups.lower[i]).first)
          << i << " of " << size;
  }
}

TEST_P(HostData, HoldsValues) {
  for (const TableKeys keys : {TableKeys::unique, TableKeys::repeated}) {
    const Index index = build(known_table(keys).keys(), spec());
    const HostArray<std::uint32_t> values(memory(), known_table(keys).values().size());
    std::copy(known_table(keys).values().begin(), known_table(keys).values().end(), values.data());
    for (const QueryKind kind : {QueryKind::equal, QueryKind::range})
      if (supports(index, Answer::sum, kind))
        expect_right(index, keys, kind, HostMemory::pageable, {memory()}, values.view(Type::u32),
                     (kind == QueryKind::equal ? small_piece : cuda::large_piece_lookups) + 100);
  }
}

TEST_P(HostData, ReturnsRows) {
  const Index index = build(known_table(TableKeys::repeated).keys(), spec());
  const KnownTable& known = known_table(TableKeys::repeated);
  for (const QueryKind kind : {QueryKind::equal, QueryKind::range}) {
    if (!supports(index, Answer::rows, kind)) continue;
    // Ranges have about 27 rows.
    const std::size_t size = kind == QueryKind::equal ? 2 * cuda::piece_lookups + 300 : 300'001;
    const HostLookups lookups(memory(), size, 4);
    const HostArray<std::uint64_t> offsets(memory(), size + 1);
    Outputs outputs{.offsets = offsets.data()};
    call_host(index, kind, lookups, {}, outputs);
    const std::size_t total = offsets[size];
    const HostArray<std::uint32_t> rows(memory(), total);
    outputs.rows = rows.data();
    outputs.rows_capacity = total;
    call_host(index, kind, lookups, {}, outputs);
    ASSERT_EQ(offsets[0], 0U);
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t lower = lookups.lower[i];
      ASSERT_EQ(offsets[i + 1] - offsets[i], known.wanted(kind, lower).count) << i;
      // Different rows of the range, as many as there are, are all of them.
      std::sort(rows.data() + offsets[i], rows.data() + offsets[i + 1]);
      for (std::size_t at = offsets[i]; at < offsets[i + 1]; ++at) {
        ASSERT_TRUE(is_row_of(known, kind, lower, rows[at])) << i;
        ASSERT_TRUE(at == offsets[i] || rows[at] != rows[at - 1]) << i;
      }
    }
  }
}

TEST_P(HostData, SkipsNulls) {
  const Index index = build(known_table(TableKeys::unique).keys(), spec());
  for (const std::size_t offset : {0, 3}) {
    const std::size_t size = cuda::piece_lookups + 1001;
    const HostLookups lookups(memory(), size, 9);
    const HostArray<std::uint8_t> validity(memory(), (offset + size + 7) / 8);
    for (std::size_t i = 0; i < validity.size(); ++i)
      validity[i] = static_cast<std::uint8_t>(i * 37);
    const HostArray<std::uint32_t> any(memory(), size);
    const ColumnView view = lookups.lower.view(Type::u32).with_validity(validity.data(), offset);
    index.answer_into(Query::equal(view), {}, {.any = any.data()});
    for (std::size_t i = 0; i < size; ++i) {
      const bool is_valid = (validity[(offset + i) / 8] >> ((offset + i) % 8) & 1) != 0;
      const std::uint32_t row =
          known_table(TableKeys::unique).wanted(QueryKind::equal, lookups.lower[i]).first;
      ASSERT_EQ(any[i], is_valid ? row : miss_row) << i;
    }
  }
}

TEST_P(HostData, HasNeighbours) {
  const Index index = build(known_table(TableKeys::unique).keys(), spec());
  if (!supports(index, Answer::any, QueryKind::nearest)) return;
  const KnownTable& known = known_table(TableKeys::unique);
  for (const std::size_t size : {std::size_t{500}, 3 * cuda::piece_lookups + 9}) {
    const HostLookups lookups(memory(), size, 5);
    const HostArray<std::uint32_t> any(memory(), size), key(HostMemory::pinned, size);
    const HostArray<std::uint8_t> matched(memory(), (size + 7) / 8);
    index.answer_into(
        Query::nearest(lookups.lower.view(Type::u32), {.direction = Direction::backward}), {},
        {.any = any.data(), .matched = matched.data(), .key = key.data()});
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t wanted = std::min(lookups.lower[i] / 3, known_keys - 1) * 3;
      ASSERT_LT(any[i], known.keys().size()) << i;
      ASSERT_EQ(known.keys()[any[i]], wanted) << i;
      ASSERT_EQ(key[i], wanted) << i;
      ASSERT_EQ(matched[i / 8] >> (i % 8) & 1, 1) << i;
    }
  }
}

TEST_P(HostData, IsJoined) {
  const Index index = build(known_table(TableKeys::unique).keys(), spec());
  const std::size_t size = cuda::piece_lookups + 31;
  const HostLookups lookups(memory(), size, 6);
  const OnGpu count(8), left(8 * size), right(4 * size);
  JoinOutputs pairs;
  pairs.memory_space = MemorySpace::device;
  pairs.count = count.as<std::uint64_t>();
  pairs.lookups = left.as<std::uint64_t>();
  pairs.rows = right.as<std::uint32_t>();
  pairs.capacity = size;
  index.join_into(Query::equal(lookups.lower.view(Type::u32)), JoinKind::left, pairs);
  require(cudaStreamSynchronize(nullptr));
  ASSERT_EQ(count.read<std::uint64_t>().front(), size);
  const std::vector<std::uint64_t> numbers = left.read<std::uint64_t>();
  const std::vector<std::uint32_t> rows = right.read<std::uint32_t>();
  for (std::size_t i = 0; i < size; ++i) {
    ASSERT_EQ(numbers[i], i);
    ASSERT_EQ(rows[i],
              known_table(TableKeys::unique).wanted(QueryKind::equal, lookups.lower[i]).first)
        << i;
  }
}

TEST_P(HostData, BuildsAndChangesAnIndex) {
  // More than the pinned buffers of a copy hold together.
  const std::size_t size = 4 * cuda::Staging::block_bytes / sizeof(std::uint32_t) + 123;
  const HostArray<std::uint32_t> keys(memory(), size), rows(memory(), size / 2),
      others(memory(), size / 2);
  for (std::size_t i = 0; i < size; ++i) keys[i] = static_cast<std::uint32_t>(i * 3);
  Index index = build(keys.view(Type::u32), spec());
  const HostArray<std::uint32_t> found(memory(), size);
  const auto expect_rows = [&] {
    index.answer_into(Query::equal(keys.view(Type::u32)), {}, {.any = found.data()});
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(found[i], i);
  };
  expect_rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<std::uint32_t>(2 * i);
    others[i] = ++keys[2 * i];
  }
  index.update(rows.view(Type::u32), others.view(Type::u32));
  expect_rows();
}

INSTANTIATE_TEST_SUITE_P(Cuda, HostData, testing::ValuesIn(host_cases()), case_name);

}  // namespace
}  // namespace rtindex::test
