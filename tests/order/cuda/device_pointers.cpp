// Memory that the GPU cannot access is rejected: a failing access would make the GPU unusable for
// the whole process.

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include <rtindex/rtindex.hpp>

#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

class DevicePointers : public GpuIndexTest {
 protected:
  void SetUp() override {
    GpuIndexTest::SetUp();
    if (IsSkipped()) return;
    std::iota(keys_.begin(), keys_.end(), 0);
    memory_.emplace(keys_.data(), keys_.size() * sizeof(keys_[0]));
  }

  // A column without the last `fewer` keys, `bytes` bytes into the array.
  [[nodiscard]] ColumnView column(std::size_t fewer = 0, std::size_t bytes = 0) const {
    return ColumnView::of(Type::u32, memory_->as<std::byte>() + bytes, keys_.size() - fewer)
        .on_device();
  }
  static void expect_rejected(const std::function<void()>& call, const std::string& words) {
    try {
      call();
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
  void expect_usable(const Index& index) const {
    const Answers answers = index.lookup(keys_, Answer::any);
    for (std::size_t i = 0; i < keys_.size(); ++i) ASSERT_EQ(answers.any()[i], i);
  }

  std::vector<std::uint32_t> keys_ = std::vector<std::uint32_t>(1000);
  std::optional<OnGpu> memory_;
};

TEST_P(DevicePointers, MustBeAligned) {
  const std::string words = "not aligned to their 4 bytes";
  expect_rejected([&] { static_cast<void>(build(column(1, 2), GetParam())); }, words);
  const Index index = build(column(), GetParam());
  const OnGpu out(keys_.size() * 2 * sizeof(std::uint32_t));
  Outputs outputs;
  outputs.memory_space = MemorySpace::device;
  outputs.any = out.as<std::uint32_t>();
  expect_rejected([&] { index.answer_into(Query::equal(column(1, 1)), {}, outputs); }, words);
  outputs.any = reinterpret_cast<std::uint32_t*>(out.as<std::byte>() + 2);
  expect_rejected([&] { index.answer_into(Query::equal(column()), {}, outputs); }, words);
  expect_usable(index);
}

TEST_P(DevicePointers, MustNotBeOfTheHost) {
  int reaches_host = 0;
  require(cudaDeviceGetAttribute(&reaches_host, cudaDevAttrPageableMemoryAccess, 0));
  if (reaches_host != 0) GTEST_SKIP() << "this GPU reads all memory of the host";
  const std::string words = "said to be in device memory";
  const ColumnView wrong = ColumnView(keys_).on_device();
  expect_rejected([&] { static_cast<void>(build(wrong, GetParam())); }, words);
  const std::vector<std::uint8_t> bits(125, 0xff);
  expect_rejected(
      [&] { static_cast<void>(build(column().with_validity(bits.data()), GetParam())); }, words);
  const Index index = build(column(), GetParam());
  expect_rejected([&] { static_cast<void>(index.lookup(wrong, Answer::any)); }, words);
  expect_usable(index);
}

INSTANTIATE_TEST_SUITE_P(Cuda, DevicePointers,
                         testing::Values("rx:native@cuda", "sorted@cuda", "btree@cuda", "hash@cuda",
                                         "rx:optix@cuda"),
                         [](const auto& item) { return test_name(item.param); });

TEST(CompositeColumn, HasItsPartsInHostMemory) {
  const std::vector<std::uint32_t> keys = {1, 2};
  EXPECT_THROW(static_cast<void>(ColumnView::composite({keys, ColumnView(keys).on_device()})),
               Error);
}

}  // namespace
}  // namespace rtindex::test
