#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/cuda/runtime.hpp"
#include "support/specs.hpp"

namespace rtindex::test {

// Skips its tests where no GPU is usable.
template <class Base>
class NeedsGpu : public Base {
 protected:
  void SetUp() override {
    if (cuda::unusable()) GTEST_SKIP() << *cuda::unusable();
  }
};

using GpuTest = NeedsGpu<testing::Test>;
template <class Param>
using GpuTestWithParam = NeedsGpu<testing::TestWithParam<Param>>;

// Tests of the index whose spec is the parameter; skipped also where it is not available.
class GpuIndexTest : public GpuTestWithParam<std::string> {
 protected:
  void SetUp() override {
    NeedsGpu::SetUp();
    if (!IsSkipped() && !is_available(GetParam()))
      GTEST_SKIP() << GetParam() << " is not available";
  }
};

}  // namespace rtindex::test
