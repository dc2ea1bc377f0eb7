// The indexes on a GPU: times of points, ranges and batches.
//
// 2^26 random keys and 2^27 lookups unless said otherwise, all in device memory except those of the
// question `host`; `sum` over a uint32 value column by rowID; means of five runs after a warm-up,
// timed by CUDA events. Every answer is checked. Goals are those of an NVIDIA H200.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/cuda/runtime.hpp"
#include "gpu/distributions.hpp"
#include "gpu/gpu_report.hpp"
#include "gpu/host_memory.hpp"
#include "gpu/latency.hpp"
#include "gpu/peers/peer.hpp"
#include "gpu/strings.hpp"
#include "harness/program_options.hpp"

namespace rtindex::bench {

namespace {

struct Settings {
  std::string records;
  std::vector<std::string> questions = {
      "points32", "points64", "clustered", "twice", "duplicates", "ranges",        "long",
      "batches",  "latency",  "settings",  "huge",  "host",       "distributions", "strings"};
  int key_bits = 26;
  int lookup_bits = 27;
  int huge_bits = 31;
  std::vector<std::string> indexes = {"rx:native@cuda", "sorted@cuda", "btree@cuda", "hash@cuda"};
};

// The questions for published indexes.
void measure_points(GpuReport& report, GpuPeer& peer, const GpuColumn& column,
                    const GpuLookups& lookups, const nlohmann::json& workload) {
  peer.prepare(column.rule);
  const Times builds = report.time([] {}, [&] { peer.build(column.keys.data()); });
  report.add(peer.name(), "build", "build_ms", builds, 0, workload);
  report.add_number(peer.name(), "resident", "bytes_per_key",
                    static_cast<double>(peer.bytes()) / static_cast<double>(column.rule.rows),
                    workload);
  for (const auto& [name, pattern, sorted] :
       {std::tuple{"sum, unsorted, all hit", LookupPattern::hits, false},
        std::tuple{"sum, unsorted, all miss", LookupPattern::misses, false},
        std::tuple{"sum, sorted, all hit", LookupPattern::hits, true}}) {
    make_lookups(column.rule, pattern, 1, lookups.count, lookups.keys.data());
    if (sorted) sort_lookups(column.rule, lookups.count, lookups.keys.data());
    report.add_sums(peer.name(), name, column, lookups, workload, [&] {
      peer.sums(lookups.keys.data(), lookups.count, column.values.as<std::uint32_t>(),
                lookups.sums.as<std::uint64_t>());
    });
  }
}

void measure_ranges(GpuReport& report, GpuPeer& peer, const GpuColumn& column,
                    const GpuRanges& ranges) {
  if (!peer.answers_ranges()) return;
  peer.prepare(column.rule);
  peer.build(column.keys.data());
  for (const std::uint64_t hits : {1, 16, 256, 1024}) {
    make_ranges(column.rule, hits, ranges.count, ranges.lower.data(), ranges.upper.data());
    report.add_range_sums(
        peer.name(), fmt::format("range sum, {} hits", hits), column, ranges, hits, [&] {
          peer.range_sums(ranges.lower.as<std::uint32_t>(), ranges.upper.as<std::uint32_t>(), hits,
                          ranges.count, column.values.as<std::uint32_t>(),
                          ranges.sums.as<std::uint64_t>());
        });
  }
}

class Bench {
 public:
  explicit Bench(Settings settings) : settings_(std::move(settings)), report_(settings_.records) {}

  void run() {
    if (wanted("points32")) points(KeySpread::uniform, 4);
    if (wanted("points64")) points(KeySpread::uniform, 8);
    if (wanted("clustered")) points(KeySpread::clustered, 8);
    if (wanted("twice")) {
      points(KeySpread::few_twice, 4);
      points(KeySpread::few_twice, 8);
    }
    if (wanted("duplicates")) duplicates();
    if (wanted("ranges")) ranges();
    if (wanted("long")) long_ranges();
    if (wanted("batches")) batches();
    if (wanted("latency")) measure_latency(report_, settings_.key_bits, settings_.indexes);
    if (wanted("settings")) settings();
    if (wanted("huge")) huge();
    if (wanted("host"))
      measure_host_memory(report_, settings_.indexes, settings_.key_bits,
                          std::min(26, settings_.lookup_bits));
    if (wanted("distributions"))
      compare_distributions(report_, settings_.indexes, settings_.key_bits, settings_.lookup_bits);
    if (wanted("strings"))
      measure_strings(report_, settings_.indexes, std::min(24, settings_.key_bits));
    if (report_.wrong() != 0) {
      fmt::print("{} answers were wrong\n", report_.wrong());
      std::exit(1);
    }
  }

