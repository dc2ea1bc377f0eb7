// Which tracer `auto` takes on a GPU, with measurements made up here.

#include "indexes/auto_choice.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

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

// What another user may have left where the measurement is kept is not believed, and replaced.
class HostileCache : public AutoChoice {
 protected:
  // Where the measurement is kept, and what it says.
  std::filesystem::path kept() {
    EXPECT_EQ(choose(gpu(30, {2.0, 1.0})).tracer, "optix");
    EXPECT_EQ(files().size(), 1U);
    return files().at(0);
  }
  // Measured once more, with the opposite result.
  void expect_measured_again() {
    const int before = measured_;
    EXPECT_EQ(choose(gpu(30, {1.0, 2.0})).tracer, "native");
    EXPECT_EQ(measured_, before + 1);
  }
  static unsigned permissions(const std::filesystem::path& path) {
    return static_cast<unsigned>(std::filesystem::status(path).permissions());
  }
};

TEST_F(HostileCache, IsForTheUserAlone) {
  const std::filesystem::path path = kept();
  EXPECT_EQ(permissions(path), 0600U);
  EXPECT_EQ(permissions(path.parent_path()), 0700U);
}

TEST_F(HostileCache, OfGarbage) {
  const std::filesystem::path path = kept();
  for (const std::string& text :
       {std::string("{"), std::string(), std::string("[1]"), std::string(3000, '['),
        std::string(R"({"rtcore_version": -1})"), std::string(R"({"rtcore_version": "x"})")}) {
    std::ofstream(path, std::ios::trunc) << text;
    expect_measured_again();
  }
}

TEST_F(HostileCache, OfAnySize) {
  const std::filesystem::path path = kept();
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
  expect_measured_again();
  EXPECT_LT(std::filesystem::file_size(path), 4096U);
}

TEST_F(HostileCache, ThatOthersCanWrite) {
  const std::filesystem::path path = kept();
  bool is_optix = true;  // what the file says
  for (const auto who :
       {std::filesystem::perms::others_write, std::filesystem::perms::group_write}) {
    std::filesystem::permissions(path, who, std::filesystem::perm_options::add);
    const int before = measured_;
    is_optix = !is_optix;
    EXPECT_EQ(choose(gpu(30, is_optix ? Calibration{2.0, 1.0} : Calibration{1.0, 2.0})).tracer,
              is_optix ? "optix" : "native");
    EXPECT_EQ(measured_, before + 1);
    EXPECT_EQ(permissions(path), 0600U);
  }
}

TEST_F(HostileCache, OfSomebodyElse) {
  constexpr uid_t somebody_else = 12'345;
  const std::filesystem::path path = kept();
  if (chown(path.c_str(), somebody_else, gid_t(-1)) != 0)
    GTEST_SKIP() << "only root gives files away";
  expect_measured_again();
  // It was replaced, and the new one is read.
  const int before = measured_;
  EXPECT_EQ(choose(gpu(30, {2.0, 1.0})).tracer, "native");
  EXPECT_EQ(measured_, before);
}

TEST_F(HostileCache, InAFolderOfSomebodyElse) {
  constexpr uid_t somebody_else = 12'345;
  const std::filesystem::path path = kept();
  std::filesystem::remove(path);
  if (chown(path.parent_path().c_str(), somebody_else, gid_t(-1)) != 0)
    GTEST_SKIP() << "only root gives folders away";
  expect_measured_again();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(HostileCache, ThatIsALink) {
  const std::filesystem::path path = kept();
  const std::filesystem::path other = folder_.path() / "other";
  std::filesystem::rename(path, other);
  std::filesystem::create_symlink(other, path);
  expect_measured_again();
  EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(path)));
  std::ifstream untouched(other);
  const std::string text(std::istreambuf_iterator<char>(untouched), {});
  EXPECT_NE(text.find(R"("optix_ms": 1.0)"), std::string::npos) << text;
}

TEST_F(HostileCache, ThatIsAFolderOrAPipe) {
  const std::filesystem::path path = kept();
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  expect_measured_again();
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  expect_measured_again();
}

