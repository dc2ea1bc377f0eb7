// The C interface with Arrow device arrays: columns and lookups whose events complete late, answers
// and joins that stay on the GPU, in all against the answers of the same index in host memory.

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/rtindex.h>
#include <rtindex/rtindex.hpp>

#include "c/c_calls.hpp"
#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/cuda/spin.hpp"

namespace rtindex::test {
namespace {

constexpr std::size_t array_rows = 40'000;
constexpr std::size_t lookup_count = 10'000;

struct Stream2 {  // does not synchronise with the default stream
  Stream2() { require(cudaStreamCreateWithFlags(&get, cudaStreamNonBlocking)); }
  Stream2(const Stream2&) = delete;
  Stream2& operator=(const Stream2&) = delete;
  ~Stream2() {
    static_cast<void>(cudaStreamSynchronize(get));
    static_cast<void>(cudaStreamDestroy(get));
  }
  cudaStream_t get = nullptr;
};

// Elements that arrive on the GPU only after a kernel has kept their stream busy, as an Arrow
// device array whose event completes then. The first `skipped` elements are before its offset.
class LateArray {
 public:
  LateArray(const char* format, const std::vector<std::uint64_t>& elements, std::size_t skipped,
            const std::vector<std::uint8_t>& validity = {})
      : memory_(elements.size() * 8),
        bits_(validity.data(), validity.size()),
        busy_(0.1, stream_.get),
        pinned_(elements.size() * 8) {
    std::copy(elements.begin(), elements.end(), static_cast<std::uint64_t*>(pinned_.data));
    require(cudaMemcpyAsync(memory_.data(), pinned_.data, elements.size() * 8,
                            cudaMemcpyHostToDevice, stream_.get));
    require(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
    require(cudaEventRecord(event_, stream_.get));
    schema_.format = format;
    schema_.release = [](ArrowSchema*) {};
    array_.array.length = static_cast<std::int64_t>(elements.size() - skipped);
    array_.array.offset = static_cast<std::int64_t>(skipped);
    array_.array.null_count = validity.empty() ? 0 : -1;
    array_.array.n_buffers = 2;
    array_.array.buffers = buffers_;
    array_.array.release = [](ArrowArray*) {};
    array_.device_type = ARROW_DEVICE_CUDA;
    array_.sync_event = &event_;
    buffers_[0] = validity.empty() ? nullptr : bits_.data();
    buffers_[1] = memory_.data();
    column_ = sized<rtindex_column>();
    column_.schema = &schema_;
    column_.device_array = &array_;
  }
  LateArray(const LateArray&) = delete;
  LateArray& operator=(const LateArray&) = delete;
  ~LateArray() { static_cast<void>(cudaEventDestroy(event_)); }

  [[nodiscard]] const rtindex_column* get() const { return &column_; }
  [[nodiscard]] ArrowDeviceArray& array() { return array_; }
  [[nodiscard]] ArrowSchema& schema() { return schema_; }

 private:
  struct Pinned {
    explicit Pinned(std::size_t bytes) { require(cudaMallocHost(&data, bytes)); }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
    ~Pinned() { static_cast<void>(cudaFreeHost(data)); }
    void* data = nullptr;
  };

  OnGpu memory_, bits_;
  Stream2 stream_;
  SpinningKernel busy_;
  Pinned pinned_;
  cudaEvent_t event_ = nullptr;
  ArrowSchema schema_{};
  ArrowDeviceArray array_{};
  const void* buffers_[2] = {};
  rtindex_column column_{};
};

// An exported array on the GPU, and its children in host memory once its event has completed.
struct ExportedOnGpu {
  arrow::Owned<ArrowSchema> schema;
  ArrowDeviceArray array{};

