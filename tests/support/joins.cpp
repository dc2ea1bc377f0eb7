#include "support/joins.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "support/join_oracle.hpp"

namespace rtindex::test {

namespace {

// More of them take long.
constexpr std::size_t max_batches = 1000;

void append(JoinedRows& joined, const JoinedRows& batch) {
  joined.lookups.insert(joined.lookups.end(), batch.lookups.begin(), batch.lookups.end());
  joined.rows.insert(joined.rows.end(), batch.rows.begin(), batch.rows.end());
}

// All batches, from next() or into buffers.
JoinedRows joined_in_batches(JoinBatches batches, std::size_t max_pairs, bool into_buffers) {
  JoinedRows joined;
  if (!into_buffers) {
    while (const auto batch = batches.next()) {
      EXPECT_LE(batch->lookups.size(), max_pairs);
      append(joined, *batch);
    }
    return joined;
  }
  JoinedRows buffers{std::vector<std::uint64_t>(max_pairs), std::vector<std::uint32_t>(max_pairs)};
  while (const auto count =
             batches.next_into(buffers.lookups.data(), buffers.rows.data(), MemorySpace::host)) {
    EXPECT_LE(*count, max_pairs);
    append(
        joined,
        {{buffers.lookups.begin(), buffers.lookups.begin() + static_cast<std::ptrdiff_t>(*count)},
         {buffers.rows.begin(), buffers.rows.begin() + static_cast<std::ptrdiff_t>(*count)}});
  }
  return joined;
}

constexpr JoinKind every_join[] = {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti};
constexpr JoinOrder every_order[] = {JoinOrder::lookups, JoinOrder::any};

std::string join_text(const Query& query, JoinKind how, JoinOrder order) {
  return std::string(name_of(query.kind)) + " " + std::string(name_of(how)) + ", order " +
         std::string(name_of(order));
}

void expect_at_once(const Index& index, const Query& query, JoinKind how, JoinOrder order,
                    const Matches& matches) {
  EXPECT_EQ(join_difference(index.join(query, how, {.order = order}), matches, how, order), "");
}

// Into buffers, and in batches.
void expect_other_forms(const Index& index, const Query& query, JoinKind how, JoinOrder order,
                        const Matches& matches) {
  const JoinOptions options{.order = order};
  const JoinedRows all = joined_into(index, query, how, options);
  const std::size_t pairs = all.lookups.size();
  EXPECT_EQ(join_difference(all, matches, how, order), "") << "into buffers";
  EXPECT_EQ(partial_join_difference(joined_into(index, query, how, options, 2), matches, how), "")
      << "into buffers that are too small";
  for (const std::size_t max_pairs : {std::size_t{1}, std::size_t{7}, std::size_t{5000}}) {
    if (pairs / max_pairs > max_batches) continue;
    JoinBatches batches(index, query, how, max_pairs, options);
    const JoinedRows joined = joined_in_batches(std::move(batches), max_pairs, false);
    EXPECT_EQ(join_difference(joined, matches, how, order), "") << "in batches of " << max_pairs;
  }
  if (how == JoinKind::semi || how == JoinKind::anti || pairs / 7 > max_batches) return;
  JoinBatches batches(index, query, how, 7, options);
  EXPECT_EQ(join_difference(joined_in_batches(std::move(batches), 7, true), matches, how, order),
            "")
      << "in batches into buffers";
}

}  // namespace

JoinedRows joined_into(const Index& index, const Query& query, JoinKind how,
                       const JoinOptions& options, std::size_t part) {
  std::uint64_t count = 0;
  index.join_into(query, how, {.count = &count}, options);
  const std::size_t capacity = count / part;
  JoinedRows joined{std::vector<std::uint64_t>(capacity), {}};
  if (how == JoinKind::inner || how == JoinKind::left) joined.rows.resize(capacity);
  std::uint64_t again = 0;
  index.join_into(query, how,
                  {.lookups = joined.lookups.data(),
                   .rows = joined.rows.data(),
                   .capacity = capacity,
                   .count = &again},
                  options);
  EXPECT_EQ(count, again);
  return joined;
}

void expect_joins(const Index& index, const Query& query, const Matches& matches) {
  for (const JoinKind how : every_join)
    for (const JoinOrder order : every_order) {
      SCOPED_TRACE(join_text(query, how, order));
      expect_at_once(index, query, how, order, matches);
      expect_other_forms(index, query, how, order, matches);
    }
}

void expect_some_joins(const Index& index, const Query& query, const Matches& matches,
                       Random& random) {
  const std::size_t chosen = random.below(std::size(every_join) * std::size(every_order));
  std::size_t number = 0;
  for (const JoinKind how : every_join)
    for (const JoinOrder order : every_order) {
      SCOPED_TRACE(join_text(query, how, order));
      expect_at_once(index, query, how, order, matches);
      if (number++ == chosen) expect_other_forms(index, query, how, order, matches);
    }
}

}  // namespace rtindex::test
