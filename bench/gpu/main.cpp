// How fast are the indexes on a GPU?
//
// 2^26 random keys and 2^27 lookups unless said otherwise, all in device memory; `sum` over a
// uint32 value column by rowID; means of five runs after a warm-up, timed by CUDA events. Every
// answer is checked. Goals are those of an NVIDIA H200.
//
//   bench_gpu [--records FILE] [--only WORD] [--keys LOG2] [--lookups LOG2] [--index SPEC]...

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/cuda/runtime.hpp"
#include "gpu/device_workload.hpp"
#include "gpu/peers/peer.hpp"
#include "harness/peer_records.hpp"
#include "harness/timing.hpp"
#include "indexes/catalog.hpp"

namespace {

using namespace rtindex;
using namespace rtindex::bench;

constexpr int rounds = 5;

struct Settings {
  std::string records;
  std::string only;
  int key_bits = 26;
  int lookup_bits = 27;
  int huge_bits = 31;
  std::vector<std::string> indexes = {"rx:native@cuda", "sorted@cuda", "btree@cuda", "hash@cuda"};
};

// The spec with all settings named, so that a record stays true when defaults change; peers keep
// their names.
std::string full_spec(const std::string& index) {
  try {
    return resolve(Spec(index)).text();
  } catch (const Error&) {
    return index;
  }
}

class Bench {
 public:
  explicit Bench(Settings settings)
      : settings_(std::move(settings)), records_(settings_.records, "gpu-indexes", "bench_gpu") {}

  void run() {
    if (wanted("points32")) points(KeySpread::uniform, 4);
    if (wanted("points64")) points(KeySpread::uniform, 8);
    if (wanted("clustered")) points(KeySpread::clustered, 8);
    if (wanted("duplicates")) duplicates();
    if (wanted("ranges")) ranges();
    if (wanted("batches")) batches();
    if (wanted("settings")) settings();
    if (wanted("huge")) huge();
    if (wrong_ != 0) {
      fmt::print("{} answers were wrong\n", wrong_);
      std::exit(1);
    }
  }

 private:
  [[nodiscard]] bool wanted(const std::string& name) const {
    return settings_.only.empty() ||
           ("," + settings_.only + ",").find("," + name + ",") != std::string::npos;
  }

  // Milliseconds on the device of `rounds` runs after one that is not counted. Answers are wiped
  // before every run, so that none can be taken for those of an earlier one.
  Times time(const DeviceBuffer& answers, const std::function<void()>& work) {
    Times times;
    for (int round = 0; round <= rounds; ++round) {
      answers.wipe();
      clock_.start();
      work();
      const double milliseconds = clock_.stop();
      if (round != 0) times.runs.push_back(milliseconds);
    }
    return times;
  }

  void report(const std::string& index, const std::string& question, const std::string& metric,
              const Times& times, std::uint64_t wrong, nlohmann::json workload) {
    wrong_ += wrong;
    workload["question"] = question;
    fmt::print("{:<34} {:<44} {:>10.3f} {}{}\n", index, question, times.mean(), metric,
               wrong == 0 ? "" : fmt::format("   {} WRONG", wrong));
    std::fflush(stdout);
    if (wrong == 0) records_.add(full_spec(index), workload, metric, times.mean(), times.runs);
  }

  void report_number(const std::string& index, const std::string& question,
                     const std::string& metric, double value, nlohmann::json workload) {
    workload["question"] = question;
    fmt::print("{:<34} {:<44} {:>10.3f} {}\n", index, question, value, metric);
    records_.add(full_spec(index), workload, metric, value);
  }

  // A column on the device, its values and an index over it.
  struct Bed {
    Bed(const KeyRule& key_rule)
        : rule(key_rule),
          keys(rule.rows * static_cast<std::size_t>(rule.key_bytes)),
          values(rule.rows * sizeof(std::uint32_t)) {
      make_column(rule, keys.data());
      make_values(rule.rows, values.as<std::uint32_t>());
    }
    [[nodiscard]] ColumnView column() const {
      return ColumnView::of(rule.type(), keys.data(), rule.rows).on_device();
    }
    [[nodiscard]] ColumnView value_column() const {
      return ColumnView::of(Type::u32, values.data(), rule.rows).on_device();
    }
    KeyRule rule;
    DeviceBuffer keys, values;
  };

