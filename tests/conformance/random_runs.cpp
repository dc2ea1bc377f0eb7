// Random columns, settings, lookups and changes against the full scan. The seed is random and
// printed where a run fails; RTINDEX_SEED=<seed> repeats that run alone, and RTINDEX_RUNS=<n> makes
// more of them.

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <random>

#include <rtindex/rtindex.hpp>

#include "conformance/rx_settings.hpp"
#include "support/changing_index.hpp"
#include "support/lookups.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

constexpr std::size_t usual_runs = 120;
constexpr std::size_t usual_rows = 400;
constexpr std::size_t max_rows = 20000;

// The keys that a column may hold, before and after updates.
struct Window {
  Whole low = 0;
  Whole high = 0;

  [[nodiscard]] std::uint64_t span() const { return static_cast<std::uint64_t>(high - low); }
};

// A window of a random width, so that every mode gets columns that just fit.
Window random_window(Random& random) {
  const Whole width = Whole{1} << (1 + random.below(64));
  const Whole low = random.between(0, (Whole{1} << 64) - width);
  return {low, low + width - 1};
}

TestColumn random_integers(const Window& window, Random& random) {
  std::vector<Whole> keys;
  const bool is_large = random.one_in(5);
  for (std::size_t size = random.below(is_large ? affordable(max_rows) : usual_rows); size > 0;
       --size) {
    if (!keys.empty() && random.one_in(4))
      keys.push_back(random.pick(keys));
    else if (random.one_in(8))
      keys.push_back(random.one_in(2) ? window.low : window.high);
    else
      keys.push_back(random.between(window.low, window.high));
  }
  return integers(Type::u64, keys);
}

// One choice of an option, or its default.
std::string choose(const std::string& name, const std::vector<std::string>& choices,
                   Random& random) {
  return random.one_in(4) ? "" : "," + name + "=" + random.pick(choices);
}

std::string random_order(Random& random) { return choose("order", {"auto", "on", "off"}, random); }
std::string random_gather(Random& random) {
  return choose("gather", {"auto", "on", "off"}, random);
}
std::string random_threads(Random& random) { return choose("threads", {"all", "1", "2"}, random); }

// Geometry that holds a column of this span.
RxGeometry random_geometry(std::uint64_t span, bool on_optix, bool with_buckets, Random& random) {
  RxGeometry geometry;
  do {
    geometry = {};
    geometry.mode = random.pick(std::vector<std::string>{"naive", "extended", "3d", "3d", "3d"});
    if (!with_buckets)
      geometry.primitive = random.pick(std::vector<std::string>{"triangle", "sphere", "aabb"});
    if (on_optix && geometry.primitive != "triangle") geometry.coordinate_limit = optix_limit;
    geometry.scale = static_cast<int>(random.below(61)) - 30;
    for (int& bits : geometry.bits) bits = static_cast<int>(random.below(24));
    const int total = geometry.bits[0] + geometry.bits[1] + geometry.bits[2];
    if (total < 1 || total > 64) geometry.bits = {20, 23, 21};
  } while (geometry.largest_span() < span ||
           (geometry.mode == "extended" && geometry.primitive == "sphere"));
  return geometry;
}

std::string random_rx_settings(std::uint64_t span, bool on_optix, Random& random) {
  const bool with_buckets = random.one_in(3);
  const RxGeometry geometry = random_geometry(span, on_optix, with_buckets, random);
  const bool extended = geometry.mode == "extended";
  std::string text = "," + geometry.text() + choose("compact", {"on", "off"}, random);
  if (with_buckets) {
    text += ",bucket=" + std::to_string(1 + random.below(random.one_in(2) ? 5 : 300)) +
            choose("drop", {"auto", "0", std::to_string(random.below(64))}, random) +
            (on_optix ? random_gather(random) : random_order(random));
  } else {
    text += extended ? choose("point", {"perpendicular", "zero"}, random)
                     : choose("point", {"perpendicular", "offset", "zero"}, random);
    if (!extended) text += choose("range", {"offset", "zero"}, random);
    text += choose("update", {"refit", "rebuild"}, random);
  }
  return text + (on_optix ? choose("split", {"500", "4096"}, random) : random_threads(random));
}

