// Calls on host memory at once, with few pinned buffers, with keys that the host encodes, and with
// too little GPU memory.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/cuda/staging.hpp"
#include "base/cuda/transfer.hpp"
#include "engine/cuda/device_lookups.hpp"
#include "support/cuda/failing_memory.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/cuda/host_arrays.hpp"
#include "support/cuda/host_table.hpp"

namespace rtindex::test {
namespace {

using HostCalls = GpuTest;

TEST_F(HostCalls, RunOnSeveralThreadsAtOnce) {
  const Index index = build(known_table(TableKeys::repeated).keys(), "rx:native@cuda");
  const ColumnView values(known_table(TableKeys::repeated).values());
  std::vector<std::thread> threads;
  // More calls at once than there are large pinned buffers.
  for (std::size_t thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      const HostMemory memory = host_memories[thread % std::size(host_memories)];
      for (int round = 0; round < 2; ++round)
        expect_right(index, TableKeys::repeated,
                     thread % 2 == 0 ? QueryKind::equal : QueryKind::range, memory,
                     {HostMemory::pageable, memory}, values, 3 * small_piece + thread);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(HostCalls, DetectPinnedArrays) {
  constexpr std::size_t bytes = 1 << 20;
  for (const HostMemory memory : host_memories) {
    const HostBytes array(memory, bytes);
    const bool has_pinned_ends =
        memory != HostMemory::pageable && memory != HostMemory::half_registered;
    EXPECT_EQ(cuda::is_pinned(array.data(), bytes), has_pinned_ends) << name_of(memory);
  }
}

// All large blocks are in use: calls get small ones.
TEST_F(HostCalls, WorkWithFewPinnedBuffers) {
  const Index index = build(known_table(TableKeys::unique).keys(), "rx:native@cuda");
  const ColumnView values(known_table(TableKeys::unique).values());
  constexpr std::size_t max_blocks = cuda::Staging::pool_bytes / cuda::Staging::block_bytes;
  cuda::Staging all(max_blocks);
  for (std::size_t i = 0; i < max_blocks; ++i)
    ASSERT_EQ(all.room(cuda::Staging::block_bytes).size(), cuda::Staging::block_bytes);
  expect_right(index, TableKeys::unique, QueryKind::equal, HostMemory::pageable,
               {HostMemory::pageable}, values, 2 * small_piece + 1);
  const Index other = build(known_table(TableKeys::unique).keys(), "rx:native@cuda");
  expect_right(other, TableKeys::unique, QueryKind::range, HostMemory::pageable,
               {HostMemory::pinned, HostMemory::pageable}, values, small_piece + 1);
}

// Composite keys are encoded by the GPU where 64 bits hold them, else by the host.
TEST_F(HostCalls, EncodeCompositesInPieces) {
  const KnownTable& known = known_table(TableKeys::unique);
  const std::size_t size = 3 * cuda::piece_of(16 + 4) + 99;
  for (const std::uint64_t factor : {std::uint64_t{1}, std::uint64_t{0x9e3779b97f4a7c15}})
    for (const HostMemory memory : {HostMemory::pageable, HostMemory::pinned}) {
      const auto second_of = [&](std::uint32_t key) {
        return static_cast<std::int64_t>(key * factor);
      };
      const HostArray<std::uint32_t> keys(memory, known.keys().size());
      const HostArray<std::int64_t> seconds(memory, keys.size());
      for (std::size_t row = 0; row < keys.size(); ++row) {
        keys[row] = known.keys()[row];
        seconds[row] = second_of(keys[row]);
      }
      const Index index = build(
          ColumnView::composite({keys.view(Type::u32), seconds.view(Type::i64)}), "rx:native@cuda");
      const HostLookups lookups(memory, size, 2);
      const HostArray<std::int64_t> others(memory, size);
      for (std::size_t i = 0; i < size; ++i) others[i] = second_of(lookups.lower[i]);
      const HostArray<std::uint32_t> any(memory, size);
      index.answer_into(Query::equal(ColumnView::composite(
                            {lookups.lower.view(Type::u32), others.view(Type::i64)})),
                        {}, {.any = any.data()});
      for (std::size_t i = 0; i < size; ++i)
        ASSERT_EQ(any[i], known.wanted(QueryKind::equal, lookups.lower[i]).first) << i;
    }
}

// A call that fails in any of its pieces leaves nothing behind that reads or writes its arrays,
// which may be freed at once.
TEST_F(HostCalls, LeaveTheIndexUsableAfterAFailure) {
  const auto device = std::make_shared<FailingMemory>();
  {
    const Index index =
        build(known_table(TableKeys::unique).keys(), "rx:native@cuda", {.device_memory = device});
    const std::size_t held = device->used;
    const std::size_t size = 5 * cuda::piece_lookups;
    for (const HostMemory memory : {HostMemory::pinned, HostMemory::pageable})
      for (long allocations = 0;; ++allocations) {
        const HostLookups lookups(memory, size, 1);
        const HostArray<std::uint32_t> any(memory, size);
        device->left = allocations;
        bool failed = false;
        try {
          index.answer_into(Query::equal(lookups.lower.view(Type::u32)), {}, {.any = any.data()});
        } catch (const Error& error) {
          failed = true;
          ASSERT_EQ(error.kind(), ErrorKind::out_of_memory);
        }
        device->left = FailingMemory::unlimited;
        ASSERT_EQ(device->used, held);
        if (!failed) {
          EXPECT_GT(allocations, 5);
          for (std::size_t i = 0; i < size; ++i)
            ASSERT_EQ(
                any[i],
                known_table(TableKeys::unique).wanted(QueryKind::equal, lookups.lower[i]).first);
          break;
        }
      }
  }
  EXPECT_EQ(device->used, 0U);
}

}  // namespace
}  // namespace rtindex::test
