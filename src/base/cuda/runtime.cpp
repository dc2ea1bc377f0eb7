#include "base/cuda/runtime.hpp"

#include <dlfcn.h>

#include <utility>

#include "base/error.hpp"

namespace rtindex::cuda {

namespace {

// Looks for the driver's library first: the CUDA runtime would only report "no device".
std::optional<std::string> find_fault() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr)
    return "no NVIDIA driver was found (libcuda.so.1): install the driver of your GPU, or run the "
           "container with GPUs";
  int driver_version = 0;
  int runtime_version = 0;
  static_cast<void>(cudaDriverGetVersion(&driver_version));
  static_cast<void>(cudaRuntimeGetVersion(&runtime_version));
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  static_cast<void>(cudaGetLastError());
  if (status == cudaErrorInsufficientDriver)
    return fmt::format(
        "the NVIDIA driver supports CUDA {}.{}, and rtindex was built with CUDA {}.{}: install a "
        "newer driver",
        driver_version / 1000, driver_version % 1000 / 10, runtime_version / 1000,
        runtime_version % 1000 / 10);
  if (status != cudaSuccess && status != cudaErrorNoDevice)
    return fmt::format("the NVIDIA driver does not work: {}", cudaGetErrorString(status));
  if (devices == 0)
    return "there is no NVIDIA GPU on this machine, or CUDA_VISIBLE_DEVICES hides it";
  return std::nullopt;
}

std::vector<Gpu> list_gpus() {
  std::vector<Gpu> list;
  int devices = 0;
  if (unusable()) return list;
  check(cudaGetDeviceCount(&devices), "counting the GPUs");
  for (int device = 0; device < devices; ++device) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device), "querying a GPU");
    list.push_back({properties.name, properties.major, properties.minor, properties.totalGlobalMem,
                    properties.multiProcessorCount});
  }
  return list;
}

}  // namespace

const std::optional<std::string>& unusable() {
  static const std::optional<std::string> fault = find_fault();
  return fault;
}

const std::vector<Gpu>& gpus() {
  static const std::vector<Gpu> list = list_gpus();
  return list;
}

std::string driver_text() {
  int version = 0;
  static_cast<void>(cudaDriverGetVersion(&version));
  return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
}

void check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  if (status == cudaErrorMemoryAllocation)
    fail(ErrorKind::out_of_memory,
         "out of GPU memory while {}: free memory there, or split the work into smaller batches",
         doing);
  fail(ErrorKind::unavailable, "the GPU failed while {}: {}", doing, cudaGetErrorString(status));
}

void check_launch(const char* doing) { check(cudaGetLastError(), doing); }

// Clears failures of the caller's own calls, so that they are not reported as ours.
OnDevice::OnDevice(int device) {
  static_cast<void>(cudaGetLastError());
  check(cudaGetDevice(&before_), "querying the current GPU");
  if (before_ == device) return;
  check(cudaSetDevice(device), "choosing a GPU");
  changed_ = true;
}

OnDevice::OnDevice(int device, std::nothrow_t) noexcept {
  changed_ = cudaGetDevice(&before_) == cudaSuccess && before_ != device &&
             cudaSetDevice(device) == cudaSuccess;
}

// Restores the device only if it was changed: setting a device creates a context there.
OnDevice::~OnDevice() {
  if (changed_) static_cast<void>(cudaSetDevice(before_));
}

OwnStream::OwnStream() {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
}
OwnStream::~OwnStream() {
  if (stream_ == nullptr) return;
  static_cast<void>(cudaStreamSynchronize(stream_));
  static_cast<void>(cudaStreamDestroy(stream_));
}
OwnStream::OwnStream(OwnStream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
void OwnStream::wait() const { check(cudaStreamSynchronize(stream_), "waiting for the GPU"); }

Event::Event() {
  check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event");
}
Event::~Event() {
  if (event_ != nullptr) static_cast<void>(cudaEventDestroy(event_));
}
Event::Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
void Event::record(cudaStream_t stream) const {
  check(cudaEventRecord(event_, stream), "recording an event");
}
void Event::wait_on(cudaStream_t stream) const {
  check(cudaStreamWaitEvent(stream, event_, 0), "waiting for an event");
}
void Event::wait() const { check(cudaEventSynchronize(event_), "waiting for the GPU"); }

void wait_for(cudaStream_t stream, cudaStream_t other) {
  const Event queued;
  queued.record(other);
  queued.wait_on(stream);
}

}  // namespace rtindex::cuda
