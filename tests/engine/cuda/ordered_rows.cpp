// Rows in the order of their keys on a GPU, into buffers of the host and of the device: of
// integers, strings and composites, of one and of two segments, with erased and updated rows, with
// limits and with buffers that are too small.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/cuda/runtime.hpp"
#include "support/changing_index.hpp"
#include "support/cuda/buffer.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/description.hpp"
#include "support/interval_oracle.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

// A column of few keys, each of which many rows hold.
struct OrderedColumn {
  std::string name;
  Shape shape;
  std::function<Key(Random&)> key;
};

std::string letters(Random& random, std::size_t max_size) {
  std::string text;
  for (std::size_t size = random.below(max_size + 1); text.size() < size;)
    text += random.pick(std::vector<char>{'\0', 'a', 'b', '\xff'});
  return text;
}

std::vector<OrderedColumn> ordered_columns() {
  const auto number = [](Random& random, Whole step) { return Part{random.between(0, 5) * step}; };
  return {
      {"u32", {Type::u32}, [](Random& random) { return Key{random.between(0, 30)}; }},
      {"u64",
       {Type::u64},
       [](Random& random) { return Key{random.between(0, 30) * (Whole{1} << 40)}; }},
      {"short_strings", {Type::string}, [](Random& random) { return Key{letters(random, 3)}; }},
      {"long_strings",
       {Type::string, Layout::offsets32},
       [](Random& random) {
         return Key{random.pick(std::vector<std::string>{"the same beginning", "another one"}) +
                    letters(random, 2) + "and more bytes than an encoded key" + letters(random, 2)};
       }},
      {"pairs",
       {Type::composite, {}, {{Type::u32}, {Type::i32}}},
       [number](Random& random) {
         return Key{number(random, 1), number(random, -1)};
       }},
      {"wide_triples",
       {Type::composite, {}, {{Type::u64}, {Type::i64}, {Type::f64}}},
       [number](Random& random) {
         return Key{number(random, Whole{1} << 60), number(random, -(Whole{1} << 60)),
                    static_cast<double>(random.below(3)) - 0.5};
       }},
      {"strings_in_pairs",
       {Type::composite, {}, {{Type::string, Layout::offsets64}, {Type::u16}}},
       [number](Random& random) {
         return Key{letters(random, 2), number(random, 7)};
       }},
  };
}

OrderedColumn ordered_column_named(const std::string& name) {
  const std::vector<OrderedColumn> columns = ordered_columns();
  return *std::find_if(columns.begin(), columns.end(),
                       [&](const OrderedColumn& column) { return column.name == name; });
}

std::vector<Key> keys_of(const OrderedColumn& column, std::size_t size, Random& random) {
  std::vector<Key> keys;
  for (std::size_t i = 0; i < size; ++i) {
    keys.push_back(column.key(random));
    if (random.one_in(20)) keys.back()[random.below(keys.back().size())] = std::monostate{};
  }
  return keys;
}

using RowLists = std::vector<std::vector<std::uint32_t>>;

// The rows with a key, in ascending order.
std::vector<std::uint32_t> rows_in_key_order(const std::vector<Key>& table) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < table.size(); ++row)
    if (!is_null(table[row])) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return compare(table[a], table[b]) < 0;
  });
  return rows;
}

// Of each of `lookups` lookups the rows for which is_matched(key, lookup) holds, in ascending
// order.
template <class IsMatched>
RowLists matches_in_order(const std::vector<Key>& table, std::size_t lookups,
                          IsMatched&& is_matched) {
  const std::vector<std::uint32_t> sorted = rows_in_key_order(table);
  RowLists lists(lookups);
  for (std::size_t i = 0; i < lookups; ++i)
    std::copy_if(sorted.begin(), sorted.end(), std::back_inserter(lists[i]),
                 [&](std::uint32_t row) { return is_matched(table[row], i); });
  return lists;
}

// The rows that a call with these options returns.
RowLists limited(RowLists lists, const AnswerOptions& options) {
  for (std::vector<std::uint32_t>& rows : lists) {
    if (options.order == RowOrder::descending) std::reverse(rows.begin(), rows.end());
    if (rows.size() > options.limit) rows.resize(options.limit);
  }
  return lists;
}

// Expected contents of buffers in a memory space.
class OrderedBuffers {
 public:
  // The rows that a call returns, and all that match.
  OrderedBuffers(MemorySpace space, const RowLists& returned, const RowLists& all)
      : space_(space), offsets_{0} {
    for (std::size_t i = 0; i < returned.size(); ++i) {
      rows_.insert(rows_.end(), returned[i].begin(), returned[i].end());
      offsets_.push_back(rows_.size());
      counts_.push_back(static_cast<std::uint32_t>(all[i].size()));
    }
  }

  [[nodiscard]] std::size_t row_count() const { return rows_.size(); }