  static Outputs sums_into(const DeviceBuffer& sums) {
    Outputs outputs;
    outputs.place = Place::device;
    outputs.sum = sums.data();
    return outputs;
  }

  // Times what writes the sums of point lookups, checks all of them and reports.
  void report_sums(const std::string& name, const Bed& bed, const std::string& question,
                   const DeviceBuffer& lookups, std::size_t count, const DeviceBuffer& sums,
                   const nlohmann::json& workload, const std::function<void()>& work) {
    const Times times = time(sums, work);
    report(name, question, "lookup_ms", times,
           wrong_sums(bed.rule, lookups.data(), count, sums.as<std::uint64_t>()), workload);
  }
  void report_sums(const std::string& spec, const Index& index, const Bed& bed,
                   const std::string& question, const DeviceBuffer& lookups, std::size_t count,
                   const DeviceBuffer& sums, const nlohmann::json& workload) {
    const ColumnView view = ColumnView::of(bed.rule.type(), lookups.data(), count).on_device();
    const Ask ask{.values = bed.value_column()};
    report_sums(spec, bed, question, lookups, count, sums, workload,
                [&] { index.lookup_into(view, ask, sums_into(sums)); });
  }

  // The same for ranges of so many hits over a dense column; `ask` brings the values, or none.
  void report_range_sums(const std::string& spec, const Index& index, const Bed& bed,
                         const std::string& question, const DeviceBuffer& lower,
                         const DeviceBuffer& upper, std::size_t count, std::uint64_t hits,
                         const DeviceBuffer& sums, const Ask& ask) {
    const ColumnView low = ColumnView::of(Type::u32, lower.data(), count).on_device();
    const ColumnView high = ColumnView::of(Type::u32, upper.data(), count).on_device();
    const Times times = time(sums, [&] { index.range_into(low, high, ask, sums_into(sums)); });
    report(spec, question, "lookup_ms", times,
           wrong_range_sums(bed.rule, lower.data(), hits, count, sums.as<std::uint64_t>()),
           range_workload(count, hits));
  }
  [[nodiscard]] nlohmann::json range_workload(std::size_t count, std::uint64_t hits) const {
    return {{"keys", "dense 32-bit"},
            {"keys_log2", settings_.key_bits},
            {"lookups", count},
            {"hits", hits}};
  }

  Index build_and_time(const Bed& bed, const std::string& spec, const nlohmann::json& workload) {
    Index index = build(bed.column(), spec);
    Times times;
    for (int round = 0; round < rounds; ++round) {
      clock_.start();
      Index next = build(bed.column(), spec);
      times.runs.push_back(clock_.stop());
      index = std::move(next);
    }
    report(spec, "build", "build_ms", times, 0, workload);
    const Bytes bytes = index.bytes();
    const auto rows = static_cast<double>(bed.rule.rows);
    report_number(spec, "resident", "bytes_per_key", static_cast<double>(bytes.resident) / rows,
                  workload);
    report_number(spec, "most while building", "bytes_per_key",
                  static_cast<double>(bytes.build_peak) / rows, workload);
    return index;
  }

