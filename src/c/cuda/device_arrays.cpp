#include "c/device.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "arrow/answers.hpp"
#include "arrow/type.hpp"
#include "base/cuda/device_array.hpp"
#include "base/cuda/pooled_stream.hpp"
#include "base/cuda/runtime.hpp"
#include "c/exports.hpp"
#include "c/guard.hpp"

namespace rtindex::c {

namespace {

cudaEvent_t event_at(const void* sync_event) {
  return *static_cast<const cudaEvent_t*>(sync_event);
}

void require_gpu() {
  if (cuda::unusable())
    fail(ErrorKind::unavailable, "the Arrow array is in the memory of a GPU: {}",
         *cuda::unusable());
}

// The buffers of an exported array on a GPU, and the event that completes with the work that fills
// them. They belong to a stream of ours, because the array may outlive the stream of the call.
class DeviceBuffers {
 public:
  DeviceBuffers(const rtindex_index& handle, cudaStream_t stream)
      : device_(handle.index.spec().device_number()),
        memory_(cuda::current_memory(handle.memory)),
        stream_(stream) {}
  DeviceBuffers(const DeviceBuffers&) = delete;
  DeviceBuffers& operator=(const DeviceBuffers&) = delete;
  // Our own work has to end before the memory is released, whoever else still reads it.
  ~DeviceBuffers() {
    const cuda::OnDevice on_device(device_, std::nothrow);
    static_cast<void>(cudaStreamWaitEvent(own_.get(), filled_, 0));
    buffers_.clear();
  }

  // Memory that the stream of the call may use.
  template <class T>
  [[nodiscard]] T* add(std::size_t count) {
    buffers_.emplace_back(cuda::Queue(memory_, own_.get()), count * sizeof(T));
    cuda::wait_for(stream_, own_.get());
    return static_cast<T*>(buffers_.back().data());
  }
  // The work that fills the buffers is queued.
  void finish() { event_.record(stream_); }

  // A number that the work queued so far writes.
  [[nodiscard]] std::uint64_t read(const std::uint64_t* number) const {
    std::uint64_t value = 0;
    cuda::check(cudaMemcpyAsync(&value, number, sizeof(value), cudaMemcpyDeviceToHost, stream_),
                "reading a size");
    cuda::check(cudaStreamSynchronize(stream_), "reading a size");
    return value;
  }

  [[nodiscard]] int device() const { return device_; }
  // What ArrowDeviceArray::sync_event points to.
  [[nodiscard]] cudaEvent_t* sync_event() { return &filled_; }