  ExportedOnGpu() = default;
  ExportedOnGpu(const ExportedOnGpu&) = delete;
  ExportedOnGpu& operator=(const ExportedOnGpu&) = delete;
  ~ExportedOnGpu() {
    if (array.array.release != nullptr) array.array.release(&array.array);
  }
  void wait() const {
    ASSERT_EQ(array.device_type, ARROW_DEVICE_CUDA);
    ASSERT_EQ(array.device_id, 0);
    ASSERT_NE(array.sync_event, nullptr);
    require(cudaEventSynchronize(*static_cast<cudaEvent_t*>(array.sync_event)));
  }
  [[nodiscard]] const ArrowArray& child(std::string_view name) const {
    for (std::int64_t i = 0; i < schema->n_children; ++i)
      if (schema->children[i]->name == name) return *array.array.children[i];
    throw std::runtime_error("no child " + std::string(name));
  }
  template <class T>
  [[nodiscard]] static std::vector<T> read(const ArrowArray& from, std::int64_t buffer,
                                           std::size_t count) {
    std::vector<T> elements(count);
    if (count != 0)
      require(
          cudaMemcpy(elements.data(), from.buffers[buffer], count * sizeof(T), cudaMemcpyDefault));
    return elements;
  }
  template <class T>
  [[nodiscard]] std::vector<T> elements(std::string_view name) const {
    return read<T>(child(name), 1, static_cast<std::size_t>(child(name).length));
  }
};

class CDeviceArrays : public GpuIndexTest {
 protected:
  void SetUp() override {
    GpuIndexTest::SetUp();
    keys_.resize(array_rows);
    for (std::size_t row = 0; row < array_rows; ++row)
      keys_[row] = row * 7919 % (array_rows / 2) * 3;
    lookups_.resize(lookup_count);
    for (std::size_t i = 0; i < lookup_count; ++i) lookups_[i] = i * 104'729 % (array_rows * 2);
  }

  std::vector<std::uint64_t> keys_, lookups_;
};

TEST_P(CDeviceArrays, LookupsWaitForTheirEventsAndAnswersStayOnTheGpu) {
  const std::size_t skipped = 17;
  std::vector<std::uint64_t> padded(skipped, 3);
  padded.insert(padded.end(), keys_.begin(), keys_.end());
  const LateArray column("L", padded, skipped);
  const Stream2 stream;
  auto build_options = sized<rtindex_build_options>();
  build_options.stream = stream.get;
  CIndex index;
  ASSERT_EQ("",
            error_in(rtindex_build(column.get(), GetParam().c_str(), &build_options, index.out())));
  std::vector<std::uint8_t> validity((lookup_count + 7) / 8, 0xff);
  validity[0] = 0xfe;  // the first lookup is null
  const LateArray lookups("L", lookups_, 0, validity);
  const rtindex_query query = rtindex_query_equal(lookups.get());
  auto options = sized<rtindex_answer_options>();
  options.answers = RTINDEX_ANSWER_FIRST | RTINDEX_ANSWER_COUNT | RTINDEX_ANSWER_ROWS;
  options.matched = 1;
  options.stream = stream.get;
  ExportedOnGpu answers;
  ASSERT_EQ("", error_in(rtindex_answer_device(index.get(), &query, &options, nullptr,
                                               answers.schema.address(), &answers.array)));
  answers.wait();

  const Index expected_index = build(keys_, "sorted@cpu");
  const Answers expected = expected_index.lookup(
      ColumnView(lookups_).with_validity(validity.data()),
      {.answers = Answer::first | Answer::count | AnswerSet(Answer::rows), .matched = true});
  const auto all = [](const auto& span) { return std::vector(span.begin(), span.end()); };
  EXPECT_EQ(answers.elements<std::uint32_t>("first"), all(expected.first()));
  EXPECT_EQ(answers.elements<std::uint32_t>("count"), all(expected.count()));
  EXPECT_EQ(ExportedOnGpu::read<std::uint8_t>(answers.child("first"), 0, validity.size()),
            all(expected.matched_bitmap()));
  const ArrowArray& lists = answers.child("rows");
  EXPECT_EQ(ExportedOnGpu::read<std::uint64_t>(lists, 1, lookup_count + 1),
            all(expected.offsets()));
  std::vector<std::uint32_t> found = ExportedOnGpu::read<std::uint32_t>(
      *lists.children[0], 1, static_cast<std::size_t>(lists.children[0]->length));
  ASSERT_EQ(found.size(), expected.rows().size());
  std::vector<std::uint32_t> wanted = all(expected.rows());
  for (std::size_t i = 0; i < lookup_count; ++i) {
    const auto from = static_cast<std::ptrdiff_t>(expected.offsets()[i]);
    const auto to = static_cast<std::ptrdiff_t>(expected.offsets()[i + 1]);
    std::sort(found.begin() + from, found.begin() + to);
    std::sort(wanted.begin() + from, wanted.begin() + to);
  }
  EXPECT_EQ(found, wanted);
}

TEST_P(CDeviceArrays, JoinsStayOnTheGpu) {
  const LateArray column("L", keys_, 0);
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(column.get(), GetParam().c_str(), nullptr, index.out())));
  const LateArray lookups("L", lookups_, 0);
  const rtindex_query query = rtindex_query_equal(lookups.get());
  const Index expected_index = build(keys_, "sorted@cpu");
  for (const std::int32_t how :
       {RTINDEX_JOIN_INNER, RTINDEX_JOIN_LEFT, RTINDEX_JOIN_SEMI, RTINDEX_JOIN_ANTI}) {
    auto options = sized<rtindex_join_options>();
    options.how = how;
    ExportedOnGpu pairs;
    ASSERT_EQ("", error_in(rtindex_join_device(index.get(), &query, &options,
                                               pairs.schema.address(), &pairs.array)));
    pairs.wait();
    const JoinedRows expected =
        expected_index.join(Query::equal(lookups_), static_cast<JoinKind>(how));
    EXPECT_EQ(pairs.elements<std::uint64_t>("lookups"), expected.lookups);
    EXPECT_EQ(pairs.array.array.n_children, how <= RTINDEX_JOIN_LEFT ? 2 : 1);
  }
}

// Collects the batches of a join in host memory.
struct BatchesOnGpu {
  Stream2 stream;
  std::vector<std::uint64_t> lookups;
  std::vector<std::uint32_t> rows;
  std::size_t largest = 0;

