// Arrow arrays through the public header: who owns what, streams, and what is exported.

#include <rtindex/arrow.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/error.hpp>

#include "arrow/owned.hpp"
#include "support/run.hpp"

namespace rtindex::test {
namespace {

using Ticks = std::vector<std::int64_t>;

// A schema and an array that hold a shared vector.
struct Exported {
  explicit Exported(const ColumnView& column, const std::shared_ptr<const void>& owner,
                    std::string_view zone = {}) {
    export_arrow(column, owner, schema.address(), array.address(), zone);
  }
  arrow::Owned<ArrowSchema> schema;
  arrow::Owned<ArrowArray> array;
};

// Arrays of one column, one after the other; fails after the last where `failure` is set.
struct Stream {
  explicit Stream(std::vector<ColumnView> from) : chunks(std::move(from)) {
    stream.private_data = this;
    stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
      ArrowArray ignored{};
      export_arrow(of(self).chunks.front(), nullptr, out, &ignored);
      ignored.release(&ignored);
      return 0;
    };
    stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
      Stream& made = of(self);
      *out = ArrowArray{};
      if (made.next == made.chunks.size()) return made.failure == nullptr ? 0 : EIO;
      export_arrow(made.chunks[made.next++], made.alive, nullptr, out);
      return 0;
    };
    stream.get_last_error = [](ArrowArrayStream* self) { return of(self).failure; };
    stream.release = [](ArrowArrayStream* self) {
      of(self).released = true;
      self->release = nullptr;
    };
  }
  static Stream& of(ArrowArrayStream* self) { return *static_cast<Stream*>(self->private_data); }

  std::vector<ColumnView> chunks;
  std::size_t next = 0;
  const char* failure = nullptr;
  bool released = false;
  std::shared_ptr<const void> alive = std::make_shared<int>();
  ArrowArrayStream stream{};
};

TEST(ArrowColumn, OwnsTheArrayUntilItsOwnerIsGone) {
  auto ticks = std::make_shared<Ticks>(Ticks{3, 1, 2});
  const std::int64_t* const memory = ticks->data();
  const std::weak_ptr<Ticks> watched = ticks;
  const ColumnView times = ColumnView::timestamps(*ticks, TimeUnit::microsecond);
  Exported from(times, ticks, "Europe/Berlin");
  ticks.reset();
  EXPECT_STREQ(from.schema->format, "tsu:Europe/Berlin");
  ArrowColumn column = import_arrow(from.schema.address(), from.array.address());
  EXPECT_EQ(from.schema->release, nullptr);
  EXPECT_EQ(from.array->release, nullptr);
  ASSERT_EQ(column.chunks.size(), 1U);
  EXPECT_EQ(column.chunks[0].data(), memory);
  EXPECT_EQ(column.chunks[0].time_unit(), TimeUnit::microsecond);
  EXPECT_FALSE(watched.expired());
  column = {};
  EXPECT_TRUE(watched.expired());
}

TEST(ArrowColumn, IsReleasedWhereItsTypeIsUnsupported) {
  auto ticks = std::make_shared<Ticks>(Ticks{3});
  const std::weak_ptr<Ticks> watched = ticks;
  const ColumnView numbers(*ticks);
  Exported from(numbers, ticks);
  ticks.reset();
  from.schema.address()->format = "n";  // null
  EXPECT_EQ(error_of([&] {
              static_cast<void>(import_arrow(from.schema.address(), from.array.address()));
            }),
            ErrorKind::invalid_argument);
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(error_of([&] {  // both have been moved from
              static_cast<void>(import_arrow(from.schema.address(), from.array.address()));
            }),
            ErrorKind::invalid_argument);
}

TEST(ArrowColumn, HasAChunkForEachArrayOfAStream) {
  const std::vector<std::string> first = {"a", "bc"};
  const std::vector<std::string> second = {"def"};
  Stream from({ColumnView(first), ColumnView(second)});
  ArrowColumn column = import_arrow(&from.stream);
  EXPECT_TRUE(from.released);
  ASSERT_EQ(column.chunks.size(), 2U);
  EXPECT_EQ(column.chunks[0].string(1), "bc");
  EXPECT_EQ(column.chunks[1].string(0), "def");
  EXPECT_EQ(from.alive.use_count(), 3);
  column = {};
  EXPECT_EQ(from.alive.use_count(), 1);
  EXPECT_EQ(error_of([&] { static_cast<void>(import_arrow(&from.stream)); }),
            ErrorKind::invalid_argument);
}

TEST(ArrowColumn, OfAStreamWithoutArraysHasOneEmptyChunk) {
  const Ticks ticks;
  Stream from({ColumnView::timestamps(ticks, TimeUnit::second)});
  from.next = 1;
  const ArrowColumn column = import_arrow(&from.stream);
  ASSERT_EQ(column.chunks.size(), 1U);
  EXPECT_EQ(column.chunks[0].type(), Type::timestamp64);
  EXPECT_EQ(column.chunks[0].time_unit(), TimeUnit::second);
  EXPECT_TRUE(column.chunks[0].empty());
}