  void points(KeySpread spread, int key_bytes) {
    const Bed bed(key_rule(spread, key_bytes, settings_.key_bits));
    const std::size_t count = std::size_t{1} << settings_.lookup_bits;
    const DeviceBuffer lookups(count * static_cast<std::size_t>(key_bytes));
    const DeviceBuffer sums(count * sizeof(std::uint64_t));
    const std::string keys = fmt::format(
        "{} {}-bit", spread == KeySpread::uniform ? "uniform" : "clustered", 8 * key_bytes);
    const nlohmann::json workload = {
        {"keys", keys}, {"keys_log2", settings_.key_bits}, {"lookups_log2", settings_.lookup_bits}};
    fmt::print("\n{} keys, 2^{} keys, 2^{} lookups\n", keys, settings_.key_bits,
               settings_.lookup_bits);
    report("cub::DeviceRadixSort::SortPairs", "sort of the same pairs", "build_ms",
           Times{time_cub_sort(bed.rule, bed.keys.data(), rounds)}, 0, workload);
    for (const std::string& spec : settings_.indexes) {
      const Index index = build_and_time(bed, spec, workload);
      for (const auto& [name, kind, sorted] :
           {std::tuple{"unsorted, all hit", Lookups::hits, false},
            std::tuple{"unsorted, all miss", Lookups::misses, false},
            std::tuple{"unsorted, Zipf 1.5", Lookups::zipf, false},
            std::tuple{"sorted, all hit", Lookups::hits, true}}) {
        make_lookups(bed.rule, kind, 1, count, lookups.data());
        if (sorted) sort_lookups(bed.rule, count, lookups.data());
        report_sums(spec, index, bed, fmt::format("sum, {}", name), lookups, count, sums, workload);
        if (kind == Lookups::zipf || sorted) continue;
        const ColumnView view = ColumnView::of(bed.rule.type(), lookups.data(), count).on_device();
        Outputs outputs;
        outputs.place = Place::device;
        outputs.any = sums.as<std::uint32_t>();
        const Times times = time(sums, [&] { index.lookup_into(view, {}, outputs); });
        report(spec, fmt::format("any, {}", name), "lookup_ms", times,
               wrong_rows(bed.rule, lookups.data(), count, sums.as<std::uint32_t>()), workload);
      }
    }
    for (const std::unique_ptr<GpuPeer>& peer : gpu_peers())
      if (peer->takes(bed.rule)) peer_points(*peer, bed, lookups, count, sums, workload);
  }

  // The same questions to a published index.
  void peer_points(GpuPeer& peer, const Bed& bed, const DeviceBuffer& lookups, std::size_t count,
                   const DeviceBuffer& sums, const nlohmann::json& workload) {
    peer.prepare(bed.rule);
    Times builds;
    for (int round = 0; round <= rounds; ++round) {
      clock_.start();
      peer.build(bed.keys.data());
      const double milliseconds = clock_.stop();
      if (round != 0) builds.runs.push_back(milliseconds);
    }
    report(peer.name(), "build", "build_ms", builds, 0, workload);
    report_number(peer.name(), "resident", "bytes_per_key",
                  static_cast<double>(peer.bytes()) / static_cast<double>(bed.rule.rows), workload);
    for (const auto& [name, kind, sorted] :
         {std::tuple{"unsorted, all hit", Lookups::hits, false},
          std::tuple{"unsorted, all miss", Lookups::misses, false},
          std::tuple{"sorted, all hit", Lookups::hits, true}}) {
      make_lookups(bed.rule, kind, 1, count, lookups.data());
      if (sorted) sort_lookups(bed.rule, count, lookups.data());
      report_sums(peer.name(), bed, fmt::format("sum, {}", name), lookups, count, sums, workload,
                  [&] {
                    peer.sums(lookups.data(), count, bed.values.as<std::uint32_t>(),
                              sums.as<std::uint64_t>());
                  });
    }
  }

  void peer_ranges(GpuPeer& peer, const Bed& bed, const DeviceBuffer& lower,
                   const DeviceBuffer& upper, std::size_t count, const DeviceBuffer& sums) {
    peer.prepare(bed.rule);
    peer.build(bed.keys.data());
    for (const std::uint64_t hits : {1, 16, 256, 1024}) {
      make_ranges(bed.rule, hits, count, lower.data(), upper.data());
      bool answers = true;
      const Times times = time(sums, [&] {
        answers = peer.range_sums(lower.as<std::uint32_t>(), upper.as<std::uint32_t>(), hits, count,
                                  bed.values.as<std::uint32_t>(), sums.as<std::uint64_t>());
      });
      if (!answers) return;
      report(peer.name(), fmt::format("range sum, {} hits", hits), "lookup_ms", times,
             wrong_range_sums(bed.rule, lower.data(), hits, count, sums.as<std::uint64_t>()),
             range_workload(count, hits));
    }
  }

