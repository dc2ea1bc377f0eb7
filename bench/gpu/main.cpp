// How fast are the indexes on a GPU?
//
// 2^26 random keys and 2^27 lookups unless said otherwise, all in device memory; `sum` over a
// uint32 value column by rowID; means of five runs after a warm-up, timed by CUDA events. Every
// answer is checked. Goals are those of an NVIDIA H200.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/cuda/runtime.hpp"
#include "gpu/gpu_report.hpp"
#include "gpu/peers/peer_race.hpp"
#include "harness/size_options.hpp"

namespace rtindex::bench {

namespace {

struct Settings {
  std::string records;
  std::vector<std::string> questions = {"points32", "points64", "clustered", "duplicates", "ranges",
                                        "long",     "batches",  "settings",  "huge"};
  int key_bits = 26;
  int lookup_bits = 27;
  int huge_bits = 31;
  std::vector<std::string> indexes = {"rx:native@cuda", "sorted@cuda", "btree@cuda", "hash@cuda"};
};

class Bench {
 public:
  explicit Bench(Settings settings) : settings_(std::move(settings)), report_(settings_.records) {}

  void run() {
    if (wanted("points32")) points(KeySpread::uniform, 4);
    if (wanted("points64")) points(KeySpread::uniform, 8);
    if (wanted("clustered")) points(KeySpread::clustered, 8);
    if (wanted("duplicates")) duplicates();
    if (wanted("ranges")) ranges();
    if (wanted("long")) long_ranges();
    if (wanted("batches")) batches();
    if (wanted("settings")) settings();
    if (wanted("huge")) huge();
    if (report_.wrong() != 0) {
      fmt::print("{} answers were wrong\n", report_.wrong());
      std::exit(1);
    }
  }

 private:
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

  void point_sums(const std::string& spec, const Index& index, const DeviceBed& bed,
                  const std::string& question, const DeviceLookupBed& lookups,
                  const nlohmann::json& workload) {
    const ColumnView view =
        ColumnView::of(bed.rule.type(), lookups.keys.data(), lookups.count).on_device();
    const LookupOptions options{.values = bed.value_column()};
    report_.add_sums(spec, question, bed, lookups, workload,
                     [&] { index.lookup_into(view, options, sums_into(lookups.sums)); });
  }

  void point_rows(const std::string& spec, const Index& index, const DeviceBed& bed,
                  const std::string& question, const DeviceLookupBed& lookups,
                  const nlohmann::json& workload) {
    const ColumnView view =
        ColumnView::of(bed.rule.type(), lookups.keys.data(), lookups.count).on_device();
    Outputs outputs;
    outputs.memory_space = MemorySpace::device;
    outputs.any = lookups.sums.as<std::uint32_t>();
    const Times times = report_.time(lookups.sums, [&] { index.lookup_into(view, {}, outputs); });
    report_.add(spec, question, "lookup_ms", times,
                wrong_rows(bed.rule, lookups.keys.data(), lookups.count, outputs.any), workload);
  }

  // `options` brings the values, or none.
  void range_sums(const std::string& spec, const Index& index, const DeviceBed& bed,
                  const std::string& question, const DeviceRangeBed& ranges, std::uint64_t hits,
                  const LookupOptions& options) {
    const ColumnView low = ColumnView::of(Type::u32, ranges.lower.data(), ranges.count).on_device();
    const ColumnView high =
        ColumnView::of(Type::u32, ranges.upper.data(), ranges.count).on_device();
    report_.add_range_sums(spec, question, bed, ranges, hits,
                           [&] { index.range_into(low, high, options, sums_into(ranges.sums)); });
  }

  Index build_and_time(const DeviceBed& bed, const std::string& spec,
                       const nlohmann::json& workload) {
    std::optional<Index> index;
    // The index of the round before ends before the clock starts.
    const Times times =
        report_.time([&] { index.reset(); }, [&] { index.emplace(build(bed.column(), spec)); });
    report_.add(spec, "build", "build_ms", times, 0, workload);
    const MemoryUsage bytes = index->memory_usage();
    const auto rows = static_cast<double>(bed.rule.rows);
    report_.add_number(spec, "resident", "bytes_per_key",
                       static_cast<double>(bytes.resident) / rows, workload);
    report_.add_number(spec, "most while building", "bytes_per_key",
                       static_cast<double>(bytes.build_peak) / rows, workload);
    return std::move(*index);
  }