  static rtindex_status callback(void* context, const std::uint64_t* lookups,
                                 const std::uint32_t* rows, std::size_t count) {
    auto& self = *static_cast<BatchesOnGpu*>(context);
    self.largest = std::max(self.largest, count);
    const auto append = [&](auto& to, const auto* from) {
      const std::size_t first = to.size();
      to.resize(first + count);
      require(cudaMemcpyAsync(to.data() + first, from, count * sizeof(*from),
                              cudaMemcpyDeviceToHost, self.stream.get));
      require(cudaStreamSynchronize(self.stream.get));
    };
    if (count != 0) append(self.lookups, lookups);
    if (count != 0 && rows != nullptr) append(self.rows, rows);
    return RTINDEX_STATUS_OK;
  }
};

TEST_P(CDeviceArrays, BatchesOfJoinsStayOnTheGpu) {
  const LateArray column("L", keys_, 0);
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(column.get(), GetParam().c_str(), nullptr, index.out())));
  const LateArray lookups("L", lookups_, 0);
  const rtindex_query query = rtindex_query_equal(lookups.get());
  const Index expected_index = build(keys_, "sorted@cpu");
  for (const std::int32_t how :
       {RTINDEX_JOIN_INNER, RTINDEX_JOIN_LEFT, RTINDEX_JOIN_SEMI, RTINDEX_JOIN_ANTI}) {
    BatchesOnGpu batches;
    auto options = sized<rtindex_join_options>();
    options.how = how;
    options.order = RTINDEX_JOIN_ORDER_ANY;
    options.stream = batches.stream.get;
    constexpr std::size_t max_pairs = 700;
    ASSERT_EQ("", error_in(rtindex_join_batches_device(index.get(), &query, &options, max_pairs,
                                                       BatchesOnGpu::callback, &batches)));
    EXPECT_LE(batches.largest, max_pairs);
    const JoinedRows expected =
        expected_index.join(Query::equal(lookups_), static_cast<JoinKind>(how));
    std::sort(batches.lookups.begin(), batches.lookups.end());
    EXPECT_EQ(batches.lookups, expected.lookups);
    std::vector<std::uint32_t> wanted = expected.rows;
    std::sort(batches.rows.begin(), batches.rows.end());
    std::sort(wanted.begin(), wanted.end());
    EXPECT_EQ(batches.rows, wanted);
  }
}

