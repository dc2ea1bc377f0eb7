#pragma once

#include <rtindex/rtindex.hpp>

#include "gpu/device_workload.hpp"

namespace rtindex::bench {

// A column on the device, and its values.
struct DeviceBed {
  explicit DeviceBed(const KeyRule& key_rule)
      : rule(key_rule),
        keys(rule.rows * static_cast<std::size_t>(rule.key_bytes)),
        values(rule.rows * sizeof(std::uint32_t)) {
    make_column(rule, keys.data());
    make_values(rule.rows, values.as<std::uint32_t>());
  }
  [[nodiscard]] ColumnView column() const {
    return ColumnView::of(rule.type(), keys.data(), rule.rows).on_device();
  }
  [[nodiscard]] ColumnView value_column() const {
    return ColumnView::of(Type::u32, values.data(), rule.rows).on_device();
  }

  KeyRule rule;
  DeviceBuffer keys, values;
};

// Lookups on the device, and where their sums go.
struct DeviceLookupBed {
  DeviceLookupBed(std::size_t lookups, int key_bytes)
      : count(lookups),
        keys(lookups * static_cast<std::size_t>(key_bytes)),
        sums(lookups * sizeof(std::uint64_t)) {}

  std::size_t count;
  DeviceBuffer keys, sums;
};

struct DeviceRangeBed {
  explicit DeviceRangeBed(std::size_t ranges)
      : count(ranges), lower(ranges * 4), upper(ranges * 4), sums(ranges * sizeof(std::uint64_t)) {}

  std::size_t count;
  DeviceBuffer lower, upper, sums;
};

}  // namespace rtindex::bench