  void points(KeySpread spread, int key_bytes) {
    const DeviceBed bed(key_rule(spread, key_bytes, settings_.key_bits));
    const DeviceLookupBed lookups(std::size_t{1} << settings_.lookup_bits, key_bytes);
    const std::string keys = fmt::format(
        "{} {}-bit", spread == KeySpread::uniform ? "uniform" : "clustered", 8 * key_bytes);
    const nlohmann::json workload = point_workload(keys, settings_.key_bits);
    fmt::print("\n{} keys, 2^{} keys, 2^{} lookups\n", keys, settings_.key_bits,
               settings_.lookup_bits);
    report_.add("cub::DeviceRadixSort::SortPairs", "sort of the same pairs", "build_ms",
                Times{time_cub_sort(bed.rule, bed.keys.data(), GpuReport::rounds)}, 0, workload);
    for (const std::string& spec : settings_.indexes) {
      const Index index = build_and_time(bed, spec, workload);
      for (const auto& [name, kind, sorted] :
           {std::tuple{"unsorted, all hit", Lookups::hits, false},
            std::tuple{"unsorted, all miss", Lookups::misses, false},
            std::tuple{"unsorted, Zipf 1.5", Lookups::zipf, false},
            std::tuple{"sorted, all hit", Lookups::hits, true}}) {
        make_lookups(bed.rule, kind, 1, lookups.count, lookups.keys.data());
        if (sorted) sort_lookups(bed.rule, lookups.count, lookups.keys.data());
        point_sums(spec, index, bed, fmt::format("sum, {}", name), lookups, workload);
        if (kind == Lookups::zipf || sorted) continue;
        point_rows(spec, index, bed, fmt::format("any, {}", name), lookups, workload);
      }
    }
    for (const std::unique_ptr<GpuPeer>& peer : gpu_peers())
      if (peer->takes(bed.rule)) race_points(report_, *peer, bed, lookups, workload);
  }

  void duplicates() {
    constexpr std::uint64_t multiplicity = 256;
    const DeviceBed bed(key_rule(KeySpread::repeated, 4, settings_.key_bits, multiplicity));
    const int lookup_bits = settings_.lookup_bits - 8;
    const DeviceLookupBed lookups(std::size_t{1} << lookup_bits, 4);
    make_lookups(bed.rule, Lookups::hits, 1, lookups.count, lookups.keys.data());
    const nlohmann::json workload = {{"keys", "32-bit, each 256 times"},
                                     {"keys_log2", settings_.key_bits},
                                     {"lookups_log2", lookup_bits}};
    fmt::print("\nevery key 256 times, 2^{} rows, 2^{} lookups\n", settings_.key_bits, lookup_bits);
    for (const std::string& spec : settings_.indexes) {
      const Index index = build_and_time(bed, spec, workload);
      point_sums(spec, index, bed, "sum, unsorted, all hit, 256 duplicates", lookups, workload);
    }
  }

  // None where an index does not keep its keys in order.
  static std::optional<Index> build_with_values(const DeviceBed& bed, const std::string& spec) {
    try {
      return build(bed.column(), spec, {.include = bed.value_column()});
    } catch (const Error& error) {
      fmt::print("{}\n", error.what());
      return std::nullopt;
    }
  }

  void ranges() {
    const DeviceBed bed(key_rule(KeySpread::dense, 4, settings_.key_bits));
    const DeviceRangeBed ranges(std::size_t{1} << std::min(24, settings_.lookup_bits));
    const LookupOptions options{.values = bed.value_column()};
    fmt::print("\nranges, 2^{} dense keys, 2^24 lookups at most\n", settings_.key_bits);
    for (const std::string& spec : settings_.indexes) {
      if (spec.starts_with("hash")) continue;
      const Index plain = build(bed.column(), spec);
      const std::optional<Index> with_values = build_with_values(bed, spec);
      if (with_values)
        report_.add_number(spec, "resident with included values", "bytes_per_key",
                           static_cast<double>(with_values->memory_usage().resident) /
                               static_cast<double>(bed.rule.rows),
                           {{"keys", "dense 32-bit"}, {"keys_log2", settings_.key_bits}});
      for (const std::uint64_t hits : {1, 16, 256, 1024}) {
        make_ranges(bed.rule, hits, ranges.count, ranges.lower.data(), ranges.upper.data());
        const std::string question = fmt::format("range sum, {} hits", hits);
        range_sums(spec, plain, bed, question, ranges, hits, options);
        if (with_values)
          range_sums(spec, *with_values, bed, question + ", included values", ranges, hits, {});
      }
    }
    const Index direct = build(bed.column(), "rx:native@cuda,gather=off");
    for (const std::uint64_t hits : {16, 256}) {
      make_ranges(bed.rule, hits, ranges.count, ranges.lower.data(), ranges.upper.data());
      range_sums("rx:native@cuda,gather=off", direct, bed, fmt::format("range sum, {} hits", hits),
                 ranges, hits, options);
    }
    for (const std::unique_ptr<GpuPeer>& peer : gpu_peers())
      if (peer->takes(bed.rule)) race_ranges(report_, *peer, bed, ranges);
  }

