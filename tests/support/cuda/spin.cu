#include "support/cuda/spin.hpp"

#include "support/cuda/device_copy.hpp"

namespace rtindex::test {

struct SpinningKernel::Flags {
  int stop;
};

namespace {

[[nodiscard]] __device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__global__ void spin(const volatile int* stop, unsigned long long limit) {
  const unsigned long long begin = nanoseconds();
  while (*stop == 0 && nanoseconds() - begin < limit) __nanosleep(1000);
}

}  // namespace

SpinningKernel::SpinningKernel(double seconds) : owns_stream_(true) {
  require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  start(seconds);
}

SpinningKernel::SpinningKernel(double seconds, cudaStream_t stream)
    : stream_(stream), owns_stream_(false) {
  start(seconds);
}

void SpinningKernel::start(double seconds) {
  void* memory = nullptr;
  require(cudaHostAlloc(&memory, sizeof(Flags), cudaHostAllocMapped));
  flags_ = static_cast<Flags*>(memory);
  flags_->stop = 0;
  require(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming));
  spin<<<1, 1, 0, stream_>>>(&flags_->stop, static_cast<unsigned long long>(seconds * 1e9));
  require(cudaGetLastError());
  require(cudaEventRecord(done_, stream_));
}

SpinningKernel::~SpinningKernel() {
  *static_cast<volatile int*>(&flags_->stop) = 1;
  static_cast<void>(cudaEventSynchronize(done_));
  static_cast<void>(cudaEventDestroy(done_));
  if (owns_stream_) static_cast<void>(cudaStreamDestroy(stream_));
  static_cast<void>(cudaFreeHost(flags_));
}

bool SpinningKernel::is_running() const {
  const bool running = cudaEventQuery(done_) == cudaErrorNotReady;
  static_cast<void>(cudaGetLastError());
  return running;
}

}  // namespace rtindex::test
