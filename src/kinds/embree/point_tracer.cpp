#include <utility>
#include <vector>

#include "answers/request.hpp"
#include "base/parallel.hpp"
#include "engine/box_batch.hpp"
#include "kinds/embree/box_scene.hpp"
#include "kinds/embree/embree_searchers.hpp"
#include "kinds/embree/hit_receiver.hpp"
#include "kinds/scene/point_cells.hpp"

namespace rtindex {

namespace {

// Points by rays: a box query is a grid of rays (kinds/scene/point_rays.hpp).
class PointTracer final : public Searcher {
 public:
  PointTracer(const EmbreeOptions& options, EncodedColumn column, const PointCodec& codec)
      : column_(std::move(column)),
        largest_(codec.largest_keys()),
        cells_(column_.points),
        space_(cells_.space()),
        places_(cells_.places(column_.points)),
        scene_(column_.size(), this, {bound_point, test_point},
               {options.rx.compact, options.threads}) {
    size_ = column_.size();
    capabilities_ = {.counters = true};
  }

  void answer(const LookupBatch& batch, const Request& request) const override {
    // Rows are collected chunk by chunk; all else is spread over cores more evenly.
    constexpr std::size_t few = 16;
    const std::size_t grain = request.chunk_rows == nullptr ? few : chunk_lookups;
    const BoxBatch boxes(batch);
    visit_class(request.value_class(), [&]<class Class>() {
      parallel_for(batch.size(), grain, [&](std::size_t first, std::size_t count) {
        run_chunk<Class>(batch, boxes, request, first, count);
      });
    });
  }

  [[nodiscard]] EncodedColumn column() const override { return copy_of(column_); }

  [[nodiscard]] MemoryUsage memory_usage() const override {
    MemoryUsage bytes;
    bytes.parts = {{"positions of points", places_.bytes()},
                   {"acceleration structure", scene_.bytes()},
                   {"points", column_.bytes()}};
    for (const auto& [name, size] : bytes.parts) bytes.resident += size;
    bytes.build_peak = bytes.resident - scene_.bytes() + scene_.peak_bytes();
    return bytes;
  }

  [[nodiscard]] std::string describe() const override {
    return fmt::format(
        "tracer: {}, rtcOccluded1 with a test per hit\n"
        "scene: {} points as boxes in {} x {} x {} cells\n"
        "rays: along the shortest side of a box, through each cell of the others\n",
        embree_version(), size_, space_.axes[0].cells, space_.axes[1].cells, space_.axes[2].cells);
  }

 private:
  static void bound_point(const RTCBoundsFunctionArguments* arguments) {
    const auto* tracer = static_cast<const PointTracer*>(arguments->geometryUserPtr);
    set_bounds(arguments, tracer->space_.primitive_at(tracer->places_[arguments->primID]));
  }
  static void test_point(const RTCOccludedFunctionNArguments* arguments) {
    const auto* tracer = static_cast<const PointTracer*>(arguments->geometryUserPtr);
    test_box(arguments, arguments->primID, [&](const EmbreeQuery& query) {
      return query.places->passes(tracer->places_[arguments->primID]);
    });
  }

  template <class Class>
  void run_chunk(const LookupBatch& batch, const BoxBatch& boxes, const Request& request,
                 std::size_t first, std::size_t count) const {
    std::vector<Box> chunk(count);
    boxes.encode(first, count, chunk.data());
    PointBox box;
    const BoxRays* rays = nullptr;  // of the current box
    const auto accepts = [&](std::uint32_t point) {
      return rays->contains(space_, box, places_[point],
                            [&](std::uint32_t axis) { return column_.points[axis][point]; });
    };
    HitReceiver<Class, decltype(accepts)> receiver(batch, request, column_, first, accepts);
    const auto trace = [&](const Box& query) {
      if (receiver.done()) return;
      box = as_point_box(query);
      const BoxRays all(space_, box);
      rays = &all;
      for (std::uint64_t i = 0; i < all.count() && !receiver.done(); ++i) {
        const PlaceRay cast = all.ray(space_, i);
        receiver.query().places = &cast;
        scene_.trace(cast.ray, receiver.query());
      }
    };
    for (std::size_t i = 0; i < count; ++i)
      receiver.answer(first + i, [&] { boxes.visit_boxes(chunk[i], trace); });
    receiver.finish();
  }

  [[nodiscard]] PointBox as_point_box(const Box& query) const {
    PointBox box{};
    for (std::size_t c = 0; c < largest_.size(); ++c) box.keys[c] = {0, largest_[c]};
    for (std::uint32_t i = 0; i < query.count; ++i)
      box.keys[query.sides[i].column] = {query.sides[i].lower, query.sides[i].upper};
    return box;
  }

  EncodedColumn column_;
  std::vector<std::uint64_t> largest_;  // key of each column
  PointCells cells_;
  PointSpace space_;
  Array<std::uint32_t> places_;
  BoxScene scene_;
};

}  // namespace

std::unique_ptr<Searcher> make_point_tracer(const EmbreeOptions& options, EncodedColumn column,
                                            const PointCodec& codec) {
  require_axes(codec.columns(), "rx:embree");
  return std::make_unique<PointTracer>(options, std::move(column), codec);
}

}  // namespace rtindex
