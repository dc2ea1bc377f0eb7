#include "order/cuda/device_pointers.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

#include "base/cuda/runtime.hpp"
#include "base/error.hpp"
#include "base/types.hpp"

namespace rtindex::cuda {

namespace {

constexpr std::size_t any_alignment = 1;

// The location of memory as seen by the current GPU.
cudaPointerAttributes attributes_of(const void* memory) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, memory), "querying a pointer");
  return attributes;
}

// A cache of the pointers that earlier calls of this thread have passed and that a GPU can access.
// Querying a pointer takes longer than all other work before the kernel of a small batch, and small
// batches often use the same buffers.
class KnownPointers {
 public:
  [[nodiscard]] bool has(const void* memory, int device) const {
    const Known& known = known_[slot_of(memory)];
    return known.memory == memory && known.device == device;
  }
  void add(const void* memory, int device) { known_[slot_of(memory)] = {memory, device}; }

 private:
  struct Known {
    const void* memory = nullptr;
    int device = -1;
  };
  static constexpr int slot_bits = 6;

  [[nodiscard]] static std::size_t slot_of(const void* memory) {
    return reinterpret_cast<std::uintptr_t>(memory) * 0x9e3779b97f4a7c15U >> (64 - slot_bits);
  }

  Known known_[std::size_t{1} << slot_bits];
};
thread_local KnownPointers known_pointers;

bool is_reached(const void* memory, const cudaPointerAttributes& attributes, int device) {
  if (attributes.type == cudaMemoryTypeUnregistered) {
    int reaches_host = 0;
    check(cudaDeviceGetAttribute(&reaches_host, cudaDevAttrPageableMemoryAccess, device),
          "querying a GPU");
    return reaches_host != 0;
  }
  if (attributes.type != cudaMemoryTypeDevice || attributes.device == device) return true;
  // Memory of another GPU has an address here if the caller has enabled access to it, and if the
  // thread has used the GPU before.
  check(cudaSetDevice(device), "choosing a GPU");
  return attributes_of(memory).devicePointer != nullptr;
}

// A failing access would make the GPU unusable for the whole process.
void require_usable(const void* memory, std::size_t alignment, const char* what) {
  if (memory == nullptr) return;
  if (alignment != 0 && reinterpret_cast<std::uintptr_t>(memory) % alignment != 0)
    fail("the {} are not aligned to their {} bytes: copy them to an array of their own", what,
         alignment);
  int device = 0;
  check(cudaGetDevice(&device), "querying the current GPU");
  if (known_pointers.has(memory, device)) return;
  const cudaPointerAttributes attributes = attributes_of(memory);
  if (is_reached(memory, attributes, device)) {
    if (attributes.type == cudaMemoryTypeDevice) known_pointers.add(memory, device);
    return;
  }
  if (attributes.type == cudaMemoryTypeUnregistered)
    fail(
        "the {} are said to be in device memory, but they are not: pass host memory without "
        "on_device() or MemorySpace::device, or copy it to the GPU",
        what);
  fail(
      "the {} are in the memory of GPU {}, which the index's GPU cannot reach: copy them, or "
      "enable access with cudaDeviceEnablePeerAccess()",
      what, attributes.device);
}

}  // namespace

void require_on_device(const ColumnView& column, const char* what) {
  if (column.memory_space() != MemorySpace::device || column.size() == 0) return;
  for (const ColumnView& part : column.parts()) require_on_device(part, what);
  require_usable(column.validity(), any_alignment, what);
  if (column.type() == Type::composite) return;
  if (column.type() == Type::string) {
    require_usable(column.string_offsets(), column.string_offset_width(), what);
    require_usable(column.string_bytes(), any_alignment, what);
    return;
  }
  const std::size_t alignment = column.type() == Type::binary16 ? any_alignment
                                : is_128_bit(column.type())     ? alignof(Bits128)
                                                                : width_of(column.type());
  require_usable(column.data(), alignment, what);
}

void require_on_device(const LookupBatch& batch, const Request& request) {
  require_on_device(batch.lower(), "lookups");
  if (&batch.upper() != &batch.lower()) require_on_device(batch.upper(), "lookups");
  for (const Condition& condition : batch.conditions()) {
    require_on_device(condition.lower, "conditions");
    require_on_device(condition.upper, "conditions");
  }
  if (request.values_space == MemorySpace::device)
    require_usable(request.values, width_of(request.value_type), "values");
  if (request.values_space == MemorySpace::device)
    require_usable(request.validity, any_alignment, "values");
  require_on_device(request.outputs, batch.size());
  if (request.join != nullptr) require_on_device(request.join->outputs);
}

void require_on_device(const JoinOutputs& out) {
  require_usable(out.count, sizeof(*out.count), "counts");
  require_usable(out.lookups, sizeof(*out.lookups), "answers");
  require_usable(out.rows, sizeof(*out.rows), "answers");
}

void require_on_device(const Outputs& out, std::size_t lookups) {
  if (out.memory_space != MemorySpace::device) return;
  require_usable(out.offsets, sizeof(*out.offsets), "offsets");
  if (lookups == 0) return;
  for (const std::uint32_t* answers : {out.any, out.first, out.last, out.count, out.rows})
    require_usable(answers, sizeof(*answers), "answers");
  for (const void* answers : {out.sum, out.min, out.max, static_cast<void*>(out.mean)})
    require_usable(answers, sizeof(std::uint64_t), "answers");
  require_usable(out.validity, any_alignment, "answers");
  require_usable(out.matched, any_alignment, "answers");
  require_usable(out.key, any_alignment, "answers");
}

}  // namespace rtindex::cuda
