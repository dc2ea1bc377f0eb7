#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/cuda/transfer.hpp"
#include "engine/cuda/device_searcher.hpp"
#include "kinds/optix/optix_tracer.hpp"
#include "kinds/optix/point_kernels.hpp"
#include "kinds/optix/ray_answerer.hpp"
#include "kinds/optix/tracer_options.hpp"
#include "kinds/scene/point_cells.hpp"
#include "order/cuda/device_columns.hpp"

namespace rtindex::optix {

namespace {

using cuda::DeviceArray;
using cuda::OnDevice;

// The points and their scene. They are released on the stream, which therefore outlives them.
struct PointArrays {
  cuda::PooledStream stream;
  std::array<DeviceArray<std::uint64_t>, max_point_axes> first_keys;  // of the cells of an axis
  DeviceArray<std::uint32_t> places;
  std::vector<cuda::DeviceBytes> keys;  // by column
  DeviceArray<std::uint32_t> rows;      // empty: point i is row i
  std::unique_ptr<Scene> scene;
};

// Points by rays: a box query is a grid of rays (kinds/scene/point_rays.hpp).
class OptixPoints final : public cuda::DeviceSearcher {
 public:
  OptixPoints(const SceneOptions& options, const cuda::GpuContext& gpu, const EncodedColumn& column,
              const PointCodec& codec, const cuda::MemoryMeter& meter)
      : DeviceSearcher(gpu),
        options_(options),
        row_count_(column.row_count),
        largest_(codec.largest_keys()),
        arrays_(std::make_unique<PointArrays>()) {
    size_ = column.size();
    capabilities_ = {.counters = true, .ray_times = true};
    const cuda::Queue queue(memory(), arrays_->stream.get());
    upload(column, queue);
    const auto write = [&](std::size_t first, std::size_t count, void* to) {
      write_points(points_.space, arrays_->places.data() + first, count, to, queue);
    };
    arrays_->scene = std::make_unique<Scene>(options_, size_, write, queue);
    const Pipeline& pipeline =
        Pipeline::get(options_.device, Programs::boxes, options_.rx.primitive, 0);
    // Boxes are never points, and have no edges.
    answerer_.emplace(RayAnswerer::Sources{
        options_.rx, pipeline, pipeline, {}, scene_view(), {}, nullptr, memory(), points_});
    build_profile_ = arrays_->scene->build_profile();
    finish_build(arrays_->stream, meter);
  }
  ~OptixPoints() override { release(arrays_); }

  [[nodiscard]] Encoding encoding() const override { return {row_count_}; }
  [[nodiscard]] SegmentTraits traits(std::size_t) const override {
    return {.casts_rays = true, .folds_hits = true, .points = true};
  }
  [[nodiscard]] cuda::FoundRows answer_on_device(Method, const cuda::SearchedLookups& searched,
                                                 const cuda::DeviceRequest& request,
                                                 cuda::RowsWanted wanted,
                                                 cudaStream_t stream) const override {
    return answerer_->answer(searched, request, wanted, stream);
  }
  void find_edges_on_device(const cuda::SearchedLookups&, Edge, std::uint32_t*, std::uint64_t*,
                            cudaStream_t) const override {
    cuda::fail_not_offered();
  }
  // Points have no single key.
  [[nodiscard]] cuda::DeviceColumn device_column(cudaStream_t) const override {
    cuda::fail_not_offered();
  }

  [[nodiscard]] EncodedColumn column() const override {
    const OnDevice current(gpu().device);
    const cuda::PooledStream stream;
    EncodedColumn column;
    column.row_count = row_count_;
    for (std::size_t c = 0; c < largest_.size(); ++c) {
      PackedKeys& keys = column.points.emplace_back(size_, largest_[c]);
      cuda::copy_to_host(keys.data(), arrays_->keys[c].data(), keys.bytes(), stream.get());
    }
    column.rows = Array<std::uint32_t>(arrays_->rows.size());
    cuda::copy_to_host(column.rows.data(), arrays_->rows.data(), column.rows.bytes(), stream.get());
    return column;
  }
  void save(FileWriter file) const override { save_column(file, column()); }

