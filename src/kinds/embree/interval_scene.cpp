#include "kinds/embree/interval_scene.hpp"

#include <limits>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace rtindex {

namespace {

constexpr std::size_t box_grain = std::size_t{1} << 14;

}  // namespace

IntervalScene::IntervalScene(const RxOptions& options, const EncodedColumn& column, int threads)
    : coordinates_(options.coordinates) {
  make_boxes(column);
  scene_.emplace(boxes(), this, BoxScene::Callbacks{bound_interval, test_interval},
                 BoxScene::Options{options.compact, threads});
}

void IntervalScene::make_boxes(const EncodedColumn& column) {
  const auto split = [&](std::size_t i, Interval(&boxes)[max_interval_boxes]) {
    return static_cast<std::size_t>(
        boxes_of(coordinates_, {column.keys[i], column.ends[i]}, boxes));
  };
  // The first box of each block of intervals.
  const std::size_t blocks = (column.size() + box_grain - 1) / box_grain;
  Array<std::size_t> first_boxes(blocks + 1);
  first_boxes[0] = 0;
  parallel_for(column.size(), box_grain, [&](std::size_t first, std::size_t count) {
    Interval boxes[max_interval_boxes];
    std::size_t total = 0;
    for (std::size_t i = first; i < first + count; ++i) total += split(i, boxes);
    first_boxes[first / box_grain + 1] = total;
  });
  for (std::size_t i = 0; i < blocks; ++i) first_boxes[i + 1] += first_boxes[i];
  const std::size_t total = first_boxes[blocks];
  if (total > std::numeric_limits<std::uint32_t>::max())
    fail(ErrorKind::unsupported,
         "rx:embree holds at most 2^32 - 1 boxes and the intervals take {}: use rx:native or more "
         "x bits",
         total);
  intervals_ = Array<std::uint32_t>(total);
  first_keys_ = PackedKeys(total, column.span);
  last_keys_ = PackedKeys(total, column.span);
  parallel_for(column.size(), box_grain, [&](std::size_t first, std::size_t count) {
    std::size_t box = first_boxes[first / box_grain];
    for (std::size_t i = first; i < first + count; ++i) {
      Interval boxes[max_interval_boxes];
      const std::size_t size = split(i, boxes);
      for (std::size_t k = 0; k < size; ++k, ++box) {
        intervals_[box] = static_cast<std::uint32_t>(i);
        first_keys_.set(box, boxes[k].lower);
        last_keys_.set(box, boxes[k].upper);
      }
    }
  });
}

void IntervalScene::bound_interval(const RTCBoundsFunctionArguments* arguments) {
  const auto* scene = static_cast<const IntervalScene*>(arguments->geometryUserPtr);
  set_bounds(arguments, box_between(scene->coordinates_, scene->keys_of(arguments->primID)));
}

// Boxes of neighbouring keys touch from 2^22 on: the keys decide, not the coordinates.
void IntervalScene::test_interval(const RTCOccludedFunctionNArguments* arguments) {
  const auto* scene = static_cast<const IntervalScene*>(arguments->geometryUserPtr);
  test_box(arguments, scene->intervals_[arguments->primID], [&](const EmbreeQuery& query) {
    return scene->keys_of(arguments->primID).contains(query.ray_keys.lower);
  });
}

void IntervalScene::trace(std::uint64_t key, EmbreeQuery& query) const {
  query.ray_keys = {key, key};
  scene_->trace(perpendicular_ray(coordinates_, key), query);
}

}  // namespace rtindex
