#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include <rtindex/index.hpp>

#include "kinds/optix/library.hpp"

namespace rtindex::optix {
namespace {

class Capabilities {
 public:
  explicit Capabilities(const char* value) {
    if (const char* before = std::getenv(name)) before_ = before;
    if (value == nullptr)
      unsetenv(name);
    else
      setenv(name, value, 1);
  }
  ~Capabilities() {
    if (before_.empty())
      unsetenv(name);
    else
      setenv(name, before_.c_str(), 1);
  }
  Capabilities(const Capabilities&) = delete;
  Capabilities& operator=(const Capabilities&) = delete;

 private:
  static constexpr const char* name = "NVIDIA_DRIVER_CAPABILITIES";
  std::string before_;
};

std::string fault_of(const char* name) { return load_library(name).fault.value_or("none"); }

TEST(OptixLoading, AMissingLibraryNamesTheDriverToInstall) {
  const Capabilities all("all");
  const std::string fault = fault_of("libnot-there.so.1");
  EXPECT_NE(fault.find("libnot-there.so.1 was not found"), std::string::npos) << fault;
  EXPECT_NE(fault.find("580 or newer"), std::string::npos) << fault;
}

TEST(OptixLoading, AContainerWithoutGraphicsNamesTheSetting) {
  const Capabilities some("compute,utility");
  const std::string fault = fault_of("libnot-there.so.1");
  EXPECT_NE(fault.find("NVIDIA_DRIVER_CAPABILITIES=compute,utility,graphics"), std::string::npos)
      << fault;
}

TEST(OptixLoading, ALibraryWithoutTheEntryIsCalledAPlaceholder) {
  const std::string fault = fault_of("libm.so.6");
  EXPECT_NE(fault.find("placeholder"), std::string::npos) << fault;
}

TEST(OptixLoading, ReportsADriverThatRejectsTheAbiAsTooOld) {
  const std::string fault = fault_of(RTINDEX_OLD_DRIVER);
  EXPECT_NE(fault.find("too old for OptiX 8.0"), std::string::npos) << fault;
}

TEST(OptixLoading, TheCatalogReportsTheReason) {
  for (const IndexInfo& index : indexes()) {
    if (index.spec != "rx:optix@cuda") continue;
    EXPECT_EQ(index.available, !unusable().has_value());
    if (unusable())
      EXPECT_EQ(index.reason, *unusable());
    else
      EXPECT_NE(index.reason.find("RT cores version"), std::string::npos) << index.reason;
    return;
  }
  FAIL() << "rx:optix@cuda is not in the catalog";
}

}  // namespace
}  // namespace rtindex::optix