  // One range, and some, of so many hits that a thread or a warp alone would take long.
  void long_ranges() {
    const DeviceBed bed(key_rule(KeySpread::dense, 4, settings_.key_bits));
    const LookupOptions options{.values = bed.value_column()};
    fmt::print("\nfew long ranges, 2^{} dense keys\n", settings_.key_bits);
    for (const std::string& spec : settings_.indexes) {
      if (spec.starts_with("hash")) continue;
      const Index index = build(bed.column(), spec);
      for (const std::size_t count : {1, 64})
        for (int bits = 10; bits < settings_.key_bits; bits += 3) {
          const DeviceRangeBed ranges(count);
          const std::uint64_t hits = std::uint64_t{1} << bits;
          make_ranges(bed.rule, hits, count, ranges.lower.data(), ranges.upper.data());
          range_sums(spec, index, bed, fmt::format("range sum, {} of 2^{} hits", count, bits),
                     ranges, hits, options);
        }
    }
  }

  void batches() {
    const DeviceBed bed(key_rule(KeySpread::uniform, 4, settings_.key_bits));
    fmt::print("\nbatches, 2^{} keys\n", settings_.key_bits);
    const Index index = build(bed.column(), "rx:native@cuda");
    for (int bits = 0; bits <= settings_.lookup_bits; ++bits) {
      if (bits != 0 && bits < 10) continue;
      const DeviceLookupBed lookups(std::size_t{1} << bits, 4);
      make_lookups(bed.rule, Lookups::hits, 1, lookups.count, lookups.keys.data());
      point_sums("rx:native@cuda", index, bed, fmt::format("sum, batch of 2^{}", bits), lookups,
                 {{"keys", "uniform 32-bit"},
                  {"keys_log2", settings_.key_bits},
                  {"lookups", lookups.count}});
    }
  }

  // Hits and misses on uniform 32-bit keys.
  void hits_and_misses(const std::string& spec, const DeviceBed& bed,
                       const DeviceLookupBed& lookups) {
    const Index index = build(bed.column(), spec);
    const nlohmann::json workload = point_workload("uniform 32-bit", bed.rule.row_bits);
    make_lookups(bed.rule, Lookups::hits, 1, lookups.count, lookups.keys.data());
    point_sums(spec, index, bed, "sum, unsorted, all hit", lookups, workload);
    make_lookups(bed.rule, Lookups::misses, 1, lookups.count, lookups.keys.data());
    point_sums(spec, index, bed, "sum, unsorted, all miss", lookups, workload);
  }

  // The paper's parameters beside our defaults.
  void settings() {
    const DeviceBed bed(key_rule(KeySpread::uniform, 4, settings_.key_bits));
    const DeviceLookupBed lookups(std::size_t{1} << settings_.lookup_bits, 4);
    fmt::print("\nsettings, 2^{} uniform 32-bit keys, 2^{} lookups\n", settings_.key_bits,
               settings_.lookup_bits);
    for (const char* spec : {"rx:native@cuda,order=on", "btree@cuda,group=1", "btree@cuda,group=4",
                             "btree@cuda,group=16", "hash@cuda,group=1", "hash@cuda,group=2",
                             "hash@cuda,group=4", "hash@cuda,group=8", "hash@cuda,group=16"})
      hits_and_misses(spec, bed, lookups);
  }

  void huge() {
    fmt::print("\n2^{} uniform 32-bit keys, 2^{} lookups\n", settings_.huge_bits,
               settings_.lookup_bits);
    const DeviceBed bed(key_rule(KeySpread::uniform, 4, settings_.huge_bits));
    const DeviceLookupBed lookups(std::size_t{1} << settings_.lookup_bits, 4);
    hits_and_misses("rx:native@cuda", bed, lookups);
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
      "How fast are the indexes on a GPU? Points, ranges and batches with all data in its memory;\n"
      "every answer is checked, published indexes race along where they were built in.");
  add_records(app, settings.records);
  app.add_option("--only", settings.questions, "questions to ask")
      ->delimiter(',')
      ->check(CLI::IsMember(settings.questions))
      ->type_name("QUESTION,...");
  add_log2(app, "--keys", settings.key_bits, 31, "keys");
  add_log2(app, "--lookups", settings.lookup_bits, 31, "lookups");
  add_log2(app, "--huge", settings.huge_bits, 31, "keys of the question `huge`");
  app.add_option("--index", settings.indexes, "an index to measure; again for more")
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
