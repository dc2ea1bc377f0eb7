// The speed of rx:optix relative to a bare OptiX program.
//
// A bare OptiX program (bare_optix.hpp) and rx:optix answer the same lookups on the same column,
// all in device memory, in turn; every sum of both is checked. Goal: rx:optix takes at most 10%
// longer, unsorted and sorted.

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "gpu/device_workload.hpp"
#include "harness/program_options.hpp"
#include "harness/records.hpp"
#include "harness/timing.hpp"
#include "kinds/optix/library.hpp"
#include "optix_overhead/bare_optix.hpp"

namespace rtindex::bench {

namespace {

constexpr int rounds = 5;

struct Settings {
  int key_bits = 26;
  int lookup_bits = 27;
  std::string records;
};

// Milliseconds of both, of our launches, and the number of wrong answers.
struct Comparison {
  Times bare, ours, our_rays;
  std::uint64_t wrong = 0;
};

class OverheadBench {
 public:
  OverheadBench(const Settings& settings, KeySpread spread)
      : rule_(key_rule(spread, 4, settings.key_bits)),
        count_(std::size_t{1} << settings.lookup_bits),
        keys_(rule_.rows * sizeof(std::uint32_t)),
        values_(rule_.rows * sizeof(std::uint32_t)),
        lookups_(count_ * sizeof(std::uint32_t)),
        sums_(count_ * sizeof(std::uint64_t)) {
    make_column(rule_, keys_.data());
    make_values(rule_.rows, values_.as<std::uint32_t>());
    make_lookups(rule_, LookupPattern::hits, 1, count_, lookups_.data());
    bare_.emplace(keys_.as<std::uint32_t>(), rule_.rows);
    index_.emplace(build(view(keys_, rule_.rows), "rx:optix"));
  }

  [[nodiscard]] std::string spec() const { return index_->spec().text(); }
  void sort() { sort_lookups(rule_, count_, lookups_.data()); }

  [[nodiscard]] Comparison compare() {
    const AnswerOptions options{.values = view(values_, rule_.rows)};
    const ColumnView lookups = view(lookups_, count_);
    const Outputs outputs{.sum = sums_.data(), .memory_space = MemorySpace::device};
    Comparison comparison;
    for (int round = 0; round <= rounds; ++round) {
      const double bare = time(comparison, [&] {
        bare_->sum(lookups_.as<std::uint32_t>(), count_, values_.as<std::uint32_t>(),
                   sums_.as<std::uint64_t>());
      });
      const double ours =
          time(comparison, [&] { index_->answer_into(Query::equal(lookups), options, outputs); });
      if (round == 0) continue;  // a warm-up
      comparison.bare.runs.push_back(bare);
      comparison.ours.runs.push_back(ours);
    }
    // In separate calls, because a timed call synchronises.
    double milliseconds = 0;
    for (int round = 0; round < rounds; ++round) {
      time(comparison, [&] {
        index_->answer_into(Query::equal(lookups), options, outputs, {.ray_ms = &milliseconds});
      });
      comparison.our_rays.runs.push_back(milliseconds);
    }
    return comparison;
  }

 private:
  [[nodiscard]] static ColumnView view(const DeviceBuffer& buffer, std::size_t size) {
    return ColumnView::of(Type::u32, buffer.data(), size).on_device();
  }

  // Times one of the two: answers are poisoned before it and checked after it.
  double time(Comparison& comparison, const std::function<void()>& work) const {
    sums_.poison();
    clock_.start();
    work();
    const double milliseconds = clock_.stop();
    comparison.wrong += wrong_sums(rule_, lookups_.data(), count_, sums_.as<std::uint64_t>());
    return milliseconds;
  }

  KeyRule rule_;
  std::size_t count_;
  DeviceBuffer keys_, values_, lookups_, sums_;
  std::optional<BareOptix> bare_;
  std::optional<Index> index_;
  DeviceClock clock_;
};

int run(const Settings& settings) {
  PeerRecords records(settings.records, "optix-overhead",
                      fmt::format("bench_optix_overhead --keys {} --lookups {}", settings.key_bits,
                                  settings.lookup_bits));
  fmt::print("rx:optix against a bare OptiX program: 2^{} keys, 2^{} point lookups, sum; {}\n\n",
             settings.key_bits, settings.lookup_bits, optix::rtcore_text(0));
  fmt::print("{:<10} {:<10} {:>10} {:>10} {:>8} {:>14}\n", "keys", "lookups", "bare, ms",
             "ours, ms", "ratio", "our rays, ms");
  for (const KeySpread spread : {KeySpread::dense, KeySpread::uniform}) {
    OverheadBench bench(settings, spread);
    const char* keys = spread == KeySpread::dense ? "dense" : "uniform";
    for (const char* order : {"unsorted", "sorted"}) {
      if (std::string(order) == "sorted") bench.sort();
      const Comparison comparison = bench.compare();
      if (comparison.wrong != 0) {
        fmt::print(stderr, "{} answers were wrong\n", comparison.wrong);
        return 1;
      }
      fmt::print("{:<10} {:<10} {:>10.3f} {:>10.3f} {:>8.3f} {:>14.3f}\n", keys, order,
                 comparison.bare.median(), comparison.ours.median(),
                 comparison.ours.median() / comparison.bare.median(), comparison.our_rays.median());
      const nlohmann::json workload = {{"keys", fmt::format("{} uint32", keys)},
                                       {"keys_log2", settings.key_bits},
                                       {"lookups_log2", settings.lookup_bits},
                                       {"order", order},
                                       {"answer", "sum"}};
      records.add("bare OptiX program", workload, "lookup_ms", comparison.bare.median(),
                  comparison.bare.runs);
      records.add(bench.spec(), workload, "lookup_ms", comparison.ours.median(),
                  comparison.ours.runs);
      records.add(bench.spec(), workload, "launch_ms", comparison.our_rays.median(),
                  comparison.our_rays.runs);
    }
  }
  fmt::print("\nall answers of both checked\n");
  return 0;
}

int start(int argc, char** argv) {
  Settings settings;
  CLI::App app("rx:optix against a bare OptiX program on the same scene");
  add_log2(app, "--keys", settings.key_bits, 28, "keys");
  add_log2(app, "--lookups", settings.lookup_bits, 30, "lookups");
  add_records(app, settings.records);
  CLI11_PARSE(app, argc, argv);
  if (optix::unusable()) {
    fmt::print(stderr, "bench_optix_overhead: {}\n", *optix::unusable());
    return 1;
  }
  try {
    return run(settings);
  } catch (const Error& error) {
    fmt::print(stderr, "bench_optix_overhead: {}\n", error.what());
    return 1;
  }
}

}  // namespace

}  // namespace rtindex::bench

int main(int argc, char** argv) { return rtindex::bench::start(argc, argv); }