TEST(ArrowColumn, ReportsTheErrorOfAStream) {
  const Ticks ticks = {1};
  Stream from({ColumnView(ticks)});
  from.failure = "the network is down";
  try {
    static_cast<void>(import_arrow(&from.stream));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the Arrow stream failed: the network is down");
  }
  EXPECT_TRUE(from.released);
  EXPECT_EQ(from.alive.use_count(), 1);
}

TEST(ArrowExport, WritesListsOfRows) {
  const std::vector<std::uint64_t> offsets = {0, 2, 2, 3};
  const std::vector<std::uint32_t> rows = {7, 9, 4};
  arrow::Owned<ArrowSchema> schema;
  arrow::Owned<ArrowArray> array;
  export_arrow(offsets, rows, nullptr, schema.address(), array.address());
  EXPECT_STREQ(schema->format, "+L");
  EXPECT_STREQ(schema->children[0]->format, "I");
  EXPECT_EQ(array->length, 3);
  EXPECT_EQ(array->buffers[1], offsets.data());
  EXPECT_EQ(array->children[0]->length, 3);
  EXPECT_EQ(array->children[0]->buffers[1], rows.data());
}

TEST(ArrowExport, WritesAFieldForEachAnswer) {
  const Ticks ticks = {10, 30, 20};
  const Ticks keys = {25, 5};
  const Index index = build(ColumnView::timestamps(ticks, TimeUnit::second), "sorted@cpu");
  const AnswerOptions options{.answers = Answer::any | Answer::count | Answer::key,
                              .matched = true};
  arrow::Owned<ArrowSchema> schema;
  arrow::Owned<ArrowArray> array;
  export_arrow(index, index.nearest(ColumnView::timestamps(keys), {}, options), schema.address(),
               array.address());
  EXPECT_STREQ(schema->format, "+s");
  ASSERT_EQ(schema->n_children, 3);
  EXPECT_STREQ(schema->children[0]->name, "any");
  EXPECT_STREQ(schema->children[1]->name, "count");
  EXPECT_STREQ(schema->children[2]->name, "key");
  EXPECT_STREQ(schema->children[2]->format, "tss:");
  EXPECT_EQ(static_cast<const std::uint32_t*>(array->children[0]->buffers[1])[0], 2U);
  EXPECT_EQ(*static_cast<const std::uint8_t*>(array->children[0]->buffers[0]) & 3, 1);
  EXPECT_EQ(static_cast<const std::int64_t*>(array->children[2]->buffers[1])[0], 20);
}

TEST(ArrowExport, WritesAggregatesInTheTypeOfTheirValues) {
  const std::vector<int> keys = {7, 3, 7};
  const std::vector<int> wanted = {7, 3};
  const Ticks ticks = {10, -30, 5};
  const ColumnView waits = ColumnView::of(Type::duration64, ticks.data(), ticks.size())
                               .with_time_unit(TimeUnit::nanosecond);
  const Index index = build(keys, "sorted@cpu");
  Answers answers = index.lookup(wanted, Answer::sum | Answer::max, waits);
  EXPECT_EQ(answers.value_type().type, Type::duration64);
  EXPECT_EQ(answers.value_type().time_unit, TimeUnit::nanosecond);
  const void* const sums = answers.sum_as<std::int64_t>().data();
  arrow::Owned<ArrowSchema> schema;
  arrow::Owned<ArrowArray> array;
  export_arrow(index, std::move(answers), schema.address(), array.address());
  ASSERT_EQ(schema->n_children, 2);
  EXPECT_STREQ(schema->children[0]->format, "tDn");
  EXPECT_STREQ(schema->children[1]->format, "tDn");
  EXPECT_EQ(array->children[0]->buffers[1], sums);  // in place
  EXPECT_EQ(static_cast<const std::int64_t*>(array->children[0]->buffers[1])[0], 15);

  // What is exported can be imported: the sums as a column of decimals.
  const ColumnView prices = ColumnView::decimals(Type::decimal64, ticks.data(), ticks.size(), 1);
  arrow::Owned<ArrowSchema> schema_of_prices;
  arrow::Owned<ArrowArray> array_of_prices;
  export_arrow(index, index.lookup(wanted, Answer::sum, prices), schema_of_prices.address(),
               array_of_prices.address());
  const ArrowColumn column = import_arrow(schema_of_prices.address(), array_of_prices.address());
  const ColumnView& sum = column.chunks.front().parts().front();
  EXPECT_EQ(sum.type(), Type::decimal128);
  EXPECT_EQ(sum.text(0), "1.5");
  EXPECT_EQ(sum.text(1), "-3.0");
}

TEST(Arrow, RejectsNullPointers) {
  ArrowSchema schema{};
  ArrowArray array{};
  EXPECT_THROW(static_cast<void>(import_arrow(nullptr, &array)), Error);
  EXPECT_THROW(static_cast<void>(import_arrow(&schema, nullptr)), Error);
  EXPECT_THROW(static_cast<void>(import_arrow(nullptr)), Error);
  const std::vector<std::uint32_t> keys = {1, 2};
  EXPECT_THROW(export_arrow(ColumnView(keys), nullptr, &schema, nullptr), Error);
}

}  // namespace
}  // namespace rtindex::test