TEST_P(CDeviceArrays, AnAnswerOutlivesTheIndexAndTheStream) {
  const LateArray column("L", keys_, 0);
  const LateArray lookups("L", lookups_, 0);
  const rtindex_query query = rtindex_query_equal(lookups.get());
  ExportedOnGpu answers;
  {
    CIndex index;
    ASSERT_EQ("", error_in(rtindex_build(column.get(), GetParam().c_str(), nullptr, index.out())));
    const Stream2 stream;
    auto options = sized<rtindex_answer_options>();
    options.answers = RTINDEX_ANSWER_COUNT;
    options.stream = stream.get;
    ASSERT_EQ("", error_in(rtindex_answer_device(index.get(), &query, &options, nullptr,
                                                 answers.schema.address(), &answers.array)));
  }
  answers.wait();
  const Index expected_index = build(keys_, "sorted@cpu");
  const Answers expected = expected_index.lookup(lookups_, Answer::count);
  EXPECT_EQ(answers.elements<std::uint32_t>("count"),
            std::vector(expected.count().begin(), expected.count().end()));
}

TEST_P(CDeviceArrays, StringsWithOffsets) {
  const std::string bytes = "oneninetwothreetwo";
  const std::vector<std::int32_t> offsets{0, 3, 7, 10, 15, 18};
  const OnGpu text(bytes.data(), bytes.size());
  const OnGpu starts(offsets.data(), offsets.size() * sizeof(std::int32_t));
  const void* buffers[] = {nullptr, starts.data(), text.data()};
  ArrowSchema schema{};
  schema.format = "u";
  schema.release = [](ArrowSchema*) {};
  ArrowDeviceArray array{};
  array.array.length = 4;  // all but the first
  array.array.offset = 1;
  array.array.n_buffers = 3;
  array.array.buffers = buffers;
  array.array.release = [](ArrowArray*) {};
  array.device_type = ARROW_DEVICE_CUDA;
  auto column = sized<rtindex_column>();
  column.schema = &schema;
  column.device_array = &array;
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, GetParam().c_str(), nullptr, index.out())));
  array.array.length = 5;
  array.array.offset = 0;
  const rtindex_query query = rtindex_query_equal(&column);
  auto options = sized<rtindex_answer_options>();
  options.answers = RTINDEX_ANSWER_COUNT;
  ExportedOnGpu answers;
  ASSERT_EQ("", error_in(rtindex_answer_device(index.get(), &query, &options, nullptr,
                                               answers.schema.address(), &answers.array)));
  answers.wait();
  EXPECT_EQ(answers.elements<std::uint32_t>("count"), (std::vector<std::uint32_t>{0, 1, 2, 1, 2}));
}

TEST_P(CDeviceArrays, RejectUnreadableArrays) {
  LateArray column("L", keys_, 0);
  rtindex_index* index = nullptr;
  column.schema().format = "u";
  EXPECT_EQ(rtindex_build(column.get(), GetParam().c_str(), nullptr, &index),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  column.schema().format = "b";
  EXPECT_EQ(rtindex_build(column.get(), GetParam().c_str(), nullptr, &index),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  column.schema().format = "L";
  column.array().device_id = 5;
  EXPECT_EQ(rtindex_build(column.get(), GetParam().c_str(), nullptr, &index),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(rtindex_last_error()).find("GPU 5"), std::string::npos);
  column.array().device_id = 0;
  EXPECT_EQ(rtindex_build(column.get(), "sorted@cpu", nullptr, &index),
            RTINDEX_STATUS_INVALID_ARGUMENT);
}

INSTANTIATE_TEST_SUITE_P(Gpu, CDeviceArrays,
                         testing::Values("rx:native@cuda", "sorted@cuda", "hash@cuda"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
