#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>

#include <rtindex/answer.hpp>

#include "base/cuda/device_array.hpp"
#include "base/cuda/transfer.hpp"

namespace rtindex::cuda {

// The counters of one call, on the device while it runs; none where the call wants none.
class DeviceCounters {
 public:
  DeviceCounters(Counters* wanted, const std::shared_ptr<DeviceMemory>& memory) : wanted_(wanted) {
    if (wanted == nullptr) return;
    counters_ = DeviceArray<Counters>(memory, 1, stream_.emplace().get());
    copy_to_device(counters_.data(), wanted, sizeof(Counters), stream_->get());
    stream_->wait();
  }
  ~DeviceCounters() {
    // A call that failed may have left kernels behind that count.
    if (wanted_ != nullptr) static_cast<void>(cudaDeviceSynchronize());
  }
  DeviceCounters(const DeviceCounters&) = delete;
  DeviceCounters& operator=(const DeviceCounters&) = delete;
  [[nodiscard]] Counters* get() const { return wanted_ == nullptr ? nullptr : counters_.data(); }
  // Waits for the work on the caller's stream and hands over what was counted.
  void finish(Stream caller) const {
    if (wanted_ == nullptr) return;
    check(cudaStreamSynchronize(static_cast<cudaStream_t>(caller.handle)), "counting");
    copy_to_host(wanted_, counters_.data(), sizeof(Counters), stream_->get());
  }

 private:
  Counters* wanted_;
  // The array is given back in the order of this stream, which therefore outlives it.
  std::optional<OwnStream> stream_;
  DeviceArray<Counters> counters_;
};

}  // namespace rtindex::cuda