TEST_F(HostileCache, InAFolderThatOthersCanWrite) {
  const std::filesystem::path path = kept();
  std::filesystem::remove(path);
  std::filesystem::permissions(path.parent_path(), std::filesystem::perms::others_write,
                               std::filesystem::perm_options::add);
  expect_measured_again();
  EXPECT_FALSE(std::filesystem::exists(path));
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
  for (const char* text : {"", "{", "[]", R"({"rtcore_version": "x"})", R"({"rtcore_version": 30})",
                           R"({"rtcore_version": 30, "native_ms": -1, "optix_ms": 1})"}) {
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
  EXPECT_EQ(choose(gpu(30, {2.0, 1.0}), "hash").tracer, "optix") << "a wish for points only";
}

class PointsChoiceTest : public AutoChoice {
 protected:
  [[nodiscard]] CalibratedPoints points(PointsCalibration times) {
    return {"Made Up CPU @ 2/3 GHz", "rx:native@cpu", "2^15 64-bit keys", [this, times] {
              ++measured_;
              return times;
            }};
  }
  [[nodiscard]] PointsChoice choose(const CalibratedPoints& of, const std::string& wish = "") {
    return choose_for_points(of, wish, folder_.path() / "made" / "on the way");
  }
};

TEST_F(PointsChoiceTest, IsTheFasterOneAndSaysWhatWasMeasured) {
  EXPECT_FALSE(choose(points({1.0, 1.0}), "measure").hash);
  EXPECT_FALSE(choose(points({1.0, 2.0}), "measure").hash);
  const PointsChoice choice = choose(points({2.5, 1.25}), "measure");
  EXPECT_TRUE(choice.hash);
  for (const char* part : {"Made Up", "2.500 ms", "1.250 ms", "rx:native@cpu", "2^15 64-bit keys"})
    EXPECT_NE(choice.reason.find(part), std::string::npos) << choice.reason;
}

TEST_F(PointsChoiceTest, IsMeasuredOnceForAMachineAndAKindOfKeys) {
  EXPECT_TRUE(choose(points({2.0, 1.0})).hash);
  EXPECT_TRUE(choose(points({1.0, 2.0})).hash) << "another measurement would say something else";
  EXPECT_EQ(measured_, 1);
  EXPECT_EQ(files().size(), 1U);
  CalibratedPoints others = points({1.0, 2.0});
  others.keys = "2^20 64-bit keys";
  EXPECT_FALSE(choose(others).hash);
  others = points({1.0, 2.0});
  others.machine = "another CPU";
  EXPECT_FALSE(choose(others).hash);
  EXPECT_EQ(measured_, 3);
  EXPECT_EQ(files().size(), 3U);
  EXPECT_FALSE(choose(points({1.0, 2.0}), "measure").hash);
  EXPECT_FALSE(choose(points({2.0, 1.0})).hash) << "the new measurement is kept";
}

TEST_F(PointsChoiceTest, MeasuresAgainWhereTheFileMakesNoSense) {
  static_cast<void>(choose(points({2.0, 1.0})));
  for (const char* text : {"", "{", "[]", R"({"rx_ms": 1})", R"({"rx_ms": 2, "hash_ms": "x"})",
                           R"({"rx_ms": 2, "hash_ms": 0})", R"({"rx_ms": -2, "hash_ms": 1})"}) {
    std::ofstream(files().front()) << text;
    EXPECT_FALSE(choose(points({1.0, 2.0})).hash) << text;
    EXPECT_FALSE(choose(points({2.0, 1.0})).hash) << "repaired after " << text;
  }
}

TEST_F(PointsChoiceTest, WorksWithoutAFolder) {
  EXPECT_TRUE(choose_for_points(points({2.0, 1.0}), "", "").hash);
  // A file stands where the folder should be.
  const std::filesystem::path blocked = folder_.path() / "file";
  std::ofstream(blocked) << "x";
  EXPECT_TRUE(choose_for_points(points({2.0, 1.0}), "", blocked / "folder").hash);
  EXPECT_FALSE(choose_for_points(points({1.0, 2.0}), "", blocked / "folder").hash);
}

TEST_F(PointsChoiceTest, IsRxWhereMeasuringFailsAndThatIsNotKept) {
  CalibratedPoints broken = points({});
  broken.measure = []() -> PointsCalibration { fail("no memory"); };
  const PointsChoice choice = choose(broken);
  EXPECT_FALSE(choice.hash);
  EXPECT_NE(choice.reason.find("no memory"), std::string::npos);
  EXPECT_TRUE(files().empty());
}

TEST_F(PointsChoiceTest, IsTheUsersWhereHeHasAWish) {
  EXPECT_TRUE(choose(points({1.0, 2.0}), "hash").hash);
  EXPECT_FALSE(choose(points({2.0, 1.0}), "native").hash);
  EXPECT_FALSE(choose(points({2.0, 1.0}), "optix").hash);
  EXPECT_EQ(measured_, 0);
  EXPECT_THROW(static_cast<void>(choose(points({}), "fastest")), Error);
}

}  // namespace
}  // namespace rtindex::test