  void duplicates() {
    constexpr std::uint64_t multiplicity = 256;
    const Bed bed(key_rule(KeySpread::repeated, 4, settings_.key_bits, multiplicity));
    const std::size_t count = std::size_t{1} << (settings_.lookup_bits - 8);
    const DeviceBuffer lookups(count * 4);
    const DeviceBuffer sums(count * sizeof(std::uint64_t));
    make_lookups(bed.rule, Lookups::hits, 1, count, lookups.data());
    const nlohmann::json workload = {{"keys", "32-bit, each 256 times"},
                                     {"keys_log2", settings_.key_bits},
                                     {"lookups_log2", settings_.lookup_bits - 8}};
    fmt::print("\nevery key 256 times, 2^{} rows, 2^{} lookups\n", settings_.key_bits,
               settings_.lookup_bits - 8);
    for (const std::string& spec : settings_.indexes) {
      const Index index = build_and_time(bed, spec, workload);
      report_sums(spec, index, bed, "sum, unsorted, all hit, 256 duplicates", lookups, count, sums,
                  workload);
    }
  }

  void ranges() {
    const Bed bed(key_rule(KeySpread::dense, 4, settings_.key_bits));
    const std::size_t count = std::size_t{1} << std::min(24, settings_.lookup_bits);
    const DeviceBuffer lower(count * 4);
    const DeviceBuffer upper(count * 4);
    const DeviceBuffer sums(count * sizeof(std::uint64_t));
    fmt::print("\nranges, 2^{} dense keys, 2^24 lookups at most\n", settings_.key_bits);
    for (const std::string& spec : settings_.indexes) {
      if (spec.starts_with("hash")) continue;
      const Index plain = build(bed.column(), spec);
      const Index with_values = build(bed.column(), spec, include(bed.value_column()));
      report_number(
          spec, "resident with included values", "bytes_per_key",
          static_cast<double>(with_values.bytes().resident) / static_cast<double>(bed.rule.rows),
          {{"keys", "dense 32-bit"}, {"keys_log2", settings_.key_bits}});
      for (const std::uint64_t hits : {1, 16, 256, 1024}) {
        make_ranges(bed.rule, hits, count, lower.data(), upper.data());
        const Ask ask{.values = bed.value_column()};
        report_range_sums(spec, plain, bed, fmt::format("range sum, {} hits", hits), lower, upper,
                          count, hits, sums, ask);
        report_range_sums(spec, with_values, bed,
                          fmt::format("range sum, {} hits, included values", hits), lower, upper,
                          count, hits, sums, {});
      }
    }
    const Index direct = build(bed.column(), "rx:native@cuda,gather=off");
    for (const std::uint64_t hits : {16, 256}) {
      make_ranges(bed.rule, hits, count, lower.data(), upper.data());
      report_range_sums("rx:native@cuda,gather=off", direct, bed,
                        fmt::format("range sum, {} hits", hits), lower, upper, count, hits, sums,
                        {.values = bed.value_column()});
    }
    for (const std::unique_ptr<GpuPeer>& peer : gpu_peers())
      if (peer->takes(bed.rule)) peer_ranges(*peer, bed, lower, upper, count, sums);
  }

  void batches() {
    const Bed bed(key_rule(KeySpread::uniform, 4, settings_.key_bits));
    fmt::print("\nsmall batches, 2^{} keys\n", settings_.key_bits);
    const Index index = build(bed.column(), "rx:native@cuda");
    for (int bits = 0; bits <= 20; ++bits) {
      if (bits != 0 && bits < 10) continue;
      const std::size_t count = std::size_t{1} << bits;
      const DeviceBuffer lookups(count * 4);
      const DeviceBuffer sums(count * sizeof(std::uint64_t));
      make_lookups(bed.rule, Lookups::hits, 1, count, lookups.data());
      report_sums(
          "rx:native@cuda", index, bed, fmt::format("sum, batch of 2^{}", bits), lookups, count,
          sums,
          {{"keys", "uniform 32-bit"}, {"keys_log2", settings_.key_bits}, {"lookups", count}});
    }
  }

