#include "execution/cuda/answer_buffers.hpp"

namespace rtindex::cuda {

namespace {

template <class T>
T* carve(std::byte*& at, std::size_t bytes) {
  auto* const place = reinterpret_cast<T*>(at);
  at += (bytes + 255) / 256 * 256;
  return place;
}

}  // namespace

AnswerBuffers make_buffers(const Outputs& outputs, std::size_t count,
                           const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream) {
  AnswerBuffers buffers;
  std::size_t total = 256;
  for_each_part(outputs, buffers.request, count,
                [&](void*, const void*, std::size_t, std::size_t bytes) {
                  total += (bytes + 255) / 256 * 256;
                });
  buffers.bytes = DeviceBytes(memory, total, stream);
  auto* at = static_cast<std::byte*>(buffers.bytes.data());
  DeviceRequest& request = buffers.request;
  if (outputs.any != nullptr) request.any = carve<std::uint32_t>(at, count * 4);
  if (outputs.first != nullptr) request.first = carve<std::uint32_t>(at, count * 4);
  if (outputs.count != nullptr) request.count = carve<std::uint32_t>(at, count * 4);
  if (outputs.sum != nullptr) request.sum = carve<std::byte>(at, count * 8);
  if (outputs.min != nullptr) request.min = carve<std::byte>(at, count * 8);
  if (outputs.max != nullptr) request.max = carve<std::byte>(at, count * 8);
  if (outputs.matched != nullptr) request.matched = carve<std::uint8_t>(at, (count + 7) / 8);
  return buffers;
}

std::size_t answer_bytes(const Outputs& outputs, std::size_t count) {
  std::size_t total = 0;
  for_each_part(outputs, DeviceRequest{}, count,
                [&](void*, const void*, std::size_t, std::size_t bytes) { total += bytes; });
  return total;
}

DeviceRequest device_request(const Outputs& outputs) {
  DeviceRequest request;
  request.any = outputs.any;
  request.first = outputs.first;
  request.count = outputs.count;
  request.sum = outputs.sum;
  request.min = outputs.min;
  request.max = outputs.max;
  request.matched = outputs.matched;
  return request;
}

}  // namespace rtindex::cuda