  void expect_offsets(const Index& index, const Query& query, const AnswerOptions& options) const {
    Buffer offsets(space_, 8 * offsets_.size());
    Outputs outputs;
    outputs.offsets = offsets.as<std::uint64_t>();
    outputs.memory_space = space_;
    index.answer_into(query, options, outputs);
    require(cudaDeviceSynchronize());
    ASSERT_EQ(offsets.read<std::uint64_t>(), offsets_) << "without a buffer for rows";
  }

  // Nothing is written behind the rows that fit.
  void expect_rows(const Index& index, const Query& query, const AnswerOptions& options,
                   std::size_t capacity) const {
    std::vector<std::uint32_t> fitting = rows_;
    fitting.resize(std::min(fitting.size(), capacity));
    fitting.resize(capacity + 1, unwritten<std::uint32_t>());
    Buffer offsets(space_, 8 * offsets_.size());
    Buffer rows(space_, 4 * fitting.size());
    Buffer counts(space_, 4 * counts_.size());
    Outputs outputs;
    outputs.offsets = offsets.as<std::uint64_t>();
    outputs.rows = rows.as<std::uint32_t>();
    outputs.rows_capacity = capacity;
    outputs.count = counts.as<std::uint32_t>();
    outputs.memory_space = space_;
    index.answer_into(query, options, outputs);
    require(cudaDeviceSynchronize());
    ASSERT_EQ(offsets.read<std::uint64_t>(), offsets_) << "room for " << capacity;
    ASSERT_EQ(rows.read<std::uint32_t>(), fitting) << "room for " << capacity;
    ASSERT_EQ(counts.read<std::uint32_t>(), counts_) << "room for " << capacity;
  }

 private:
  MemorySpace space_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> rows_, counts_;
};

// Both orders, with and without a limit, into either memory, with enough and with too little room.
void expect_in_order(const Index& index, const Query& query, const RowLists& matches) {
  for (const RowOrder order : {RowOrder::ascending, RowOrder::descending})
    for (const std::uint32_t limit : {3U, no_limit})
      for (const MemorySpace space : memory_spaces) {
        SCOPED_TRACE(std::string(name_of(query.kind)) + " queries in " +
                     std::string(name_of(query.memory_space())) + " memory, rows in " +
                     std::string(name_of(space)) + " memory, " +
                     (order == RowOrder::ascending ? "ascending" : "descending") + ", limit " +
                     std::to_string(limit));
        AnswerOptions options;
        options.order = order;
        options.limit = limit;
        const OrderedBuffers wanted(space, limited(matches, options), matches);
        wanted.expect_offsets(index, query, options);
        wanted.expect_rows(index, query, options, wanted.row_count());
        wanted.expect_rows(index, query, options, limit == no_limit ? wanted.row_count() / 2 : 0);
        if (testing::Test::HasFatalFailure()) return;
      }
}

void expect_ranges_in_order(const ChangingIndex& table, const OrderedColumn& column,
                            std::size_t lookups, Random& random) {
  const TestColumn low(column.shape, keys_of(column, lookups, random));
  const TestColumn high(column.shape, keys_of(column, lookups, random));
  const auto matches = [&](bool has_lower) {
    return matches_in_order(table.keys(), lookups, [&](const Key& key, std::size_t i) {
      return is_match(key, has_lower ? &low.keys()[i] : nullptr, &high.keys()[i], {});
    });
  };
  const RowLists between = matches(true);
  const RowLists up_to = matches(false);
  for (const MemorySpace space : memory_spaces) {
    const PlacedColumn lower(space, low.view());
    const PlacedColumn upper(space, high.view());
    expect_in_order(table.index(), Query::range(lower.view(), upper.view()), between);
    expect_in_order(table.index(), Query::range({}, upper.view()), up_to);
  }
}

void expect_points_in_order(const ChangingIndex& table, const OrderedColumn& column,
                            std::size_t lookups, Random& random) {
  const TestColumn keys(column.shape, keys_of(column, lookups, random));
  const RowLists matches =
      matches_in_order(table.keys(), lookups, [&](const Key& key, std::size_t i) {
        return !is_null(keys.keys()[i]) && compare(key, keys.keys()[i]) == 0;
      });
  for (const MemorySpace space : memory_spaces) {
    const PlacedColumn placed(space, keys.view());
    expect_in_order(table.index(), Query::equal(placed.view()), matches);
  }
}

// Keys that begin with a string, or with the first columns of a composite key.
void expect_beginnings_in_order(const ChangingIndex& table, const OrderedColumn& column,
                                std::size_t lookups, Random& random) {
  std::vector<Key> keys = keys_of(column, lookups, random);
  Shape shape = column.shape;
  if (shape.type == Type::composite) {
    shape.parts.resize(1);
    for (Key& key : keys) key.resize(1);
  } else {
    for (Key& key : keys)
      if (!is_null(key)) {
        auto& text = std::get<std::string>(key.front());
        text.resize(random.below(text.size() + 1));
      }
  }
  const TestColumn prefixes(shape, keys);
  const RowLists matches =
      matches_in_order(table.keys(), lookups, [&](const Key& key, std::size_t i) {
        if (is_null(keys[i])) return false;
        if (shape.type == Type::composite) return compare(key.front(), keys[i].front()) == 0;
        return std::get<std::string>(key.front())
            .starts_with(std::get<std::string>(keys[i].front()));
      });
  for (const MemorySpace space : memory_spaces) {
    const PlacedColumn placed(space, prefixes.view());
    expect_in_order(
        table.index(),
        shape.type == Type::composite ? Query::equal(placed.view()) : Query::prefix(placed.view()),
        matches);
  }
}