 private:
  [[nodiscard]] static const char* name_of(KeySpread spread) {
    switch (spread) {
      case KeySpread::clustered: return "clustered";
      case KeySpread::few_twice: return "uniform, 0.1% twice,";
      default: return "uniform";
    }
  }
  [[nodiscard]] bool wanted(const std::string& name) const {
    return std::find(settings_.questions.begin(), settings_.questions.end(), name) !=
           settings_.questions.end();
  }

  static Outputs sums_into(const DeviceBuffer& sums) {
    Outputs outputs;
    outputs.memory_space = MemorySpace::device;
    outputs.sum = sums.data();
    return outputs;
  }

  void point_sums(const std::string& spec, const Index& index, const GpuColumn& column,
                  const std::string& question, const GpuLookups& lookups,
                  const nlohmann::json& workload) {
    const ColumnView view =
        ColumnView::of(column.rule.type(), lookups.keys.data(), lookups.count).on_device();
    const AnswerOptions options{.values = column.value_view()};
    report_.add_sums(spec, question, column, lookups, workload, [&] {
      index.answer_into(Query::equal(view), options, sums_into(lookups.sums));
    });
  }

  void point_rows(const std::string& spec, const Index& index, const GpuColumn& column,
                  const std::string& question, const GpuLookups& lookups,
                  const nlohmann::json& workload) {
    const ColumnView view =
        ColumnView::of(column.rule.type(), lookups.keys.data(), lookups.count).on_device();
    Outputs outputs;
    outputs.memory_space = MemorySpace::device;
    outputs.any = lookups.sums.as<std::uint32_t>();
    const Times times =
        report_.time(lookups.sums, [&] { index.answer_into(Query::equal(view), {}, outputs); });
    report_.add(spec, question, "lookup_ms", times,
                wrong_rows(column.rule, lookups.keys.data(), lookups.count, outputs.any), workload);
  }

  // `options` has the values, or none for included values.
  void range_sums(const std::string& spec, const Index& index, const GpuColumn& column,
                  const std::string& question, const GpuRanges& ranges, std::uint64_t hits,
                  const AnswerOptions& options) {
    const ColumnView low = ColumnView::of(Type::u32, ranges.lower.data(), ranges.count).on_device();
    const ColumnView high =
        ColumnView::of(Type::u32, ranges.upper.data(), ranges.count).on_device();
    report_.add_range_sums(spec, question, column, ranges, hits, [&] {
      index.answer_into(Query::range(low, high), options, sums_into(ranges.sums));
    });
  }

  Index build_and_time(const GpuColumn& column, const std::string& spec,
                       const nlohmann::json& workload) {
    std::optional<Index> index;
    // The previous index is destroyed before the clock starts.
    const Times times = report_.time([&] { index.reset(); },
                                     [&] { index.emplace(build(column.key_view(), spec)); });
    report_.add(spec, "build", "build_ms", times, 0, workload);
    const MemoryUsage bytes = index->memory_usage();
    const auto rows = static_cast<double>(column.rule.rows);
    report_.add_number(spec, "resident", "bytes_per_key",
                       static_cast<double>(bytes.resident) / rows, workload);
    report_.add_number(spec, "most while building", "bytes_per_key",
                       static_cast<double>(bytes.build_peak) / rows, workload);
    return std::move(*index);
  }

  void points(KeySpread spread, int key_bytes) {
    const GpuColumn column(key_rule(spread, key_bytes, settings_.key_bits));
    const GpuLookups lookups(std::size_t{1} << settings_.lookup_bits, key_bytes);
    const std::string keys = fmt::format("{} {}-bit", name_of(spread), 8 * key_bytes);
    const nlohmann::json workload = point_workload(keys, settings_.key_bits);
    fmt::print("\n{} keys, 2^{} keys, 2^{} lookups\n", keys, settings_.key_bits,
               settings_.lookup_bits);
    report_.add("cub::DeviceRadixSort::SortPairs", "sort of the same pairs", "build_ms",
                Times{time_cub_sort(column.rule, column.keys.data(), GpuReport::rounds)}, 0,
                workload);
    for (const std::string& spec : settings_.indexes) {
      const Index index = build_and_time(column, spec, workload);
      for (const auto& [name, pattern, sorted] :
           {std::tuple{"unsorted, all hit", LookupPattern::hits, false},
            std::tuple{"unsorted, all miss", LookupPattern::misses, false},
            std::tuple{"unsorted, Zipf 1.5", LookupPattern::zipf, false},
            std::tuple{"sorted, all hit", LookupPattern::hits, true}}) {
        make_lookups(column.rule, pattern, 1, lookups.count, lookups.keys.data());
        if (sorted) sort_lookups(column.rule, lookups.count, lookups.keys.data());
        point_sums(spec, index, column, fmt::format("sum, {}", name), lookups, workload);
        if (pattern == LookupPattern::zipf || sorted) continue;
        point_rows(spec, index, column, fmt::format("any, {}", name), lookups, workload);
      }
    }
    for (const std::unique_ptr<GpuPeer>& peer : gpu_peers())
      if (peer->takes(column.rule)) measure_points(report_, *peer, column, lookups, workload);
  }

