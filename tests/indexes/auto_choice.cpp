// Which tracer `auto` takes on a GPU, with measurements made up here.

#include "indexes/auto_choice.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/error.hpp>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace rtindex::test {
namespace {

class AutoChoice : public testing::Test {
 protected:
  [[nodiscard]] CalibratedGpu gpu(std::optional<unsigned> rtcore_version, Calibration times) {
    return {"NVIDIA Made Up 1/2", "580.1",
            [this, rtcore_version] {
              ++asked_;
              return rtcore_version;
            },
            [this, times] {
              ++measured_;
              return times;
            }};
  }
  [[nodiscard]] TracerChoice choose(const CalibratedGpu& of, const std::string& wish = "") {
    return choose_tracer(of, wish, folder_.path() / "made" / "on the way");
  }
  [[nodiscard]] std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      if (entry.is_regular_file()) found.push_back(entry.path());
    return found;
  }

  TemporaryFolder folder_;
  int asked_ = 0;
  int measured_ = 0;
};

TEST_F(AutoChoice, IsTheFasterOne) {
  EXPECT_EQ(choose(gpu(30, {2.0, 1.0}), "measure").tracer, "optix");
  EXPECT_EQ(choose(gpu(30, {1.0, 2.0}), "measure").tracer, "native");
  EXPECT_EQ(choose(gpu(30, {1.0, 1.0}), "measure").tracer, "native");
}

TEST_F(AutoChoice, SaysWhatWasMeasured) {
  const TracerChoice choice = choose(gpu(30, {2.5, 1.25}));
  for (const char* part : {"Made Up", "2.500 ms", "1.250 ms", "rx:native", "rx:optix"})
    EXPECT_NE(choice.reason.find(part), std::string::npos) << choice.reason;
}

TEST_F(AutoChoice, IsMeasuredOnceForAGpuAndDriver) {
  EXPECT_EQ(choose(gpu(30, {2.0, 1.0})).tracer, "optix");
  // Another measurement would say something else.
  EXPECT_EQ(choose(gpu(30, {1.0, 2.0})).tracer, "optix");
  EXPECT_EQ(measured_, 1);
  EXPECT_EQ(asked_, 1);
  EXPECT_EQ(files().size(), 1U);
  CalibratedGpu newer = gpu(30, {1.0, 2.0});
  newer.driver = "590.2";
  EXPECT_EQ(choose(newer).tracer, "native");
  EXPECT_EQ(measured_, 2);
  EXPECT_EQ(choose(gpu(30, {1.0, 2.0}), "measure").tracer, "native");
  EXPECT_EQ(choose(gpu(30, {2.0, 1.0})).tracer, "native");
}

TEST_F(AutoChoice, IsNativeWithoutRtCoresAndNothingIsMeasured) {
  for (int i = 0; i < 2; ++i) {
    const TracerChoice choice = choose(gpu(0, {2.0, 1.0}));
    EXPECT_EQ(choice.tracer, "native");
    EXPECT_NE(choice.reason.find("no RT cores"), std::string::npos) << choice.reason;
  }
  EXPECT_EQ(measured_, 0);
  EXPECT_EQ(asked_, 1) << "OptiX is not started a second time";
}

TEST_F(AutoChoice, IsNativeWhereOptixIsMissingUntilItIsThere) {
  EXPECT_EQ(choose(gpu(std::nullopt, {})).tracer, "native");
  EXPECT_TRUE(files().empty());
  EXPECT_EQ(choose(gpu(20, {2.0, 1.0})).tracer, "optix");
}

TEST_F(AutoChoice, IsNativeWhereMeasuringFailsAndThatIsNotKept) {
  CalibratedGpu broken = gpu(30, {});
  broken.measure = []() -> Calibration { fail("no memory"); };
  const TracerChoice choice = choose(broken);
  EXPECT_EQ(choice.tracer, "native");
  EXPECT_NE(choice.reason.find("no memory"), std::string::npos);
  EXPECT_TRUE(files().empty());
}

TEST_F(AutoChoice, MeasuresAgainWhereTheFileMakesNoSense) {
  static_cast<void>(choose(gpu(30, {2.0, 1.0})));
  for (const char* text : {"", "{", "[]", "{\"rtcore_version\": \"x\"}", "{\"rtcore_version\": 30}",
                           "{\"rtcore_version\": 30, \"native_ms\": -1, \"optix_ms\": 1}"}) {
    std::ofstream(files().front()) << text;
    EXPECT_EQ(choose(gpu(30, {1.0, 2.0})).tracer, "native") << text;
  }
}

TEST_F(AutoChoice, WorksWithoutAFolder) {
  EXPECT_EQ(choose_tracer(gpu(30, {2.0, 1.0}), "", "").tracer, "optix");
  // A file stands where the folder should be.
  const std::filesystem::path blocked = folder_.path() / "file";
  std::ofstream(blocked) << "x";
  EXPECT_EQ(choose_tracer(gpu(30, {2.0, 1.0}), "", blocked / "folder").tracer, "optix");
}

TEST_F(AutoChoice, IsTheUsersWhereHeHasAWish) {
  EXPECT_EQ(choose(gpu(30, {1.0, 2.0}), "optix").tracer, "optix");
  EXPECT_EQ(choose(gpu(30, {2.0, 1.0}), "native").tracer, "native");
  EXPECT_EQ(measured_, 0);
  EXPECT_THROW(static_cast<void>(choose(gpu(std::nullopt, {}), "optix")), Error);
  EXPECT_THROW(static_cast<void>(choose(gpu(30, {}), "fastest")), Error);
}

}  // namespace
}  // namespace rtindex::test
