#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/cuda/device_array.hpp"
#include "base/cuda/runtime.hpp"
#include "base/types.hpp"
#include "engine/batch_runner.hpp"
#include "engine/cuda/neighbour_kernels.hpp"

namespace rtindex::cuda {

// Keys of a column in device memory, with a validity bitmap.
class KeysOnGpu {
 public:
  KeysOnGpu(const KeyCodec& codec, std::size_t size, const Queue& queue)
      : size_(size), valid_(queue, (size + 7) / 8) {
    types_ = codec.part_types();
    if (types_.empty()) types_.push_back(codec.type());
    for (const Type type : types_) {
      // The keys of misses are null: their elements are unspecified but readable.
      columns_.emplace_back(queue, size * width_of(type));
      if (size != 0)
        check(cudaMemsetAsync(columns_.back().data(), 0, columns_.back().size(), queue),
              "filling memory");
      parts_.push_back(columns_.back().data());
    }
  }

  [[nodiscard]] std::span<void* const> parts() const { return parts_; }
  [[nodiscard]] std::uint8_t* valid() const { return valid_.data(); }
  [[nodiscard]] ColumnView view() const {
    std::vector<ColumnView> views;
    for (std::size_t p = 0; p < types_.size(); ++p)
      views.push_back(ColumnView::of(types_[p], parts_[p], size_).on_device());
    const ColumnView all = views.size() == 1 ? views.front() : ColumnView::composite(views);
    return all.with_validity(valid_.data());
  }

 private:
  std::size_t size_;
  std::vector<Type> types_;
  std::vector<DeviceBytes> columns_;
  std::vector<void*> parts_;
  DeviceArray<std::uint8_t> valid_;
};

// The encodings of segments with keys, as devices encode them; empty where one has no such map.
[[nodiscard]] std::vector<PackedMap> maps_of(std::span<const Segment> segments);

// The neighbours of keys in all segments, whose encodings can be joined: see NeighbourRunner.
// `key_parts`: the keys of composite columns, in device memory; empty: Outputs::key.
void find_neighbours(std::span<const Segment> segments, const BatchQuery& query,
                     const Request& request, std::span<void* const> key_parts);

}  // namespace rtindex::cuda
