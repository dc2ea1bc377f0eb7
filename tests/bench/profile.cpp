#include "harness/profile.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <rtindex/error.hpp>

namespace rtindex::bench {
namespace {

// As `ncu --csv --print-units base` prints it: a line per kernel and metric, thousands with commas.
class Table {
 public:
  Table& kernel(const std::string& name) {
    ++id_;
    name_ = name;
    return *this;
  }
  Table& metric(const std::string& name, const std::string& unit, const std::string& value) {
    text_ += fmt::format(R"x("{}","4242","rtindex","127.0.0.1","{}","1","7","(256, 1, 1)",)x"
                         R"x("(65,536, 1, 1)","0","9.0","Command line profiler metrics",)x"
                         R"x("{}","{}","{}")x"
                         "\n",
                         id_, name_, name, unit, value);
    return *this;
  }
  Table& lookup_kernel(const std::string& name, const std::string& nanoseconds,
                       const std::string& warps, const std::string& bytes) {
    return kernel(name)
        .metric("dram__bytes_read.sum", "byte", bytes)
        .metric("gpu__time_duration.sum", "ns", nanoseconds)
        .metric("sm__warps_active.avg.per_cycle_active", "warp", warps);
  }
  Table& marker() {
    return kernel("rtindex::bench::<unnamed>::profile_marker()")
        .metric("gpu__time_duration.sum", "ns", "1,024");
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_ =
      "==PROF== Connected to process 4242 (/usr/bin/rtindex)\n"
      "==PROF== Profiling \"profile_marker\" - 0: 0%....100% - 1 pass\n"
      R"x("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream",)x"
      R"x("Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit",)x"
      "\"Metric Value\"\n";
  int id_ = -1;
  std::string name_;
};

Record point(const std::string& series, const std::string& category) {
  Record record{.experiment = "profile-lookups",
                .index = series,
                .series = series,
                .x = {},
                .category = category,
                .metric = "profiled_lookups"};
  record.value = 8192;
  record.runs = {8192};
  record.machine = {{"gpu", "NVIDIA H200"}};
  record.commit = "abc";
  return record;
}

Record record_of(const std::vector<Record>& records, const std::string& series,
                 const std::string& metric) {
  for (const Record& record : records)
    if (record.series == series && record.metric == metric) return record;
  ADD_FAILURE() << "no " << metric << " of " << series;
  return {};
}

TEST(Profile, ReadsKernelsInOrder) {
  const auto kernels = kernels_in(Table()
                                      .marker()
                                      .lookup_kernel(R"x(find<unsigned int, ""x"">(Args, int))x",
                                                     "2,500,000", "12.50", "1,073,741,824")
                                      .text());
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[1].kernel, R"x(find<unsigned int, "x">(Args, int))x");
  EXPECT_EQ(kernels[1].metrics.at("dram__bytes_read.sum"), 1073741824);
  EXPECT_EQ(kernels[1].metrics.at("gpu__time_duration.sum"), 2500000);
  EXPECT_EQ(kernels[1].metrics.at("sm__warps_active.avg.per_cycle_active"), 12.5);
}

TEST(Profile, AddsBytesAndWeighsSharesByTime) {
  const auto kernels = kernels_in(Table()
                                      .marker()
                                      .lookup_kernel("sort", "1,000", "10", "100")
                                      .lookup_kernel("find", "3,000", "30", "250")
                                      .marker()
                                      .lookup_kernel("find", "7", "8", "9")
                                      .text());
  const auto records =
      profile_records({point("a", "2^13 lookups"), point("b", "2^13 lookups")}, kernels);
  EXPECT_EQ(record_of(records, "a", "memory_read_bytes").value, 350);
  EXPECT_EQ(record_of(records, "a", "active_warps").value, 25);
  EXPECT_EQ(record_of(records, "b", "memory_read_bytes").value, 9);
  const Record record = record_of(records, "b", "active_warps");
  EXPECT_EQ(record.runs, std::vector<double>{8});
  EXPECT_EQ(record.machine["gpu"], "NVIDIA H200");
  EXPECT_EQ(record.commit, "abc");
  EXPECT_EQ(record.workload["kernels"], 1);
}

TEST(Profile, ReadsOfCachesAreBytes) {
  const auto kernels = kernels_in(Table()
                                      .marker()
                                      .kernel("find")
                                      .metric("gpu__time_duration.sum", "ns", "10")
                                      .metric("lts__t_sectors_op_read.sum", "sector", "1,000")
                                      .text());
  const auto records = profile_records({point("a", "2^13 lookups")}, kernels);
  EXPECT_EQ(record_of(records, "a", "l2_read_bytes").value, 32'000);
}

TEST(Profile, ReportsMissingMetrics) {
  const auto kernels = kernels_in(Table().marker().lookup_kernel("find", "7", "n/a", "9").text());
  const auto records = profile_records({point("a", "2^13 lookups")}, kernels);
  for (const char* metric : {"active_warps", "l1_hit_percent"}) {
    const Record record = record_of(records, "a", metric);
    EXPECT_EQ(record.status, "unsupported");
    EXPECT_FALSE(record.value.has_value());
    EXPECT_FALSE(record.reason.empty());
  }
  EXPECT_TRUE(record_of(records, "a", "memory_read_bytes").ok());
}

TEST(Profile, SkipsPointsWithoutMeasurements) {
  Record rejected = point("hash", "ranges");
  rejected.status = "unsupported";
  rejected.value.reset();
  rejected.reason = "points only";
  const auto kernels = kernels_in(Table().marker().lookup_kernel("find", "7", "8", "9").text());
  const auto records = profile_records({rejected, point("a", "ranges")}, kernels);
  EXPECT_EQ(records.front().reason, "points only");
  EXPECT_EQ(record_of(records, "a", "memory_read_bytes").value, 9);
}

TEST(Profile, RejectsTheOutputOfAnotherRun) {
  const auto kernels = kernels_in(Table().marker().text());
  EXPECT_THROW((void)profile_records({point("a", "x"), point("b", "x")}, kernels), Error);
  EXPECT_THROW((void)profile_records({}, kernels), Error);
}

TEST(Profile, RejectsInvalidTables) {
  EXPECT_THROW((void)kernels_in("==ERROR== ERR_NVGPUCTRPERM\n"), Error);
  EXPECT_THROW((void)kernels_in(""), Error);
}

}  // namespace
}  // namespace rtindex::bench
