// Index::save and load beyond correct answers.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>
#include <thread>

#include <rtindex/rtindex.hpp>

#include "support/description.hpp"
#include "support/index_bytes.hpp"
#include "support/random.hpp"
#include "support/specs.hpp"
#include "support/temporary_folder.hpp"

namespace rtindex::test {
namespace {

std::vector<std::uint64_t> random_keys(std::size_t size) {
  Random random(size);
  std::vector<std::uint64_t> keys(size);
  for (std::uint64_t& key : keys) key = random.bits();
  return keys;
}

std::string error_of_loading(const std::string& path) {
  try {
    static_cast<void>(load(path));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

// With a file for an index.
template <class Base>
class WithIndexFile : public Base {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_.file("a.rtindex");
};

class SaveLoad : public WithIndexFile<testing::TestWithParam<std::string>> {};

TEST_P(SaveLoad, DescribesItselfLikeTheBuiltOne) {
  const std::vector<std::uint64_t> keys = random_keys(5000);
  const Index built = build(keys, GetParam());
  built.save(path_);
  const Index loaded = load(path_);
  const bool is_foreign = loaded.spec().tracer() == "embree" || loaded.spec().device() == "cuda";
  const std::string how = described(loaded, "loaded");
  EXPECT_TRUE(how.starts_with(is_foreign ? "rebuilt" : "mapped") && how.ends_with(path_)) << how;
  EXPECT_EQ(described(built, "loaded"), "");
  for (const char* const name : {"index", "column", "structure", "tracer"})
    EXPECT_EQ(described(loaded, name), described(built, name));
  if (is_foreign) return;
  EXPECT_EQ(described(loaded, "memory"), described(built, "memory"));
  EXPECT_EQ(loaded.memory_usage().resident, built.memory_usage().resident);
  EXPECT_EQ(loaded.memory_usage().build_peak, built.memory_usage().build_peak);
}

TEST_P(SaveLoad, SavesTheSameBytesAgain) {
  std::vector<std::string> keys;
  for (int i = 0; i < 700; ++i) keys.push_back("a common start " + std::to_string(i * i));
  build(keys, GetParam()).save(path_);
  const std::string before = IndexBytes(path_).bytes;
  load(path_).save(path_);  // over the file that it is mapped from
  EXPECT_EQ(IndexBytes(path_).bytes, before);
  EXPECT_EQ(folder_.count_files(), 1U);
}

TEST_P(SaveLoad, DescribesChangesAfterLoading) {
  const std::vector<std::uint64_t> keys = random_keys(100);
  build(keys, GetParam()).save(path_);
  Index index = load(path_);
  index.update(std::vector<std::uint32_t>{7}, std::vector<std::uint64_t>{42});
  const std::string how = described(index, "loaded");
  EXPECT_NE(how.find(path_), std::string::npos) << how;
  EXPECT_NE(how.find("changed"), std::string::npos) << how;
  EXPECT_EQ(index.lookup(std::vector<std::uint64_t>{42}).any()[0], 7U);
  EXPECT_EQ(load(path_).lookup(std::vector<std::uint64_t>{42}).any()[0], miss_row);
}

TEST_P(SaveLoad, LooksUpWhileItSaves) {
  const std::vector<std::uint64_t> keys = random_keys(20000);
  const Index index = build(keys, GetParam());
  std::thread saver([&] {
    for (int i = 0; i < 5; ++i) index.save(path_);
  });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(index.lookup(keys).any()[19999], 19999U);
  saver.join();
  EXPECT_EQ(load(path_, {.verify = Verify::full}).lookup(keys).any()[19999], 19999U);
}

TEST_P(SaveLoad, KeepsTimeUnitsAndMetadata) {
  const std::vector<std::int64_t> ticks = {5, 3, 9};
  build(ColumnView::timestamps(ticks), GetParam()).save(path_);
  EXPECT_EQ(load(path_).time_unit(), TimeUnit::unspecified);
  EXPECT_TRUE(load(path_).metadata().empty());
  const ColumnView keys = ColumnView::timestamps(ticks, TimeUnit::microsecond);
  Index index = build(keys, GetParam());
  index.set_metadata("zone", "Europe/Z\u00fcrich");
  index.set_metadata("table", "trades");
  index.set_metadata("table", "");
  EXPECT_THROW(index.set_metadata("zone", "\xff"), Error);
  index.save(path_);
  load(path_).save(path_);
  const Index loaded = load(path_);
  EXPECT_EQ(loaded.time_unit(), TimeUnit::microsecond);
  EXPECT_EQ(loaded.metadata(), index.metadata());
  EXPECT_EQ(loaded.metadata().size(), 1U);
  EXPECT_EQ(loaded.lookup(keys).any()[1], 1U);
  EXPECT_EQ(loaded.lookup(ColumnView::timestamps(ticks)).any()[1], 1U);
  const auto in_seconds = ColumnView::timestamps(ticks, TimeUnit::second);
  EXPECT_THROW(static_cast<void>(loaded.lookup(in_seconds)), Error);
}

TEST_P(SaveLoad, KeepsTimeUnitsOfParts) {
  const std::vector<std::int64_t> ticks = {5, 3, 9};
  const std::vector<int> numbers = {1, 2, 3};
  const auto tuples = [&](TimeUnit unit) {
    return ColumnView::composite({numbers, ColumnView::timestamps(ticks, unit)});
  };
  build(tuples(TimeUnit::millisecond), GetParam()).save(path_);
  const Index loaded = load(path_);
  EXPECT_EQ(loaded.part_time_units(), (std::vector{TimeUnit::unspecified, TimeUnit::millisecond}));
  EXPECT_EQ(loaded.lookup(tuples(TimeUnit::unspecified)).any()[2], 2U);
  EXPECT_THROW(static_cast<void>(loaded.lookup(tuples(TimeUnit::second))), Error);
}

TEST_P(SaveLoad, SerializesAndCopies) {
  const std::vector<int> keys = {26, 25, 29, 23, 29, 27};
  Index index = build(keys, GetParam());
  const std::vector<std::byte> bytes = index.serialize();
  for (const Verify verify : {Verify::quick, Verify::full}) {
    const Index again = deserialize(bytes, {.verify = verify});
    EXPECT_EQ(again.spec(), index.spec());
    EXPECT_EQ(again.lookup(keys, Answer::count).count()[2], 2U);
  }
  EXPECT_EQ(deserialize(bytes).serialize(), bytes);
  const Index copy = index.copy();
  index.update(std::vector<std::uint32_t>{2}, std::vector{30});
  EXPECT_EQ(index.lookup(std::vector{29}, Answer::count).count()[0], 1U);
  EXPECT_EQ(copy.lookup(std::vector{29}, Answer::count).count()[0], 2U);

  for (const std::size_t kept : {std::size_t{0}, std::size_t{63}, bytes.size() - 1})
    EXPECT_THROW(static_cast<void>(deserialize(std::span(bytes).first(kept))), Error);
  std::vector<std::byte> damaged = bytes;
  damaged[70] ^= std::byte{1};
  try {
    static_cast<void>(deserialize(damaged));
    ADD_FAILURE() << "a damaged header must be rejected";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corrupt_file);
  }
}

INSTANTIATE_TEST_SUITE_P(Indexes, SaveLoad, testing::ValuesIn(usable_indexes()),
                         [](const auto& tested) { return test_name(tested.param); });

class SavedIndex : public WithIndexFile<testing::Test> {};

TEST_F(SavedIndex, KeepsItsSettings) {
  build(random_keys(100), "rx:native@cpu,threads=1").save(path_);
  EXPECT_EQ(load(path_).spec().option("threads", ""), "1");
}

TEST_F(SavedIndex, KeepsItsIncludedValues) {
  const std::vector<std::uint64_t> keys = random_keys(1000);
  std::vector<std::int16_t> values(keys.size());
  std::iota(values.begin(), values.end(), std::int16_t{-500});
  const std::vector<std::uint64_t> low = {0, keys[7]};
  const std::vector<std::uint64_t> high = {~std::uint64_t{0}, keys[7]};
  for (const std::string spec : {"rx:native@cpu", "sorted@cpu", "btree@cpu"}) {
    build(keys, spec, {.include = values}).save(path_);
    Index index = load(path_, {.verify = Verify::full});
    EXPECT_EQ(index.included().front().type, Type::i16);
    const auto expect_values = [&] {
      const Answers answers = index.range(low, high, Answer::sum | Answer::min | Answer::max);
      EXPECT_EQ(answers.sum_as<std::int64_t>()[0], -500);
      EXPECT_EQ(answers.max_as<std::int64_t>()[0], 499);
      EXPECT_EQ(answers.min_as<std::int64_t>()[1], -493);
    };
    expect_values();
    index.update(std::vector<std::uint32_t>{3}, std::vector<std::uint64_t>{keys[4]});
    index.save(path_);
    index = load(path_);
    expect_values();
  }
}

TEST(CopiedIndex, KeepsItsIncludedValues) {
  const std::vector<std::uint64_t> keys = random_keys(1000);
  std::vector<double> values(keys.size());
  std::iota(values.begin(), values.end(), 0.5);
  const std::vector<std::uint64_t> low = {0};
  const std::vector<std::uint64_t> high = {~std::uint64_t{0}};
  for (const std::string& spec : usable_and_bucketed()) {
    if (spec.starts_with("hash") ||
        (!spec.ends_with("bucket=3") &&
         (spec.starts_with("rx:embree") || spec.starts_with("rx:optix"))))
      continue;  // keeps no order
    Index index = build(keys, spec, {.include = values});
    Index copy = index.copy();
    const std::vector<std::byte> bytes = index.serialize();
    const Index restored = deserialize(bytes, {.verify = Verify::full});
    index.update(std::vector<std::uint32_t>{3}, std::vector<std::uint64_t>{keys[4]});
    for (const Index* same : {static_cast<const Index*>(&copy), &restored}) {
      EXPECT_EQ(same->included().front().type, Type::f64) << spec;
      EXPECT_EQ(same->spec(), index.spec());
      EXPECT_EQ(same->lookup(keys, Answer::first).first()[3], 3U) << spec;
      const Answers answers = same->range(low, high, Answer::sum | Answer::max);
      EXPECT_NEAR(answers.sum_as<double>()[0], 500'000.0, 1e-3) << spec;
      EXPECT_EQ(answers.max_as<double>()[0], 999.5) << spec;
    }
    // A copy is independent.
    copy.update(std::vector<std::uint32_t>{0}, std::vector<std::uint64_t>{keys[9]});
    EXPECT_EQ(index.lookup(std::vector{keys[0]}, Answer::first).first()[0], 0U) << spec;
  }
}

// The sizes of the levels follow from the number of leaves, of 16 keys each.
TEST(CopiedIndex, OfATreeHasItsLevels) {
  for (const std::size_t leaves : {1, 2, 14, 15, 16, 17, 255, 256, 257}) {
    std::vector<std::uint32_t> keys(16 * leaves);
    std::iota(keys.begin(), keys.end(), 0U);
    const Index copy = deserialize(build(keys, "btree@cpu").serialize());
    const Answers found = copy.lookup(keys, Answer::first);
    EXPECT_TRUE(std::equal(keys.begin(), keys.end(), found.first().begin())) << leaves;
  }
}

TEST_F(SavedIndex, IsRejectedIfItsKindIsUnknownOrUnavailable) {
  build(random_keys(100), "sorted@cpu").save(path_);
  IndexBytes file(path_);
  file.set_text("spec", "sorted@cuda63");
  file.write(path_);
  EXPECT_NE(error_of_loading(path_).find("is not available here"), std::string::npos);
  file.set_text("spec", "quantum");
  file.write(path_);
  EXPECT_NE(error_of_loading(path_).find(path_ + " holds the index 'quantum"), std::string::npos);
}

// Headers with other numbers and texts, whose checksums are right.
class EditedIndex : public SavedIndex {
 protected:
  using Numbers = std::vector<std::uint64_t>;
  using Texts = std::vector<std::string>;

  // Loading fails with each of `others` in place of a number or text.
  void expect_rejected(const std::string& name, const Numbers& others) const {
    for (const std::uint64_t other : others)
      expect_rejected_after([&](IndexBytes& file) { file.set_number(name, other); }, name);
  }
  void expect_rejected(const std::string& name, const Texts& others) const {
    for (const std::string& other : others)
      expect_rejected_after([&](IndexBytes& file) { file.set_text(name, other); }, name);
  }

 private:
  template <class Change>
  void expect_rejected_after(const Change& change, const std::string& name) const {
    const std::string changed = folder_.file("b.rtindex");
    IndexBytes file(path_);
    change(file);
    file.write(changed);
    EXPECT_NE(error_of_loading(changed), "") << name;
  }
};

TEST_F(EditedIndex, IsRejectedWithImpossibleCounts) {
  build(random_keys(100), "rx:native@cpu").save(path_);
  expect_rejected("rows", Numbers{99, 4294967296});
  expect_rejected("segment0.structure.order.keys", Numbers{99, ~std::uint64_t{0}});
  expect_rejected("segment0.codec.empty", Numbers{2});
  expect_rejected("segment0.codec.type", Texts{"uint128", "string"});
}

TEST_F(EditedIndex, IsRejectedWithInconsistentSegments) {
  const std::vector<std::int64_t> values(100, 5);
  const auto two_segments = [&](const ColumnView& first, const ColumnView& second) {
    Index index = build(first, "rx:native@cpu", {.include = values});
    index.insert(second, std::span(values).first(second.size()));
    index.erase(std::vector<std::uint32_t>{4});
    index.save(path_);
    EXPECT_EQ(error_of_loading(path_), "");
  };
  const std::vector<std::uint64_t> keys = random_keys(100);
  two_segments(keys, std::span(keys).first(3));
  expect_rejected("segments", Numbers{0, 3, ~std::uint64_t{0}});
  expect_rejected("rows", Numbers{1});
  expect_rejected("erased_rows", Numbers{104});
  expect_rejected("segment0.deleted_rows", Numbers{200});
  expect_rejected("segment1.codec.type", Texts{"float64"});
  expect_rejected("segment1.structure.included0.type", Texts{"uint64"});
  std::vector<std::string> texts;
  for (int i = 0; i < 100; ++i) texts.push_back(std::to_string(i) + " is compared in full");
  const std::vector<std::uint64_t> few_keys(keys.begin(), keys.begin() + 3);
  const std::vector<std::string> few_texts(texts.begin(), texts.begin() + 3);
  two_segments(ColumnView::composite({keys, texts}), ColumnView::composite({few_keys, few_texts}));
  expect_rejected("segment1.codec.part0.type", Texts{"int64"});
  expect_rejected("segment1.codec.elements", Numbers{4, 0});
}

// The resident bytes of the file's mapping, in KiB, as the kernel counts them.
std::size_t resident_kib(const std::string& path) {
  std::ifstream maps("/proc/self/smaps");
  std::size_t kib = 0;
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find('-') != std::string::npos && line.find("kB") == std::string::npos)
      here = line.ends_with(path);
    std::istringstream words(line);
    std::string name;
    std::size_t size = 0;
    if (here && words >> name >> size && name == "Rss:") kib += size;
  }
  return kib;
}

TEST_F(SavedIndex, IsNotReadWhenItIsOpened) {
  std::vector<std::uint64_t> keys(std::size_t{1} << 20);
  std::iota(keys.begin(), keys.end(), 0U);
  for (std::uint64_t& key : keys) key *= 0x9e3779b97f4a7c15U;
  for (const std::string spec : {"rx:native@cpu", "sorted@cpu", "btree@cpu", "hash@cpu"}) {
    build(keys, spec).save(path_);
    ASSERT_GT(std::filesystem::file_size(path_), std::size_t{12} << 20);
    const Index quick = load(path_);
    EXPECT_LT(resident_kib(path_), 1024U) << spec;
    EXPECT_EQ(quick.lookup(std::span(keys).first(10)).any()[3], 3U);
    const Index full = load(path_, {.verify = Verify::full});
    if (resident_kib(path_) == 0) GTEST_SKIP() << "this system does not report resident memory";
    EXPECT_GT(resident_kib(path_), 12U << 10U) << spec;
  }
}

}  // namespace
}  // namespace rtindex::test
