#pragma once

#include <vector>

#include <rtindex/spec.hpp>

#include "engine/batch_order.hpp"
#include "engine/index_options.hpp"
#include "kinds/scene/rx_options.hpp"

namespace rtindex {

// The options of rx:embree. Builds without Embree declare them, too: they parse the same specs.
struct EmbreeOptions {
  RxOptions rx;
  Order order = Order::automatic;  // with buckets
  int threads = 0;                 // 0: all

  [[nodiscard]] static EmbreeOptions from(const Spec& spec) {
    return {RxOptions::from(spec), order_of(spec), IndexOptions::from(spec).threads};
  }
  [[nodiscard]] static std::vector<SpecOption> declared() {
    std::vector<SpecOption> options = RxOptions::declared();
    options.push_back(order_option.needing("bucket"));
    return options;
  }
};

}  // namespace rtindex
