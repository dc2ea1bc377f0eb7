#include "base/cuda/runtime.hpp"

#include <dlfcn.h>

#include <utility>

#include "base/error.hpp"

namespace rtindex::cuda {

namespace {

// The driver's own library is looked for first: the run-time would only say "no device".
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
        "the NVIDIA driver is made for CUDA {}.{}, and rtindex was built with CUDA {}.{}: install "
        "a "
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
    check(cudaGetDeviceProperties(&properties, device), "asking what a GPU is");
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
    fail("out of GPU memory while {}: free memory there, or split the work into smaller batches",
         doing);
  fail("the GPU failed while {}: {}", doing, cudaGetErrorString(status));
}

void check_launch(const char* doing) { check(cudaGetLastError(), doing); }

// Failures of the caller's own calls, which it knows of, are not taken for ours.
OnDevice::OnDevice(int device) {
  static_cast<void>(cudaGetLastError());
  check(cudaGetDevice(&before_), "asking for the current GPU");
  if (before_ == device) return;
  check(cudaSetDevice(device), "choosing a GPU");
  changed_ = true;
}

OnDevice::OnDevice(int device, std::nothrow_t) noexcept {
  changed_ = cudaGetDevice(&before_) == cudaSuccess && before_ != device &&
             cudaSetDevice(device) == cudaSuccess;
}

// Only what was changed is changed back: choosing a GPU makes a context there.
OnDevice::~OnDevice() {
  if (changed_) static_cast<void>(cudaSetDevice(before_));
}

OwnStream::OwnStream() {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
}
OwnStream::~OwnStream() {
  if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
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
void Event::hold_back(cudaStream_t stream) const {
  check(cudaStreamWaitEvent(stream, event_, 0), "waiting for an event");
}
void Event::wait() const { check(cudaEventSynchronize(event_), "waiting for the GPU"); }

}  // namespace rtindex::cuda
