#include "answers/cuda/join_answers.hpp"

#include "base/cuda/launch.cuh"

namespace rtindex::cuda {

namespace {

template <class Class>
__global__ void join_kernel(DeviceRequest into, DeviceRequest next, std::size_t count) {
  const std::size_t i = thread_number();
  if (i < count) join_lookup<Class>(into, next, i);
}

__global__ void join_bitmaps(std::uint8_t* into, const std::uint8_t* next, std::size_t bytes) {
  const std::size_t i = thread_number();
  if (i < bytes) into[i] = static_cast<std::uint8_t>(into[i] | next[i]);
}

[[nodiscard]] std::size_t bitmap_bytes(std::size_t lookups) { return (lookups + 7) / 8; }

[[nodiscard]] bool wants_lookups(const DeviceRequest& request) {
  return request.wants_rows() || request.wants_values();
}

}  // namespace

AnswerJoin::AnswerJoin(const DeviceRequest& wanted, std::size_t count, const Queue& queue)
    : count_(count), first_(wanted), next_(wanted) {
  // assign_all() is called twice: for the size of all buffers, then for their addresses.
  std::byte* begin = nullptr;
  std::size_t size = 0;
  const auto assign = [&]<class T>(T*& buffer, std::size_t bytes) {
    constexpr std::size_t alignment = 256;
    if (begin != nullptr) buffer = reinterpret_cast<T*>(begin + size);
    size += (bytes + alignment - 1) / alignment * alignment;
  };
  const auto assign_value = [&](void*& buffer) {
    if (buffer == nullptr) return;
    auto* bytes = static_cast<std::byte*>(buffer);
    assign(bytes, count * sizeof(std::uint64_t));
    buffer = bytes;
  };
  const auto assign_all = [&] {
    size = 0;
    for (std::uint32_t** const rows : {&next_.any, &next_.first, &next_.last, &next_.count})
      if (*rows != nullptr) assign(*rows, count * sizeof(std::uint32_t));
    for (void** const values : {&next_.sum, &next_.min, &next_.max}) assign_value(*values);
    if (wanted.matched == nullptr && !wanted.wants_values()) return;
    assign(next_.matched, bitmap_bytes(count));
    if (wanted.matched == nullptr) assign(first_.matched, bitmap_bytes(count));
  };
  assign_all();
  bytes_ = DeviceBytes(queue, size);
  begin = static_cast<std::byte*>(bytes_.data());
  assign_all();
}

void AnswerJoin::add(cudaStream_t stream) const {
  if (count_ == 0) return;
  if (wants_lookups(first_))
    visit_class(first_.wants_values() ? class_of(first_.value_type) : ValueClass::u64,
                [&]<class Class>() {
                  join_kernel<Class>
                      <<<blocks_for(count_), block_threads, 0, stream>>>(first_, next_, count_);
                });
  if (first_.matched != nullptr) {
    const std::size_t bytes = bitmap_bytes(count_);
    join_bitmaps<<<blocks_for(bytes), block_threads, 0, stream>>>(first_.matched, next_.matched,
                                                                  bytes);
  }
  check_launch("joining the answers of segments");
}

}  // namespace rtindex::cuda