  [[nodiscard]] std::string describe() const override {
    const Scene& scene = *arrays_->scene;
    const SceneCosts& costs = scene.costs();
    return cuda::describe_gpu(gpu().device) + describe_tracer(gpu().device) +
           fmt::format(
               "scene: {} points as aabbs in {} x {} x {} cells and {} structures\n"
               "rays: along the shortest side of a box, through each cell of the others\n"
               "build: {} working memory, {} uncompacted, {} final\n"
               "times: convert {:.3f} ms, build {:.3f} ms, compact {:.3f} ms\n",
               size_, points_.space.axes[0].cells, points_.space.axes[1].cells,
               points_.space.axes[2].cells, scene.structure_count(), human_bytes(costs.temporary),
               human_bytes(costs.uncompacted), human_bytes(scene.structure_bytes()),
               costs.convert_ms, costs.build_ms, costs.compact_ms);
  }

 private:
  void upload(const EncodedColumn& column, const cuda::Queue& queue) {
    const PointCells cells(column.points);
    points_.space = cells.space();
    for (std::size_t axis = 0; axis < max_point_axes; ++axis) {
      const std::vector<std::uint64_t>& keys = cells.first_keys(axis);
      arrays_->first_keys[axis] = cuda::uploaded(keys.data(), keys.size(), queue);
      points_.space.axes[axis].first_keys = arrays_->first_keys[axis].data();
    }
    const Array<std::uint32_t> places = cells.places(column.points);
    arrays_->places = cuda::uploaded(places.data(), places.size(), queue);
    points_.places = arrays_->places.data();
    for (std::size_t c = 0; c < column.points.size(); ++c) {
      const PackedKeys& keys = column.points[c];
      cuda::DeviceBytes& uploaded = arrays_->keys.emplace_back(queue, keys.bytes());
      cuda::copy_to_device(uploaded.data(), keys.data(), keys.bytes(), queue);
      points_.keys[c] = uploaded.data();
      points_.wide[c] = keys.wide();
      points_.largest[c] = largest_[c];
    }
    arrays_->rows = cuda::uploaded(column.rows.data(), column.rows.size(), queue);
  }

  [[nodiscard]] SceneView scene_view() const {
    SceneView view{};
    view.primitive = Primitive::aabb;
    view.keys = arrays_->places.data();  // joins in several calls need rows in some fixed order
    view.rows = arrays_->rows.size() == 0 ? nullptr : arrays_->rows.data();
    view.structures = arrays_->scene->structures();
    view.structure_count = static_cast<std::uint32_t>(arrays_->scene->structure_count());
    view.structure_size = static_cast<std::uint32_t>(options_.split);
    return view;
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> memory_entries() const override {
    std::size_t keys = arrays_->rows.bytes();
    for (const cuda::DeviceBytes& column : arrays_->keys) keys += column.size();
    std::size_t places = arrays_->places.bytes();
    for (const DeviceArray<std::uint64_t>& cells : arrays_->first_keys) places += cells.bytes();
    return {{"acceleration structures", arrays_->scene->structure_bytes()},
            {"points", keys},
            {"positions of points", places}};
  }

  SceneOptions options_;
  std::size_t row_count_;
  std::vector<std::uint64_t> largest_;  // key of each column
  std::unique_ptr<PointArrays> arrays_;
  PointView points_{};
  std::optional<RayAnswerer> answerer_;
};

}  // namespace

std::unique_ptr<Searcher> build_point_tracer(const SceneOptions& options,
                                             const EncodedColumn& column, const PointCodec& codec,
                                             const cuda::GpuContext& gpu,
                                             const cuda::MemoryMeter& meter) {
  require_axes(codec.columns(), "rx:optix");
  return std::make_unique<OptixPoints>(options, gpu, column, codec, meter);
}

}  // namespace rtindex::optix