// An index with random settings that hold every column of a span.
std::string random_spec(const std::string& index, std::uint64_t span, Random& random) {
  if (index == "rx:embree@cpu") return index + random_rx_settings(span, false, random);
  if (index == "rx:optix@cuda") return index + random_rx_settings(span, true, random);
  if (index == "hash@cpu") return index + random_threads(random);
  if (index == "hash@cuda")
    return index + choose("group", {"1", "2", "4", "8", "16", "32"}, random) +
           choose("load", {"0.05", "0.3", "0.5", "0.95"}, random);
  if (index.ends_with("@cpu")) return index + random_order(random) + random_threads(random);
  std::string spec = index + random_gather(random);
  if (index == "btree@cuda") spec += choose("group", {"1", "2", "4", "8", "16"}, random);
  if (index == "rx:native@cuda") spec += ",cell=" + std::to_string(1 + random.below(16));
  return spec;
}

// Keys for a change: those of other rows, new ones anywhere in the window, and, where there is no
// window, near and far ones and null.
std::vector<Key> new_keys(const TestColumn& now, const std::optional<Window>& window,
                          std::size_t size, Random& random) {
  std::vector<Key> pool;
  if (!window)
    for (const Key& key : interesting_points(now, 8, random))
      if (fits(key, now.shape())) pool.push_back(key);
  std::vector<Key> keys;
  for (std::size_t i = 0; i < size; ++i) {
    if (random.one_in(2) && now.size() != 0)
      keys.push_back(random.pick(now.keys()));
    else if (window)
      keys.push_back({random.between(window->low, window->high)});
    else
      keys.push_back(random.pick(pool));
  }
  return keys;
}

std::vector<Batch> random_batches(const TestColumn& column, Random& random) {
  return column.size() > usual_rows ? own_batches(column, 10, random)
                                    : interesting_batches(column, 10, random);
}

void run(std::uint64_t seed) {
  SCOPED_TRACE("RTINDEX_SEED=" + std::to_string(seed));
  Random random(seed);
  const std::string index_name = random.pick(usable_indexes());
  std::optional<Window> window;
  if (random.one_in(2)) window = random_window(random);
  const TestColumn column =
      window ? random_integers(*window, random) : random.pick(all_workloads()).make(random);
  const std::string spec =
      window ? random_spec(index_name, window->span(), random) : random.pick(specs_of(index_name));
  SCOPED_TRACE(spec);

  const std::string delta = choose("delta", {"0", "20", "300", "auto"}, random);
  ChangingIndex changing(
      column, spec + delta,
      {.seed = seed,
       .include = includes_values(spec) && random.one_in(2),
       .new_keys = [&](const TestColumn& now, std::size_t size,
                       Random& source) { return new_keys(now, window, size, source); },
       .max_rows = usual_rows});
  for (int step = 0; step < 3; ++step) {
    const TestColumn now(column.shape(), changing.keys());
    const TestColumn values = values_of(random.pick(value_types()), now.size(), random);
    for (const Batch& batch : random_batches(now, random)) {
      const AnswerOptions& options = random.pick(every_options());
      if (!supports(changing.index(), options.answers, batch.kind)) continue;
      ASSERT_EQ("", check_call(changing.index(), batch, scan(now.keys(), batch), options, values))
          << "step " << step;
    }
    for (std::size_t changes = 1 + random.below(4); changes > 0; --changes) {
      ASSERT_NO_THROW(changing.random_change()) << "step " << step;
      ASSERT_EQ("", changing.difference()) << "step " << step << delta;
    }
  }
}

TEST(RandomRuns, AnswerLikeTheScan) {
  if (const char* seed = std::getenv("RTINDEX_SEED")) return run(std::stoull(seed));
  std::random_device device;
  const char* requested = std::getenv("RTINDEX_RUNS");
  const std::size_t runs = requested != nullptr ? std::stoull(requested) : affordable(usual_runs);
  for (std::size_t i = 0; i < runs && !HasFailure(); ++i)
    run(static_cast<std::uint64_t>(device()) << 20 ^ device());
}

}  // namespace
}  // namespace rtindex::test