using OrderedCase = std::tuple<std::string, std::string>;

class OrderedDeviceRows : public GpuTestWithParam<OrderedCase> {};

TEST_P(OrderedDeviceRows, FollowTheSortedKeys) {
  const std::string spec = std::get<0>(GetParam());
  const OrderedColumn column = ordered_column_named(std::get<1>(GetParam()));
  // OptiX may run in software. The others have more points than the host answers in one chunk.
  const bool is_slow = spec.starts_with("rx:optix");
  const std::size_t rows = is_slow ? 120 : 240;
  const std::size_t ranges = is_slow ? 10 : 40;
  const std::size_t points = is_slow ? 20 : 300;
  Random random(17);
  ChangingIndex table(TestColumn(column.shape, keys_of(column, rows, random)), spec, {.seed = 11});
  const auto some_rows_of = [&](std::size_t size) {
    std::vector<std::uint32_t> some = table.rows_not_erased();
    random.shuffle(some);
    some.resize(size);
    return some;
  };
  // So few rows that no change merges the segments.
  const std::vector<std::pair<std::string, std::function<void()>>> changes = {
      {"build", [] {}},
      {"insert", [&] { table.insert(keys_of(column, rows / 20, random), column.shape); }},
      {"update",
       [&] {
         table.update(some_rows_of(rows / 30), keys_of(column, rows / 30, random), column.shape);
       }},
      {"erase", [&] { table.erase(some_rows_of(rows / 40)); }},
      // Rows of equal keys that were updated are now merged with others.
      {"merge", [&] { table.merge(); }},
      {"erase after a merge", [&] { table.erase(some_rows_of(rows / 40)); }},
  };
  for (const auto& [change, make] : changes) {
    SCOPED_TRACE(change);
    make();
    const bool has_delta = change == "insert" || change == "update" || change == "erase";
    if (!is_slow) {
      ASSERT_EQ(described_numbers(table.index(), "segments", 1),
                DescribedNumbers{has_delta ? 2U : 1U});
    }
    expect_ranges_in_order(table, column, ranges, random);
    expect_points_in_order(table, column, points, random);
    if (!is_integer_shape(column.shape)) expect_beginnings_in_order(table, column, ranges, random);
    if (HasFatalFailure()) return;
  }
}

std::vector<OrderedCase> ordered_cases() {
  std::vector<OrderedCase> cases;
  for (const char* const spec : {"rx:native@cuda", "sorted@cuda", "btree@cuda"})
    for (const OrderedColumn& column : ordered_columns()) cases.emplace_back(spec, column.name);
  if (is_available("rx:optix@cuda"))
    for (const char* const column : {"u32", "short_strings", "pairs"})
      cases.emplace_back("rx:optix@cuda,bucket=3", column);
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cuda, OrderedDeviceRows, testing::ValuesIn(ordered_cases()),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param)) + "_" +
                                  std::get<1>(item.param);
                         });

using OrderedDeviceCalls = GpuTest;

// The host sorts rows of strings in two segments: it writes to the caller's buffers, which no
// kernel has checked.
TEST_F(OrderedDeviceCalls, RejectMisalignedBuffers) {
  const std::vector<std::string> keys(100, "a key");
  const std::vector<std::string> more = {"another"};
  Index index = build(keys, "rx:native@cuda");
  index.insert(more);
  ASSERT_EQ(described_numbers(index, "segments", 1), DescribedNumbers{2});
  const OnGpu offsets(3 * sizeof(std::uint64_t));
  const OnGpu rows(102 * sizeof(std::uint32_t));
  Outputs misaligned_offsets;
  misaligned_offsets.memory_space = MemorySpace::device;
  misaligned_offsets.offsets = reinterpret_cast<std::uint64_t*>(offsets.as<std::uint32_t>() + 1);
  Outputs misaligned_rows;
  misaligned_rows.memory_space = MemorySpace::device;
  misaligned_rows.offsets = offsets.as<std::uint64_t>();
  misaligned_rows.rows = reinterpret_cast<std::uint32_t*>(rows.as<std::uint8_t>() + 1);
  misaligned_rows.rows_capacity = 100;
  for (const RowOrder order : {RowOrder::any, RowOrder::ascending})
    for (const Outputs& outputs : {misaligned_offsets, misaligned_rows})
      EXPECT_EQ(
          error_of([&] { index.answer_into(Query::prefix(more), {.order = order}, outputs); }),
          ErrorKind::invalid_argument);
}

}  // namespace
}  // namespace rtindex::test
