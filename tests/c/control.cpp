// rtindex_set_control(): a callback that reports the progress of calls and may stop them.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <rtindex/rtindex.h>

#include "c/c_calls.hpp"

namespace rtindex::test {
namespace {

struct Reports {
  std::vector<double> fractions;
  double stop_at = 2;

  static std::int32_t callback(void* context, double fraction) {
    auto& self = *static_cast<Reports*>(context);
    self.fractions.push_back(fraction);
    return fraction >= self.stop_at ? 1 : 0;
  }
  [[nodiscard]] rtindex_control control() {
    return {.struct_size = sizeof(rtindex_control),
            .progress = callback,
            .context = this,
            .interval_ms = 0};
  }
};

class ControlInC : public testing::Test {
 protected:
  ~ControlInC() override { EXPECT_EQ("", error_in(rtindex_set_control(nullptr))); }

  std::vector<std::uint32_t> keys = {3, 1, 2, 1};
  rtindex_column column = [this] {
    rtindex_column result{};
    result.struct_size = sizeof(result);
    result.type = RTINDEX_TYPE_UINT32;
    result.count = keys.size();
    result.data = keys.data();
    return result;
  }();
};

TEST_F(ControlInC, ReportsTheEndOfEveryCall) {
  Reports reports;
  const rtindex_control control = reports.control();
  ASSERT_EQ("", error_in(rtindex_set_control(&control)));
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, nullptr, nullptr, index.out())));
  EXPECT_EQ(reports.fractions, std::vector{1.0});
  ASSERT_EQ("", error_in(rtindex_insert(index.get(), &column, nullptr, nullptr, nullptr)));
  EXPECT_EQ(reports.fractions, (std::vector{1.0, 1.0}));
  ASSERT_EQ("", error_in(rtindex_set_control(nullptr)));
  ASSERT_EQ("", error_in(rtindex_merge(index.get())));
  EXPECT_EQ(reports.fractions.size(), 2);
}

TEST_F(ControlInC, StopsCallsThatChangeNothingThen) {
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, nullptr, nullptr, index.out())));
  Reports reports;
  reports.stop_at = 0;
  const rtindex_control control = reports.control();
  ASSERT_EQ("", error_in(rtindex_set_control(&control)));
  EXPECT_EQ(rtindex_insert(index.get(), &column, nullptr, nullptr, nullptr),
            RTINDEX_STATUS_STOPPED);
  EXPECT_EQ(rtindex_last_status(), RTINDEX_STATUS_STOPPED);
  EXPECT_NE(std::string(rtindex_last_error()).find("nothing was changed"), std::string::npos);
  EXPECT_STREQ(rtindex_status_name(RTINDEX_STATUS_STOPPED), "stopped");
  CIndex none;
  EXPECT_EQ(rtindex_build(&column, nullptr, nullptr, none.out()), RTINDEX_STATUS_STOPPED);
  EXPECT_EQ(none.get(), nullptr);
  ASSERT_EQ("", error_in(rtindex_set_control(nullptr)));
  rtindex_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ("", error_in(rtindex_get_info(index.get(), &info)));
  EXPECT_EQ(info.rows, keys.size());
}

TEST_F(ControlInC, BelongsToItsThread) {
  Reports reports;
  reports.stop_at = 0;
  const rtindex_control control = reports.control();
  ASSERT_EQ("", error_in(rtindex_set_control(&control)));
  std::thread([&] {
    CIndex index;
    EXPECT_EQ("", error_in(rtindex_build(&column, nullptr, nullptr, index.out())));
  }).join();
  EXPECT_TRUE(reports.fractions.empty());
}

TEST_F(ControlInC, RejectsInvalidControls) {
  Reports reports;
  rtindex_control control = reports.control();
  control.progress = nullptr;
  EXPECT_EQ(rtindex_set_control(&control), RTINDEX_STATUS_INVALID_ARGUMENT);
  control = reports.control();
  control.interval_ms = -1;
  EXPECT_EQ(rtindex_set_control(&control), RTINDEX_STATUS_INVALID_ARGUMENT);
  control = reports.control();
  control.struct_size = 3;
  EXPECT_EQ(rtindex_set_control(&control), RTINDEX_STATUS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace rtindex::test
