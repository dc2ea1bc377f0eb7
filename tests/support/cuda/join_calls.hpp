#pragma once

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "support/cuda/buffer.hpp"
#include "support/join_oracle.hpp"
#include "support/oracle.hpp"

namespace rtindex::test {

// The lookup of every pair of a join with these matches.
[[nodiscard]] inline std::vector<std::uint64_t> joined_lookups(const Matches& matches,
                                                               JoinKind how) {
  std::vector<std::uint64_t> lookups;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const bool is_matched = !matches[i].empty();
    std::size_t pairs = 0;
    switch (how) {
      case JoinKind::inner: pairs = matches[i].size(); break;
      case JoinKind::left: pairs = is_matched ? matches[i].size() : 1; break;
      case JoinKind::semi: pairs = is_matched ? 1 : 0; break;
      case JoinKind::anti: pairs = is_matched ? 0 : 1; break;
    }
    lookups.insert(lookups.end(), pairs, i);
  }
  return lookups;
}

// Expects a join in buffers for `capacity` pairs, or without buffers for none of them: the pairs
// that fit, nothing behind them, and the number of all.
inline void expect_join_in(MemorySpace space, const Index& index, const Query& query, JoinKind how,
                           JoinOrder order, const Matches& matches, std::size_t capacity) {
  SCOPED_TRACE(std::string(name_of(how)) + " join into " + std::string(name_of(space)) +
               " memory for " + std::to_string(capacity) + " pairs, order " +
               std::string(name_of(order)));
  const bool has_rows = how == JoinKind::inner || how == JoinKind::left;
  Buffer lookup_buffer(space, 8 * (capacity + 1)), row_buffer(space, 4 * (capacity + 1)),
      count_buffer(space, 8);
  JoinOutputs outputs;
  if (capacity != 0) outputs.lookups = lookup_buffer.as<std::uint64_t>();
  if (capacity != 0 && has_rows) outputs.rows = row_buffer.as<std::uint32_t>();
  outputs.capacity = capacity;
  outputs.count = count_buffer.as<std::uint64_t>();
  outputs.memory_space = space;
  index.join_into(query, how, outputs, {.order = order});
  require(cudaStreamSynchronize(nullptr));
  std::vector<std::uint64_t> wanted = joined_lookups(matches, how);
  ASSERT_EQ(count_buffer.read<std::uint64_t>().front(), wanted.size());
  const std::size_t written = std::min(wanted.size(), capacity);
  JoinedRows joined{lookup_buffer.read<std::uint64_t>(), row_buffer.read<std::uint32_t>()};
  for (std::size_t i = written; i <= capacity; ++i) {
    ASSERT_EQ(joined.lookups[i], unwritten<std::uint64_t>()) << "behind pair " << written;
    ASSERT_EQ(joined.rows[i], unwritten<std::uint32_t>()) << "behind pair " << written;
  }
  joined.lookups.resize(written);
  joined.rows.resize(has_rows ? written : 0);
  if (written == wanted.size()) {
    ASSERT_EQ(join_difference(joined, matches, how, order), "");
    return;
  }
  // The rows of a lookup come in any order: some of them, each once.
  wanted.resize(written);
  if (order == JoinOrder::lookups) {
    ASSERT_EQ(joined.lookups, wanted);
  }
  ASSERT_EQ(partial_join_difference(joined, matches, how), "");
}

// Expects the batches of a join in device memory, with nothing behind their pairs.
inline void expect_batches_on_device(const Index& index, const Query& query, JoinKind how,
                                     const Matches& matches, std::size_t max_pairs) {
  SCOPED_TRACE(std::string(name_of(how)) + " join in batches of " + std::to_string(max_pairs) +
               " in device memory");
  const bool has_rows = how == JoinKind::inner || how == JoinKind::left;
  JoinBatches batches(index, query, how, max_pairs, {.order = JoinOrder::any});
  JoinedRows joined;
  for (;;) {
    Buffer lookup_buffer(MemorySpace::device, 8 * (max_pairs + 1));
    Buffer row_buffer(MemorySpace::device, 4 * (max_pairs + 1));
    const std::optional<std::size_t> pairs =
        batches.next_into(lookup_buffer.as<std::uint64_t>(),
                          has_rows ? row_buffer.as<std::uint32_t>() : nullptr, MemorySpace::device);
    require(cudaStreamSynchronize(nullptr));
    if (!pairs) break;
    ASSERT_LE(*pairs, max_pairs);
    const auto lookups = lookup_buffer.read<std::uint64_t>();
    const auto rows = row_buffer.read<std::uint32_t>();
    ASSERT_EQ(lookups[max_pairs], unwritten<std::uint64_t>());
    ASSERT_EQ(rows[max_pairs], unwritten<std::uint32_t>());
    const auto end = static_cast<std::ptrdiff_t>(*pairs);
    joined.lookups.insert(joined.lookups.end(), lookups.begin(), lookups.begin() + end);
    if (has_rows) joined.rows.insert(joined.rows.end(), rows.begin(), rows.begin() + end);
  }
  ASSERT_EQ(join_difference(joined, matches, how, JoinOrder::any), "");
}

// Expects every kind of join with the rows that each lookup matches: at once, in batches, and into
// buffers of either memory space that are large enough or too small.
inline void expect_every_join(const Index& index, const Query& query, const Matches& matches) {
  SCOPED_TRACE(std::string(name_of(query.kind)) + " queries in " +
               std::string(name_of(query.memory_space())) + " memory");
  for (const JoinKind how : {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti}) {
    ASSERT_EQ(join_difference(index.join(query, how), matches, how), "");
    for (const std::size_t max_pairs : {std::size_t{50}, std::size_t{1000}}) {
      JoinedRows joined;
      index.join_batches(query, how, max_pairs, [&](const JoinedRows& batch) {
        EXPECT_LE(batch.lookups.size(), max_pairs);
        joined.lookups.insert(joined.lookups.end(), batch.lookups.begin(), batch.lookups.end());
        joined.rows.insert(joined.rows.end(), batch.rows.begin(), batch.rows.end());
      });
      ASSERT_EQ(join_difference(joined, matches, how), "") << "in batches of " << max_pairs;
    }
    for (const std::size_t max_pairs : {std::size_t{50}, std::size_t{1000}}) {
      expect_batches_on_device(index, query, how, matches, max_pairs);
      if (testing::Test::HasFatalFailure()) return;
    }
    const std::size_t pairs = joined_lookups(matches, how).size();
    for (const MemorySpace space : memory_spaces)
      for (const JoinOrder order : {JoinOrder::lookups, JoinOrder::any})
        for (const std::size_t capacity : {pairs, pairs / 2, std::size_t{0}, pairs + 3}) {
          expect_join_in(space, index, query, how, order, matches, capacity);
          if (testing::Test::HasFatalFailure()) return;
        }
  }
}

}  // namespace rtindex::test
