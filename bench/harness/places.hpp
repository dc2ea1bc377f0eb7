#pragma once

#include <memory>

#include <rtindex/spec.hpp>

#include "workload/place.hpp"

namespace rtindex::bench {

// The places of a machine, made when they are first needed.
class Places {
 public:
  // The place that an index of this spec works best with.
  [[nodiscard]] Place& for_spec(const Spec& spec) {
    const bool on_gpu = spec.device() == "cuda" || spec.tracer() == "optix";
    std::unique_ptr<Place>& place = on_gpu ? device_ : host_;
    if (!place) place = on_gpu ? device_place() : host_place();
    return *place;
  }

 private:
  std::unique_ptr<Place> host_, device_;
};

}  // namespace rtindex::bench
