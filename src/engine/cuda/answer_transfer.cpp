#include "engine/cuda/answer_transfer.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/cuda/runtime.hpp"
#include "base/cuda/transfer.hpp"
#include "base/parallel.hpp"

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

// Appends rowIDs of a piece, or their keys, to the chunks of their lookups. `begin`: the offset of
// the first one.
template <class T>
void append_to_chunks(std::vector<std::vector<T>>& chunks, std::size_t first,
                      std::span<const std::uint64_t> starts, std::span<const T> rows,
                      std::uint64_t begin) {
  const std::uint64_t end = begin + rows.size();
  const auto chunk_of = [&](std::uint64_t row) {
    const auto next = std::upper_bound(starts.begin(), starts.end(), row);
    return (first + static_cast<std::size_t>(next - starts.begin()) - 1) / chunk_lookups;
  };
  const std::size_t first_chunk = chunk_of(begin);
  const std::size_t count = starts.size() - 1;
  constexpr std::size_t chunks_at_once = 16;
  parallel_for(chunk_of(end - 1) - first_chunk + 1, chunks_at_once,
               [&](std::size_t skipped, std::size_t some) {
                 for (std::size_t i = 0; i < some; ++i) {
                   const std::size_t chunk = first_chunk + skipped + i;
                   const std::size_t lookup = std::max(chunk * chunk_lookups, first) - first;
                   const std::size_t behind = std::min((chunk + 1) * chunk_lookups - first, count);
                   const std::uint64_t from = std::max(begin, starts[lookup]);
                   const std::uint64_t to = std::min(end, starts[behind]);
                   if (from < to)
                     chunks[chunk].insert(chunks[chunk].end(), rows.data() + (from - begin),
                                          rows.data() + (to - begin));
                 }
               });
}

// Copies rowIDs, or their keys, from the device to the chunks of their lookups.
template <class T>
void copy_to_chunks(std::vector<std::vector<T>>& chunks, std::size_t first,
                    std::span<const std::uint64_t> starts, const T* from, std::size_t size,
                    std::uint64_t begin, cudaStream_t stream) {
  read_pieces(from, size * sizeof(T), stream,
              [&](const std::byte* data, std::size_t at, std::size_t bytes) {
                append_to_chunks<T>(chunks, first, starts,
                                    {reinterpret_cast<const T*>(data), bytes / sizeof(T)},
                                    begin + at / sizeof(T));
              });
}

}  // namespace

DeviceRequest device_request(const Outputs& outputs) {
  DeviceRequest request;
  request.any = outputs.any;
  request.first = outputs.first;
  request.last = outputs.last;
  request.count = outputs.count;
  request.sum = outputs.sum;
  request.min = outputs.min;
  request.max = outputs.max;
  request.mean = outputs.mean;
  request.validity = outputs.validity;
  request.matched = outputs.matched;
  return request;
}

AnswerTransfer::AnswerTransfer(const Request& request, std::size_t first, std::size_t count,
                               const Queue& queue, std::size_t key_bytes)
    : request_(&request), first_(first), count_(count), key_bytes_(key_bytes) {
  std::size_t total = 256;
  for_each_answer([&](void*, const void*, std::size_t bytes) { total += padded(bytes); });
  bytes_ = DeviceBytes(queue, total);
  auto* at = static_cast<std::byte*>(bytes_.data());
  const Outputs& outputs = request.outputs;
  if (outputs.any != nullptr) buffers_.any = carve<std::uint32_t>(at, count * 4);
  if (outputs.first != nullptr) buffers_.first = carve<std::uint32_t>(at, count * 4);
  if (outputs.last != nullptr) buffers_.last = carve<std::uint32_t>(at, count * 4);
  if (outputs.count != nullptr) buffers_.count = carve<std::uint32_t>(at, count * 4);
  if (outputs.sum != nullptr) buffers_.sum = carve<std::byte>(at, count * 8);
  if (outputs.min != nullptr) buffers_.min = carve<std::byte>(at, count * 8);
  if (outputs.max != nullptr) buffers_.max = carve<std::byte>(at, count * 8);
  if (outputs.mean != nullptr) buffers_.mean = carve<double>(at, count * 8);
  if (outputs.key != nullptr) {
    buffers_.key = carve<std::byte>(at, count * key_bytes);
    // A lookup without a neighbour leaves its key as it is.
    check(cudaMemsetAsync(buffers_.key, 0, count * key_bytes, queue), "answering");
  }
  if (outputs.matched != nullptr) buffers_.matched = carve<std::uint8_t>(at, (count + 7) / 8);
  if (outputs.validity != nullptr) buffers_.validity = carve<std::uint8_t>(at, (count + 7) / 8);
}

