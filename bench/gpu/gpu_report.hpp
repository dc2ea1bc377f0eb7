#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <string>

#include <rtindex/rtindex.hpp>

#include "gpu/device_workload.hpp"
#include "harness/records.hpp"
#include "harness/timing.hpp"
#include "index/resolve.hpp"

namespace rtindex::bench {

// Times work on a GPU, counts wrong answers, prints and records.
class GpuReport {
 public:
  static constexpr int rounds = 5;

  explicit GpuReport(const std::string& records) : records_(records, "gpu-indexes", "bench_gpu") {}

  // Milliseconds on the device of `rounds` runs after one that is not counted; `prepare` is not
  // timed.
  [[nodiscard]] Times time(const std::function<void()>& prepare,
                           const std::function<void()>& work) const {
    Times times;
    for (int round = 0; round <= rounds; ++round) {
      prepare();
      clock_.start();
      work();
      const double milliseconds = clock_.stop();
      if (round != 0) times.runs.push_back(milliseconds);
    }
    return times;
  }
  // Answers are poisoned before every run, so that none of an earlier run can pass the check.
  [[nodiscard]] Times time(const DeviceBuffer& answers, const std::function<void()>& work) const {
    return time([&] { answers.poison(); }, work);
  }

  void add(const std::string& index, const std::string& question, const std::string& metric,
           const Times& times, std::uint64_t wrong, const nlohmann::json& workload) {
    fmt::print("{:<34} {:<44} {:>10.3f} {}{}\n", index, question, times.mean(), metric,
               wrong == 0 ? "" : fmt::format("   {} WRONG", wrong));
    std::fflush(stdout);
    record(index, question, metric, times, wrong, workload);
  }
  // Without a line of its own.
  void record(const std::string& index, const std::string& question, const std::string& metric,
              const Times& times, std::uint64_t wrong, nlohmann::json workload) {
    wrong_ += wrong;
    workload["question"] = question;
    if (wrong == 0) records_.add(full_spec(index), workload, metric, times.mean(), times.runs);
  }

  void add_number(const std::string& index, const std::string& question, const std::string& metric,
                  double value, const nlohmann::json& workload) {
    fmt::print("{:<34} {:<44} {:>10.3f} {}\n", index, question, value, metric);
    record_number(index, question, metric, value, workload);
  }
  void record_number(const std::string& index, const std::string& question,
                     const std::string& metric, double value, nlohmann::json workload) {
    workload["question"] = question;
    records_.add(full_spec(index), workload, metric, value);
  }

  // Times `work`, which writes the sums of point lookups, and checks all of them.
  void add_sums(const std::string& index, const std::string& question, const GpuColumn& column,
                const GpuLookups& lookups, const nlohmann::json& workload,
                const std::function<void()>& work) {
    const Times times = time(lookups.sums, work);
    add(index, question, "lookup_ms", times,
        wrong_sums(column.rule, lookups.keys.data(), lookups.count,
                   lookups.sums.as<std::uint64_t>()),
        workload);
  }
  // Times sums of ranges of `hits` hits over a dense column, and checks all of them.
  void add_range_sums(const std::string& index, const std::string& question,
                      const GpuColumn& column, const GpuRanges& ranges, std::uint64_t hits,
                      const std::function<void()>& work) {
    const Times times = time(ranges.sums, work);
    add(index, question, "lookup_ms", times,
        wrong_range_sums(column.rule, ranges.lower.data(), hits, ranges.count,
                         ranges.sums.as<std::uint64_t>()),
        {{"keys", "dense 32-bit"},
         {"keys_log2", column.rule.row_bits},
         {"lookups", ranges.count},
         {"hits", hits}});
  }

  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  // The spec with all options, so that a record stays valid when defaults change; peers keep their
  // names.
  [[nodiscard]] static std::string full_spec(const std::string& index) {
    try {
      return resolve(Spec(index)).spec.text();
    } catch (const Error&) {
      return index;
    }
  }

  PeerRecords records_;
  DeviceClock clock_;
  std::uint64_t wrong_ = 0;
};

}  // namespace rtindex::bench