 private:
  int device_;
  std::shared_ptr<DeviceMemory> memory_;
  cudaStream_t stream_;
  cuda::PooledStream own_;
  cuda::Event event_;
  cudaEvent_t filled_ = event_.get();
  std::vector<cuda::DeviceBytes> buffers_;
};

void export_to(const arrow::Node& node, const std::shared_ptr<DeviceBuffers>& buffers,
               ArrowSchema* schema, ArrowDeviceArray& array) {
  ArrowDeviceArray made{};
  arrow::export_node(node, buffers, schema, &made.array);
  made.device_id = buffers->device();
  made.device_type = ARROW_DEVICE_CUDA;
  made.sync_event = buffers->sync_event();
  array = made;
}

ValueType type_of_values(const Index& index, const AnswerOptions& options) {
  const ColumnView& values = options.values;
  if (values.has_value()) return {values.type(), values.time_unit(), values.scale()};
  const std::vector<IncludedType> included = index.included();
  for (const IncludedType& column : included)
    if (column.name == options.included || included.size() == 1)
      return {column.type, column.time_unit, column.scale};
  return {};
}

// The buffers of a call on a GPU, by answer.
Outputs outputs_in(DeviceBuffers& buffers, const Index& index, const AnswerOptions& options,
                   std::size_t lookups) {
  Outputs outputs{.memory_space = MemorySpace::device};
  const auto add = [&]<class T>(Answer answer, T*& output) {
    if (options.answers.has(answer)) output = buffers.add<T>(lookups);
  };
  const auto add_aggregate = [&](Answer answer, void*& output) {
    if (options.answers.has(answer)) output = buffers.add<std::uint64_t>(lookups);
  };
  add(Answer::any, outputs.any);
  add(Answer::first, outputs.first);
  add(Answer::last, outputs.last);
  add(Answer::mean, outputs.mean);
  add(Answer::count, outputs.count);
  add_aggregate(Answer::sum, outputs.sum);
  add_aggregate(Answer::min, outputs.min);
  add_aggregate(Answer::max, outputs.max);
  const bool has_keys = options.answers.has(Answer::key);
  if (has_keys && (width_of(index.type()) == 0 || index.type() == Type::boolean))
    fail(ErrorKind::unsupported,
         "keys of type {} cannot be returned in device memory: pass the lookups in host memory",
         name_of(index.type()));
  if (has_keys) outputs.key = buffers.add<std::uint8_t>(lookups * width_of(index.type()));
  const AnswerSet values = Answer::sum | Answer::min | Answer::max | AnswerSet(Answer::mean);
  if (options.matched && options.answers.has_any_of(values))
    outputs.validity = buffers.add<std::uint8_t>((lookups + 7) / 8);
  if (options.matched || has_keys) outputs.matched = buffers.add<std::uint8_t>((lookups + 7) / 8);
  if (options.answers.has(Answer::rows)) {
    outputs.offsets = buffers.add<std::uint64_t>(lookups + 1);
    cuda::check(cudaMemsetAsync(outputs.offsets, 0, sizeof(std::uint64_t),
                                static_cast<cudaStream_t>(options.stream.handle)),
                "clearing offsets");
  }
  return outputs;
}

}  // namespace

void wait_on_device(std::int64_t device, const void* sync_event, Stream stream) {
  require_gpu();
  const cuda::OnDevice on_device(static_cast<int>(device));
  cuda::check(
      cudaStreamWaitEvent(static_cast<cudaStream_t>(stream.handle), event_at(sync_event), 0),
      "waiting for the event of an Arrow array");
}

void wait_on_host(const void* sync_event) {
  require_gpu();
  cuda::check(cudaEventSynchronize(event_at(sync_event)),
              "waiting for the event of an Arrow array");
}

void export_answers_on_device(const rtindex_index& handle, AnswerCall& call, ArrowSchema* schema,
                              ArrowDeviceArray& array) {
  require_gpu();
  const Index& index = handle.index;
  const AnswerOptions& options = call.options();
  const std::size_t lookups = call.query().size();
  auto* const stream = static_cast<cudaStream_t>(options.stream.handle);
  const cuda::OnDevice on_device(index.spec().device_number());
  const Index now = index.snapshot();  // rows are found in two steps, both of the same state
  const auto buffers = std::make_shared<DeviceBuffers>(handle, stream);
  cuda::WaitOnExit wait(stream);  // a call that fails leaves no work on memory that is released
  Outputs outputs = outputs_in(*buffers, index, options, lookups);
  call.answer_into(now, outputs);
  arrow::AnswerBuffers answers{options.answers, lookups, outputs.any, outputs.first, outputs.count};
  const ValueType values = type_of_values(index, options);
  answers.sum = {arrow::format_of(Answer::sum, values), outputs.sum};
  answers.min = {arrow::format_of(Answer::min, values), outputs.min};
  answers.max = {arrow::format_of(Answer::max, values), outputs.max};
  answers.last = outputs.last;
  answers.mean = outputs.mean;
  if (options.matched) answers.matched = outputs.matched;
  answers.validity = outputs.validity;
  if (options.answers.has(Answer::rows)) {
    answers.offsets = outputs.offsets;
    answers.row_count = buffers->read(outputs.offsets + lookups);
    Outputs rows{.offsets = outputs.offsets,
                 .rows = buffers->add<std::uint32_t>(answers.row_count),
                 .rows_capacity = answers.row_count,
                 .memory_space = MemorySpace::device};
    if (answers.row_count != 0) call.answer_into(now, rows);
    answers.rows = rows.rows;
  }
  arrow::Node node = arrow::answers_node(answers);
  if (options.answers.has(Answer::key))
    node.children.push_back({arrow::format_of(index.type(), index.time_unit(), index.scale()),
                             "key",
                             lookups,
                             {outputs.matched, outputs.key}});
  buffers->finish();
  export_to(node, buffers, schema, array);
  wait.release();
}

void export_join_on_device(const rtindex_index& handle, const JoinCall& call, ArrowSchema* schema,
                           ArrowDeviceArray& array) {
  require_gpu();
  auto* const stream = static_cast<cudaStream_t>(call.options().stream.handle);
  const cuda::OnDevice on_device(handle.index.spec().device_number());
  const Index now = handle.index.snapshot();
  const auto buffers = std::make_shared<DeviceBuffers>(handle, stream);
  cuda::WaitOnExit wait(stream);
  JoinOutputs outputs{.count = buffers->add<std::uint64_t>(1), .memory_space = MemorySpace::device};
  now.join_into(call.query(), call.how(), outputs, call.options());
  outputs.capacity = buffers->read(outputs.count);
  outputs.lookups = buffers->add<std::uint64_t>(outputs.capacity);
  if (call.has_rows()) outputs.rows = buffers->add<std::uint32_t>(outputs.capacity);
  if (outputs.capacity != 0) now.join_into(call.query(), call.how(), outputs, call.options());
  buffers->finish();
  export_to(pairs_node(outputs.capacity, outputs.lookups, outputs.rows, call.has_rows()), buffers,
            schema, array);
  wait.release();
}

void join_batches_on_device(const rtindex_index& handle, const JoinCall& call,
                            std::size_t max_pairs, PassBatch pass_on) {
  constexpr std::size_t max_on_device = std::size_t{1} << 24;  // 192 MiB
  require_gpu();
  auto* const stream = static_cast<cudaStream_t>(call.options().stream.handle);
  const cuda::OnDevice on_device(handle.index.spec().device_number());
  const std::size_t capacity = std::min(max_pairs, max_on_device);
  JoinBatches batches(handle.index, call.query(), call.how(), capacity, call.options());
  DeviceBuffers buffers(handle, stream);
  const cuda::WaitOnExit wait(stream);  // the callback may have queued work on the buffers
  auto* const lookups = buffers.add<std::uint64_t>(capacity);
  auto* const rows = call.has_rows() ? buffers.add<std::uint32_t>(capacity) : nullptr;
  while (const auto count = batches.next_into(lookups, rows, MemorySpace::device))
    pass_on(lookups, rows, *count);
}

}  // namespace rtindex::c
