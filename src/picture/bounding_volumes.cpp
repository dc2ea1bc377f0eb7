#include "picture/bounding_volumes.hpp"

#include <algorithm>
#include <span>

namespace rtindex {

namespace {

constexpr std::size_t leaf_size = 2;

double middle(const PixelBox& box, bool by_x) {
  return by_x ? box.left + box.right : box.top + box.bottom;
}

PixelBox around(std::span<const PixelBox> boxes) {
  PixelBox all = boxes.front();
  for (const PixelBox& box : boxes) all.include(box);
  return all;
}

// Adds the volume of these boxes and those below it, and gives its box.
PixelBox add_volume(std::span<PixelBox> boxes, int depth, std::vector<BoundingVolume>& volumes) {
  if (boxes.size() == 1 && depth > 0) return boxes.front();
  const std::size_t place = volumes.size();
  volumes.push_back({{}, depth});
  PixelBox box = around(boxes);
  if (boxes.size() > leaf_size) {
    const bool by_x = box.right - box.left >= box.bottom - box.top;
    const std::size_t half = (boxes.size() + 1) / 2;
    std::sort(boxes.begin(), boxes.end(), [by_x](const PixelBox& a, const PixelBox& b) {
      return middle(a, by_x) < middle(b, by_x);
    });
    box.include(add_volume(boxes.first(half), depth + 1, volumes));
    box.include(add_volume(boxes.subspan(half), depth + 1, volumes));
  }
  volumes[place].box = box.grown(volume_margin);
  return volumes[place].box;
}

}  // namespace

std::vector<BoundingVolume> bounding_volumes(const SceneLayout& layout) {
  std::vector<PixelBox> boxes;
  for (const Pile& pile : layout.piles()) {
    boxes.push_back(layout.box_of(pile, 0));
    boxes.back().include(layout.box_of(pile, pile.count - 1));
  }
  std::vector<BoundingVolume> volumes;
  if (!boxes.empty()) add_volume(boxes, 0, volumes);
  return volumes;
}

}  // namespace rtindex
