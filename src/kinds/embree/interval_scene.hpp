#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/array.hpp"
#include "keys/encoded_column.hpp"
#include "kinds/embree/box_scene.hpp"
#include "kinds/scene/interval_boxes.hpp"
#include "kinds/scene/rx_options.hpp"

namespace rtindex {

// The boxes of a column of intervals in an Embree scene.
class IntervalScene {
 public:
  // `column` must outlive the scene and must not move.
  IntervalScene(const RxOptions& options, const EncodedColumn& column, int threads);
  IntervalScene(const IntervalScene&) = delete;
  IntervalScene& operator=(const IntervalScene&) = delete;

  // Finds all intervals that contain a key, by one perpendicular ray. on_hit() gets the element of
  // the column.
  void trace(std::uint64_t key, EmbreeQuery& query) const;

  [[nodiscard]] std::size_t boxes() const { return intervals_.size(); }
  [[nodiscard]] std::size_t buffer_bytes() const {
    return intervals_.bytes() + first_keys_.bytes() + last_keys_.bytes();
  }
  [[nodiscard]] std::size_t structure_bytes() const { return scene_->bytes(); }
  [[nodiscard]] std::size_t peak_structure_bytes() const { return scene_->peak_bytes(); }

 private:
  void make_boxes(const EncodedColumn& column);
  [[nodiscard]] Interval keys_of(std::size_t box) const {
    return {first_keys_[box], last_keys_[box]};
  }

  static void bound_interval(const RTCBoundsFunctionArguments* arguments);
  static void test_interval(const RTCOccludedFunctionNArguments* arguments);

  Coordinates coordinates_;
  // The element of each box, and its keys.
  Array<std::uint32_t> intervals_;
  PackedKeys first_keys_, last_keys_;
  std::optional<BoxScene> scene_;
};

}  // namespace rtindex