  void duplicates() {
    constexpr std::uint64_t multiplicity = 256;
    const GpuColumn column(key_rule(KeySpread::repeated, 4, settings_.key_bits, multiplicity));
    const int lookup_bits = settings_.lookup_bits - 8;
    const GpuLookups lookups(std::size_t{1} << lookup_bits, 4);
    make_lookups(column.rule, LookupPattern::hits, 1, lookups.count, lookups.keys.data());
    const nlohmann::json workload = {{"keys", "32-bit, each 256 times"},
                                     {"keys_log2", settings_.key_bits},
                                     {"lookups_log2", lookup_bits}};
    fmt::print("\nevery key 256 times, 2^{} rows, 2^{} lookups\n", settings_.key_bits, lookup_bits);
    for (const std::string& spec : settings_.indexes) {
      const Index index = build_and_time(column, spec, workload);
      point_sums(spec, index, column, "sum, unsorted, all hit, 256 duplicates", lookups, workload);
    }
  }

  // Nothing for an index that does not keep its keys in order.
  static std::optional<Index> build_with_values(const GpuColumn& column, const std::string& spec) {
    try {
      return build(column.key_view(), spec, {.include = column.value_view()});
    } catch (const Error& error) {
      fmt::print("{}\n", error.what());
      return std::nullopt;
    }
  }

  void ranges() {
    const GpuColumn column(key_rule(KeySpread::dense, 4, settings_.key_bits));
    const GpuRanges ranges(std::size_t{1} << std::min(24, settings_.lookup_bits));
    const AnswerOptions options{.values = column.value_view()};
    fmt::print("\nranges, 2^{} dense keys, 2^24 lookups at most\n", settings_.key_bits);
    for (const std::string& spec : settings_.indexes) {
      if (spec.starts_with("hash")) continue;
      const Index plain = build(column.key_view(), spec);
      const std::optional<Index> with_values = build_with_values(column, spec);
      if (with_values)
        report_.add_number(spec, "resident with included values", "bytes_per_key",
                           static_cast<double>(with_values->memory_usage().resident) /
                               static_cast<double>(column.rule.rows),
                           {{"keys", "dense 32-bit"}, {"keys_log2", settings_.key_bits}});
      for (const std::uint64_t hits : {1, 16, 256, 1024}) {
        make_ranges(column.rule, hits, ranges.count, ranges.lower.data(), ranges.upper.data());
        const std::string question = fmt::format("range sum, {} hits", hits);
        range_sums(spec, plain, column, question, ranges, hits, options);
        if (with_values)
          range_sums(spec, *with_values, column, question + ", included values", ranges, hits, {});
      }
    }
    const Index direct = build(column.key_view(), "rx:native@cuda,gather=off");
    for (const std::uint64_t hits : {16, 256}) {
      make_ranges(column.rule, hits, ranges.count, ranges.lower.data(), ranges.upper.data());
      range_sums("rx:native@cuda,gather=off", direct, column,
                 fmt::format("range sum, {} hits", hits), ranges, hits, options);
    }
    for (const std::unique_ptr<GpuPeer>& peer : gpu_peers())
      if (peer->takes(column.rule)) measure_ranges(report_, *peer, column, ranges);
  }

  // Few ranges with so many hits that a single thread or warp would be slow.
  void long_ranges() {
    const GpuColumn column(key_rule(KeySpread::dense, 4, settings_.key_bits));
    const AnswerOptions options{.values = column.value_view()};
    fmt::print("\nfew long ranges, 2^{} dense keys\n", settings_.key_bits);
    for (const std::string& spec : settings_.indexes) {
      if (spec.starts_with("hash")) continue;
      const Index index = build(column.key_view(), spec);
      for (const std::size_t count : {1, 64})
        for (int bits = 10; bits < settings_.key_bits; bits += 3) {
          const GpuRanges ranges(count);
          const std::uint64_t hits = std::uint64_t{1} << bits;
          make_ranges(column.rule, hits, count, ranges.lower.data(), ranges.upper.data());
          range_sums(spec, index, column, fmt::format("range sum, {} of 2^{} hits", count, bits),
                     ranges, hits, options);
        }
    }
  }

