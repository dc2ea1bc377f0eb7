// Random columns, settings, lookups and updates against the full scan. The seed is random and
// printed where a run fails; RTINDEX_SEED=<seed> repeats that run alone, and RTINDEX_RUNS=<n> makes
// more of them.

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include <rtindex/rtindex.hpp>

#include "conformance/rx_settings.hpp"
#include "support/effort.hpp"
#include "support/lookups.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/values.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

constexpr std::size_t usual_runs = 120;

// Keys within a window of a random width, so that all modes get columns that they just hold.
TestColumn random_integers(Random& random) {
  const int bits = static_cast<int>(1 + random.below(64));
  const Whole width = Whole{1} << bits;
  const Whole low = random.between(0, (Whole{1} << 64) - width);
  std::vector<Whole> keys;
  for (std::size_t size = random.below(400); size > 0; --size) {
    if (!keys.empty() && random.one_in(4))
      keys.push_back(random.pick(keys));
    else if (random.one_in(8))
      keys.push_back(random.one_in(2) ? low : low + width - 1);
    else
      keys.push_back(random.between(low, low + width - 1));
  }
  return integers(Type::u64, keys);
}

std::uint64_t span_of(const TestColumn& column) {
  Whole low = largest_of(Type::u64);
  Whole high = 0;
  for (const Key& key : column.keys()) {
    low = std::min(low, std::get<Whole>(key[0]));
    high = std::max(high, std::get<Whole>(key[0]));
  }
  return column.size() == 0 ? 0 : static_cast<std::uint64_t>(high - low);
}

// Settings of rx:embree that hold a column of this span.
std::string random_settings(std::uint64_t span, Random& random) {
  RxGeometry geometry;
  do {
    geometry.mode = random.pick(std::vector<std::string>{"naive", "extended", "3d", "3d", "3d"});
    geometry.primitive = random.pick(std::vector<std::string>{"triangle", "sphere", "aabb"});
    geometry.scale = static_cast<int>(random.below(61)) - 30;
    for (int& bits : geometry.bits) bits = static_cast<int>(random.below(24));
    const int total = geometry.bits[0] + geometry.bits[1] + geometry.bits[2];
    if (total < 1 || total > 64) geometry.bits = {20, 23, 21};
  } while (geometry.largest_span() < span ||
           (geometry.mode == "extended" && geometry.primitive == "sphere"));
  const bool extended = geometry.mode == "extended";
  auto choose = [&](const std::string& name, std::vector<std::string> choices) {
    return "," + name + "=" + random.pick(choices);
  };
  return geometry.text() +
         (extended ? choose("point", {"perpendicular", "zero"})
                   : choose("point", {"perpendicular", "offset", "zero"})) +
         (extended ? ",range=zero" : choose("range", {"offset", "zero"})) +
         choose("compact", {"on", "off"}) + choose("update", {"refit", "rebuild"}) +
         choose("threads", {"all", "1", "2"});
}

void run(std::uint64_t seed) {
  SCOPED_TRACE("RTINDEX_SEED=" + std::to_string(seed));
  Random random(seed);
  const bool own = random.one_in(2);
  const TestColumn column =
      own ? random_integers(random) : random.pick(all_workloads()).make(random);
  std::string spec = random.pick(specs_of(random.pick(usable_indexes())));
  if (own && spec.starts_with("rx:embree"))
    spec = "rx:embree@cpu," + random_settings(span_of(column), random);
  SCOPED_TRACE(spec);

  Index index = build(column.view(), spec);
  std::vector<Key> keys = column.keys();
  for (int step = 0; step < 3; ++step) {
    const TestColumn now(column.shape(), keys);
    const TestColumn values = values_of(random.pick(value_types()), keys.size(), random);
    for (const Batch& batch : interesting_batches(now, 10, random)) {
      const LookupOptions& options = random.pick(every_options());
      if (!supports(index, options.answers, batch.kind)) continue;
      ASSERT_EQ("", check_call(index, batch, scan(keys, batch), options, values))
          << "step " << step;
    }
    // Rows take the keys of other rows: every setting still holds the column.
    std::vector<std::uint32_t> rows;
    std::vector<Key> changed;
    for (std::size_t row = 0; row < keys.size(); ++row)
      if (random.one_in(5)) {
        rows.push_back(static_cast<std::uint32_t>(row));
        changed.push_back(random.pick(keys));
      }
    index.update(rows, TestColumn(column.shape(), changed).view());
    for (std::size_t i = 0; i < rows.size(); ++i) keys[rows[i]] = changed[i];
  }
}

TEST(RandomRuns, AnswerLikeTheScan) {
  if (const char* seed = std::getenv("RTINDEX_SEED")) return run(std::stoull(seed));
  std::random_device device;
  const char* asked = std::getenv("RTINDEX_RUNS");
  const std::size_t runs = asked != nullptr ? std::stoull(asked) : affordable(usual_runs);
  for (std::size_t i = 0; i < runs && !HasFailure(); ++i)
    run(static_cast<std::uint64_t>(device()) << 20 ^ device());
}

}  // namespace
}  // namespace rtindex::test