// Calls visit(the caller's output of the piece, device buffer, bytes) for every requested answer.
template <class Visit>
void AnswerTransfer::for_each_answer(Visit&& visit) const {
  const auto one = [&](void* out, const void* buffer, std::size_t width) {
    if (out != nullptr)
      visit(static_cast<std::byte*>(out) + first_ * width, buffer, count_ * width);
  };
  const Outputs& outputs = request_->outputs;
  one(outputs.any, buffers_.any, 4);
  one(outputs.first, buffers_.first, 4);
  one(outputs.last, buffers_.last, 4);
  one(outputs.count, buffers_.count, 4);
  one(outputs.sum, buffers_.sum, 8);
  one(outputs.min, buffers_.min, 8);
  one(outputs.max, buffers_.max, 8);
  one(outputs.mean, buffers_.mean, 8);
  one(outputs.key, buffers_.key, key_bytes_);
  if (outputs.matched != nullptr)
    visit(outputs.matched + first_ / 8, buffers_.matched, (count_ + 7) / 8);
  if (outputs.validity != nullptr)
    visit(outputs.validity + first_ / 8, buffers_.validity, (count_ + 7) / 8);
}

std::size_t AnswerTransfer::bytes_of(const Request& request) {
  AnswerTransfer one;
  one.request_ = &request;
  one.count_ = 1;
  one.key_bytes_ = request.outputs.key == nullptr ? 0 : sizeof(std::uint64_t);
  std::size_t bytes = request.row_counts == nullptr ? 0 : sizeof(std::uint64_t);
  one.for_each_answer([&](void*, const void*, std::size_t more) { bytes += more; });
  return bytes;
}

void AnswerTransfer::start(CopiesOut& out, cudaStream_t stream) {
  for_each_answer(
      [&](void* to, const void* from, std::size_t bytes) { out.copy(to, from, bytes, stream); });
  if (offsets_.empty()) return;
  starts_ = Array<std::uint64_t>(offsets_.size());
  out.copy(starts_.data(), offsets_.data(), offsets_.bytes(), stream);
}

void AnswerTransfer::add_rows(std::vector<FoundRows> found, const RowSources& rows,
                              DeviceArray<std::uint64_t> offsets) {
  found_ = std::move(found);
  rows_ = rows;
  offsets_ = std::move(offsets);
}

void AnswerTransfer::finish(const Queue& queue) {
  if (!offsets_.empty())
    copy_rows(*request_, first_, rows_, offsets_.data(), starts_.span(), queue);
  *this = AnswerTransfer();
}

void copy_rows(const Request& request, std::size_t first, const RowSources& rows,
               const std::uint64_t* offsets, std::span<const std::uint64_t> starts,
               const Queue& queue) {
  constexpr std::size_t counts_at_once = std::size_t{1} << 15;
  const std::size_t count = starts.size() - 1;
  parallel_for(count, counts_at_once, [&](std::size_t begin, std::size_t some) {
    for (std::size_t i = begin; i < begin + some; ++i)
      request.row_counts[first + i] = starts[i + 1] - starts[i];
  });
  if (request.chunk_rows == nullptr) return;
  const std::uint64_t total = starts.back();
  const DeviceArray<std::uint32_t> part(queue, std::min<std::uint64_t>(total, piece_rows));
  const bool wants_keys = request.chunk_keys != nullptr;
  const DeviceArray<std::uint64_t> keys(queue, wants_keys ? part.size() : 0);
  for (std::uint64_t begin = 0; begin < total; begin += piece_rows) {
    const std::uint64_t size = std::min<std::uint64_t>(piece_rows, total - begin);
    collect_rows(rows, count, offsets, begin, size, part.data(), queue,
                 wants_keys ? keys.data() : nullptr);
    copy_to_chunks(*request.chunk_rows, first, starts, part.data(), size, begin, queue);
    if (wants_keys)
      copy_to_chunks(*request.chunk_keys, first, starts, keys.data(), size, begin, queue);
  }
}

}  // namespace rtindex::cuda