  void batches() {
    const GpuColumn column(key_rule(KeySpread::uniform, 4, settings_.key_bits));
    fmt::print("\nbatches, 2^{} keys\n", settings_.key_bits);
    const Index index = build(column.key_view(), "rx:native@cuda");
    for (int bits = 0; bits <= settings_.lookup_bits; ++bits) {
      if (bits != 0 && bits < 10) continue;
      const GpuLookups lookups(std::size_t{1} << bits, 4);
      make_lookups(column.rule, LookupPattern::hits, 1, lookups.count, lookups.keys.data());
      point_sums("rx:native@cuda", index, column, fmt::format("sum, batch of 2^{}", bits), lookups,
                 {{"keys", "uniform 32-bit"},
                  {"keys_log2", settings_.key_bits},
                  {"lookups", lookups.count}});
    }
  }

  // Hits and misses on uniform 32-bit keys.
  void hits_and_misses(const std::string& spec, const GpuColumn& column,
                       const GpuLookups& lookups) {
    const Index index = build(column.key_view(), spec);
    const nlohmann::json workload = point_workload("uniform 32-bit", column.rule.row_bits);
    make_lookups(column.rule, LookupPattern::hits, 1, lookups.count, lookups.keys.data());
    point_sums(spec, index, column, "sum, unsorted, all hit", lookups, workload);
    make_lookups(column.rule, LookupPattern::misses, 1, lookups.count, lookups.keys.data());
    point_sums(spec, index, column, "sum, unsorted, all miss", lookups, workload);
  }

  // The paper's parameters and our defaults.
  void settings() {
    const GpuColumn column(key_rule(KeySpread::uniform, 4, settings_.key_bits));
    const GpuLookups lookups(std::size_t{1} << settings_.lookup_bits, 4);
    fmt::print("\nsettings, 2^{} uniform 32-bit keys, 2^{} lookups\n", settings_.key_bits,
               settings_.lookup_bits);
    for (const char* spec :
         {"btree@cuda,group=1", "btree@cuda,group=4", "btree@cuda,group=16", "hash@cuda,group=1",
          "hash@cuda,group=2", "hash@cuda,group=4", "hash@cuda,group=8", "hash@cuda,group=16"})
      hits_and_misses(spec, column, lookups);
  }

  void huge() {
    fmt::print("\n2^{} uniform 32-bit keys, 2^{} lookups\n", settings_.huge_bits,
               settings_.lookup_bits);
    const GpuColumn column(key_rule(KeySpread::uniform, 4, settings_.huge_bits));
    const GpuLookups lookups(std::size_t{1} << settings_.lookup_bits, 4);
    hits_and_misses("rx:native@cuda", column, lookups);
  }

  [[nodiscard]] nlohmann::json point_workload(const std::string& keys, int key_bits) const {
    return {{"keys", keys}, {"keys_log2", key_bits}, {"lookups_log2", settings_.lookup_bits}};
  }

  Settings settings_;
  GpuReport report_;
};

int start(int argc, char** argv) {
  Settings settings;
  CLI::App app(
      "Time points, ranges and batches on a GPU, with data in its memory and in that of the host.\n"
      "Every answer is checked; published indexes are included where they were built in.");
  add_records(app, settings.records);
  app.add_option("--only", settings.questions, "questions to run")
      ->delimiter(',')
      ->check(CLI::IsMember(settings.questions))
      ->type_name("QUESTION,...");
  add_log2(app, "--keys", settings.key_bits, 31, "keys");
  add_log2(app, "--lookups", settings.lookup_bits, 31, "lookups");
  add_log2(app, "--huge", settings.huge_bits, 31, "keys of the question `huge`");
  app.add_option("--index", settings.indexes, "an index to measure; repeatable")
      ->type_name("SPEC")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (cuda::unusable()) {
    fmt::print(stderr, "bench_gpu: {}\n", *cuda::unusable());
    return 1;
  }
  try {
    Bench(std::move(settings)).run();
  } catch (const Error& error) {
    fmt::print(stderr, "bench_gpu: {}\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace

}  // namespace rtindex::bench

int main(int argc, char** argv) { return rtindex::bench::start(argc, argv); }
