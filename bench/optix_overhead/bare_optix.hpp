#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/device_buffer.hpp"
#include "kinds/optix/abi.hpp"
#include "kinds/optix/function_table.hpp"
#include "optix_overhead/bare_params.hpp"

namespace rtindex::bench {

// A hand-written OptiX program for RX's default configuration: one triangle per key
// in row order in one acceleration structure, a perpendicular ray per lookup and an any-hit program
// that adds up the value at the rowID. It shares the triangles' shape with the library, and the
// declarations of OptiX.
class BareOptix {
 public:
  BareOptix(const std::uint32_t* keys, std::size_t count);

  // Queued on the default stream; all pointers are to device memory.
  void sum(const std::uint32_t* keys, std::size_t count, const std::uint32_t* values,
           std::uint64_t* sums) const;

 private:
  void build(const std::uint32_t* keys, std::size_t count);
  void link();

  optix::Context context_;
  std::unique_ptr<DeviceBuffer> structure_;
  optix::Traversable scene_ = 0;
  optix::PipelineRef pipeline_ = nullptr;
  DeviceBuffer records_;
  DeviceBuffer params_;
  optix::BindingTable table_{};
};

}  // namespace rtindex::bench
