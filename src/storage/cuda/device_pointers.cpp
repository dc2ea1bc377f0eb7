#include "storage/cuda/device_pointers.hpp"

#include <cuda_runtime_api.h>

#include "base/cuda/runtime.hpp"
#include "base/error.hpp"

namespace rtindex::cuda {

// Memory that a view calls the GPU's is the GPU's: otherwise the first access would end the use of
// the GPU by the whole process.
void require_on_device(const void* memory, const char* what) {
  if (memory == nullptr) return;
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, memory), "asking where memory is");
  if (attributes.type != cudaMemoryTypeUnregistered) return;
  int device = 0;
  int reaches_host = 0;
  check(cudaGetDevice(&device), "asking for the current GPU");
  check(cudaDeviceGetAttribute(&reaches_host, cudaDevAttrPageableMemoryAccess, device),
        "asking what a GPU can do");
  if (reaches_host == 0)
    fail(
        "the {} are said to be in device memory, but they are not: pass host memory without "
        "on_device() or Place::device, or copy it to the GPU",
        what);
}

void require_on_device(const LookupBatch& batch, const Request& request) {
  if (batch.lower().place() == Place::device && batch.size() != 0) {
    require_on_device(batch.lower().data(), "lookups");
    require_on_device(batch.upper().data(), "lookups");
  }
  if (request.values_place == Place::device) require_on_device(request.values, "values");
  const Outputs& out = request.outputs;
  if (out.place != Place::device || batch.size() == 0) return;
  for (const void* buffer :
       {static_cast<const void*>(out.any), static_cast<const void*>(out.first),
        static_cast<const void*>(out.count), static_cast<const void*>(out.sum),
        static_cast<const void*>(out.min), static_cast<const void*>(out.max),
        static_cast<const void*>(out.matched), static_cast<const void*>(out.offsets),
        static_cast<const void*>(out.rows)})
    require_on_device(buffer, "answers");
}

}  // namespace rtindex::cuda