  // The paper's parameters beside our defaults.
  void settings() {
    const Bed bed(key_rule(KeySpread::uniform, 4, settings_.key_bits));
    const std::size_t count = std::size_t{1} << settings_.lookup_bits;
    const DeviceBuffer lookups(count * 4);
    const DeviceBuffer sums(count * sizeof(std::uint64_t));
    fmt::print("\nsettings, 2^{} uniform 32-bit keys, 2^{} lookups\n", settings_.key_bits,
               settings_.lookup_bits);
    for (const char* spec : {"rx:native@cuda,order=on", "btree@cuda,group=1", "btree@cuda,group=4",
                             "btree@cuda,group=16", "hash@cuda,group=1", "hash@cuda,group=2",
                             "hash@cuda,group=4", "hash@cuda,group=8", "hash@cuda,group=16"}) {
      const Index index = build(bed.column(), spec);
      for (const Lookups kind : {Lookups::hits, Lookups::misses}) {
        make_lookups(bed.rule, kind, 1, count, lookups.data());
        report_sums(spec, index, bed,
                    kind == Lookups::hits ? "sum, unsorted, all hit" : "sum, unsorted, all miss",
                    lookups, count, sums,
                    {{"keys", "uniform 32-bit"},
                     {"keys_log2", settings_.key_bits},
                     {"lookups_log2", settings_.lookup_bits}});
      }
    }
  }

  void huge() {
    fmt::print("\n2^{} uniform 32-bit keys, 2^{} lookups\n", settings_.huge_bits,
               settings_.lookup_bits);
    const KeyRule rule = key_rule(KeySpread::uniform, 4, settings_.huge_bits);
    auto bed = std::make_unique<Bed>(rule);
    const std::size_t count = std::size_t{1} << settings_.lookup_bits;
    const Index index = build(bed->column(), "rx:native@cuda");
    const DeviceBuffer lookups(count * 4);
    const DeviceBuffer sums(count * sizeof(std::uint64_t));
    for (const Lookups kind : {Lookups::hits, Lookups::misses}) {
      make_lookups(rule, kind, 1, count, lookups.data());
      report_sums("rx:native@cuda", index, *bed,
                  kind == Lookups::hits ? "sum, unsorted, all hit" : "sum, unsorted, all miss",
                  lookups, count, sums,
                  {{"keys", "uniform 32-bit"},
                   {"keys_log2", settings_.huge_bits},
                   {"lookups_log2", settings_.lookup_bits}});
    }
  }

  Settings settings_;
  PeerRecords records_;
  DeviceClock clock_;
  std::uint64_t wrong_ = 0;
};

int usage() {
  fmt::print(
      "bench_gpu [--records FILE] [--only points32,points64,clustered,duplicates,ranges,batches,"
      "settings,huge]\n          [--keys LOG2] [--lookups LOG2] [--huge LOG2] [--index SPEC]...\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (cuda::unusable()) {
    fmt::print("bench_gpu: {}\n", *cuda::unusable());
    return 1;
  }
  Settings settings;
  std::vector<std::string> indexes;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (i + 1 == argc) return usage();
    const std::string value = argv[++i];
    if (option == "--records")
      settings.records = value;
    else if (option == "--only")
      settings.only = value;
    else if (option == "--keys")
      settings.key_bits = std::atoi(value.c_str());
    else if (option == "--lookups")
      settings.lookup_bits = std::atoi(value.c_str());
    else if (option == "--huge")
      settings.huge_bits = std::atoi(value.c_str());
    else if (option == "--index")
      indexes.push_back(value);
    else
      return usage();
  }
  if (!indexes.empty()) settings.indexes = indexes;
  try {
    Bench(std::move(settings)).run();
  } catch (const Error& error) {
    fmt::print("bench_gpu: {}\n", error.what());
    return 1;
  }
  return 0;
}
