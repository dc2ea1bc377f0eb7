#include "execution/cuda/answer_transfer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/cuda/transfer.hpp"

namespace rtindex::cuda {

namespace {

// rowIDs that are copied to the host at once.
constexpr std::size_t piece_rows = std::size_t{1} << 24;

[[nodiscard]] std::size_t padded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

template <class T>
T* carve(std::byte*& at, std::size_t bytes) {
  auto* const begin = reinterpret_cast<T*>(at);
  at += padded(bytes);
  return begin;
}

// Appends rowIDs [begin, begin + size) of a piece, or their keys, to the chunks of their lookups.
// `lookup` is that of the first of them, or one before it.
template <class T>
void append_to_chunks(std::vector<std::vector<T>>& chunks, std::size_t first, std::size_t count,
                      const std::vector<std::uint64_t>& offsets, const std::vector<T>& rows,
                      std::uint64_t begin, std::size_t lookup) {
  const std::uint64_t end = begin + rows.size();
  for (std::uint64_t at = begin; at < end;) {
    while (offsets[lookup + 1] <= at) ++lookup;
    const std::size_t chunk = (first + lookup) / chunk_lookups;
    const std::size_t chunk_end = std::min((chunk + 1) * chunk_lookups - first, count);
    const std::uint64_t last = std::min(end, offsets[chunk_end]);
    std::vector<T>& into = chunks[chunk];
    into.insert(into.end(), rows.begin() + static_cast<std::ptrdiff_t>(at - begin),
                rows.begin() + static_cast<std::ptrdiff_t>(last - begin));
    at = last;
  }
}

}  // namespace

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

AnswerTransfer::AnswerTransfer(const Request& request, std::size_t first, std::size_t count,
                               const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream,
                               std::size_t key_bytes)
    : request_(&request), first_(first), count_(count), key_bytes_(key_bytes), memory_(memory) {
  std::size_t total = 256;
  for_each_answer([&](void*, const void*, std::size_t bytes) { total += padded(bytes); });
  bytes_ = DeviceBytes(memory, total, stream);
  auto* at = static_cast<std::byte*>(bytes_.data());
  const Outputs& outputs = request.outputs;
  if (outputs.any != nullptr) buffers_.any = carve<std::uint32_t>(at, count * 4);
  if (outputs.first != nullptr) buffers_.first = carve<std::uint32_t>(at, count * 4);
  if (outputs.count != nullptr) buffers_.count = carve<std::uint32_t>(at, count * 4);
  if (outputs.sum != nullptr) buffers_.sum = carve<std::byte>(at, count * 8);
  if (outputs.min != nullptr) buffers_.min = carve<std::byte>(at, count * 8);
  if (outputs.max != nullptr) buffers_.max = carve<std::byte>(at, count * 8);
  if (outputs.key != nullptr) buffers_.key = carve<std::byte>(at, count * key_bytes);
  if (outputs.matched != nullptr) buffers_.matched = carve<std::uint8_t>(at, (count + 7) / 8);
}

// Calls take(the caller's output of the piece, device buffer, bytes) for every wanted answer.
template <class Take>
void AnswerTransfer::for_each_answer(Take&& take) const {
  const auto one = [&](void* out, const void* buffer, std::size_t width) {
    if (out != nullptr) take(static_cast<std::byte*>(out) + first_ * width, buffer, count_ * width);
  };
  const Outputs& outputs = request_->outputs;
  one(outputs.any, buffers_.any, 4);
  one(outputs.first, buffers_.first, 4);
  one(outputs.count, buffers_.count, 4);
  one(outputs.sum, buffers_.sum, 8);
  one(outputs.min, buffers_.min, 8);
  one(outputs.max, buffers_.max, 8);
  one(outputs.key, buffers_.key, key_bytes_);
  if (outputs.matched != nullptr)
    take(outputs.matched + first_ / 8, buffers_.matched, (count_ + 7) / 8);
}

void AnswerTransfer::start(PinnedBytes& pinned, cudaStream_t stream) {
  std::size_t total = 0;
  for_each_answer([&](void*, const void*, std::size_t bytes) { total += bytes; });
  pinned.reserve(total);
  std::byte* to = pinned.data();
  for_each_answer([&](void*, const void* from, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream), "copying from the GPU");
    to += bytes;
  });
}

void AnswerTransfer::add_rows(std::vector<FoundRows> found, const RowSources& rows,
                              DeviceArray<std::uint64_t> offsets) {
  found_ = std::move(found);
  rows_ = rows;
  offsets_ = std::move(offsets);
}

void AnswerTransfer::finish(const PinnedBytes& pinned, const OwnStream& stream) {
  if (request_ == nullptr) return;
  stream.wait();
  const std::byte* from = pinned.data();
  for_each_answer([&](void* to, const void*, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    from += bytes;
  });
  if (!offsets_.empty())
    copy_rows(*request_, first_, count_, rows_, offsets_.data(), memory_, stream.get());
  *this = AnswerTransfer();
}

void copy_rows(const Request& request, std::size_t first, std::size_t count, const RowSources& rows,
               const std::uint64_t* offsets, const std::shared_ptr<DeviceMemory>& memory,
               cudaStream_t stream) {
  std::vector<std::uint64_t> starts(count + 1);
  copy_to_host(starts.data(), offsets, starts.size() * sizeof(std::uint64_t), stream);
  for (std::size_t i = 0; i < count; ++i) request.row_counts[first + i] = starts[i + 1] - starts[i];
  if (request.chunk_rows == nullptr) return;
  const std::uint64_t total = starts.back();
  const DeviceArray<std::uint32_t> part(memory, std::min<std::uint64_t>(total, piece_rows), stream);
  const bool wants_keys = request.chunk_keys != nullptr;
  const DeviceArray<std::uint64_t> keys(memory, wants_keys ? part.size() : 0, stream);
  std::vector<std::uint32_t> copied;
  std::vector<std::uint64_t> copied_keys;
  std::size_t lookup = 0;
  for (std::uint64_t begin = 0; begin < total; begin += piece_rows) {
    const std::uint64_t size = std::min<std::uint64_t>(piece_rows, total - begin);
    collect_rows(rows, count, offsets, begin, size, part.data(), stream,
                 wants_keys ? keys.data() : nullptr);
    copied.resize(size);
    copy_to_host(copied.data(), part.data(), size * sizeof(std::uint32_t), stream);
    while (starts[lookup + 1] <= begin) ++lookup;
    append_to_chunks(*request.chunk_rows, first, count, starts, copied, begin, lookup);
    if (!wants_keys) continue;
    copied_keys.resize(size);
    copy_to_host(copied_keys.data(), keys.data(), size * sizeof(std::uint64_t), stream);
    append_to_chunks(*request.chunk_keys, first, count, starts, copied_keys, begin, lookup);
  }
}

}  // namespace rtindex::cuda
