#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "engine/cuda/device_searcher.hpp"
#include "kinds/optix/interval_kernels.hpp"
#include "kinds/optix/optix_tracer.hpp"
#include "kinds/optix/ray_answerer.hpp"
#include "kinds/optix/tracer_options.hpp"
#include "order/columns.hpp"
#include "order/cuda/device_columns.hpp"

namespace rtindex::optix {

namespace {

using cuda::DeviceColumn;
using cuda::OnDevice;

// The intervals and their scenes. They are released on the stream, which therefore outlives them.
struct IntervalArrays {
  cuda::PooledStream stream;
  DeviceColumn starts, ends;
  IntervalBoxes boxes;
  std::unique_ptr<Scene> box_scene;
  std::unique_ptr<Scene> start_scene;
};

// Intervals by rays, in two scenes of boxes. One has the intervals as boxes along x: a
// perpendicular ray hits those that contain a key. The other has their starts as keys: rays along
// rows hit those in a range.
class OptixIntervals final : public cuda::DeviceSearcher {
 public:
  OptixIntervals(const SceneOptions& options, const cuda::GpuContext& gpu,
                 cuda::DeviceIntervalRows rows, const cuda::MemoryMeter& meter)
      : DeviceSearcher(gpu),
        options_(options),
        arrays_(std::make_unique<IntervalArrays>(IntervalArrays{std::move(rows.stream),
                                                                std::move(rows.starts),
                                                                std::move(rows.ends),
                                                                {},
                                                                nullptr,
                                                                nullptr})) {
    size_ = starts().size;
    capabilities_ = {.key_order = true, .counters = true, .ray_times = true};
    arrays_->ends.rows = cuda::DeviceArray<std::uint32_t>();  // those of the starts
    make_scenes({memory(), arrays_->stream.get()});
    const Pipeline& pipeline =
        Pipeline::get(options.device, Programs::intervals, options.rx.primitive, 0);
    // Queries of intervals are never points, and have no edges.
    answerer_.emplace(RayAnswerer::Sources{options_.rx,
                                           pipeline,
                                           pipeline,
                                           {},
                                           arrays_->start_scene->view(starts()),
                                           view(),
                                           nullptr,
                                           memory()});
    costs_ = arrays_->box_scene->costs();
    costs_.add(arrays_->start_scene->costs());
    build_profile_ = costs_.parts(structure_bytes());
    finish_build(arrays_->stream, meter);
  }
  ~OptixIntervals() override { release(arrays_); }

  [[nodiscard]] Encoding encoding() const override { return {starts().row_count, starts().span}; }
  [[nodiscard]] SegmentTraits traits(std::size_t) const override {
    return {.casts_rays = true, .folds_hits = true};
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

  // The starts.
  [[nodiscard]] DeviceColumn device_column(cudaStream_t stream) const override {
    return cuda::copy_of(starts(), {memory(), stream});
  }
  [[nodiscard]] EncodedColumn column() const override {
    const OnDevice current(gpu().device);
    const cuda::PooledStream stream;
    EncodedColumn both = cuda::downloaded(starts(), stream.get());
    both.ends = cuda::downloaded(arrays_->ends, stream.get()).keys;
    return both;
  }
  // As searchers of intervals on GPUs are loaded.
  void save(FileWriter file) const override {
    EncodedColumn of_starts = column();
    EncodedColumn of_ends;
    of_ends.keys = std::exchange(of_starts.ends, {});
    of_ends.rows = Array<std::uint32_t>(of_starts.rows.size());
    std::copy(of_starts.rows.begin(), of_starts.rows.end(), of_ends.rows.begin());
    of_ends.row_count = of_starts.row_count;
    of_ends.span = of_starts.span;
    FileWriter starts_part = file.part("starts");
    save_column(starts_part, std::move(of_starts));
    FileWriter ends_part = file.part("ends");
    save_column(ends_part, std::move(of_ends));
  }

  [[nodiscard]] std::string describe() const override {
    const Scene& in_boxes = *arrays_->box_scene;
    const Scene& in_starts = *arrays_->start_scene;
    const std::uint64_t spanned = options_.rx.coordinates.row_of(starts().span) + 1;
    return cuda::describe_gpu(gpu().device) + describe_tracer(gpu().device) +
           fmt::format(
               "scene: {} intervals as {} boxes in {} structures, and their starts as aabbs in {} "
               "structures, {} rows\n"
               "rays: perpendicular for intervals that contain a key, from {} along rows for "
               "starts "
               "in a range\n"
               "options: primitive, point, row_rays and update do not apply to intervals\n"
               "build: {} working memory, {} uncompacted, {} final\n"
               "times: convert {:.3f} ms, build {:.3f} ms, compact {:.3f} ms\n",
               size_, arrays_->boxes.size(), in_boxes.structure_count(),
               in_starts.structure_count(),
               in_starts.occupied_row_count() != 0 ? in_starts.occupied_row_count() : spanned,
               name_of(options_.rx.range), human_bytes(costs_.temporary),
               human_bytes(costs_.uncompacted), human_bytes(structure_bytes()), costs_.convert_ms,
               costs_.build_ms, costs_.compact_ms);
  }

 private:
  [[nodiscard]] const DeviceColumn& starts() const { return arrays_->starts; }
  [[nodiscard]] std::size_t structure_bytes() const {
    return arrays_->box_scene->structure_bytes() + arrays_->start_scene->structure_bytes();
  }

  void make_scenes(const cuda::Queue& queue) {
    const Coordinates& coordinates = options_.rx.coordinates;
    arrays_->boxes = split_into_boxes(coordinates, starts(), arrays_->ends, queue);
    const auto write = [&](std::size_t first, std::size_t count, void* to) {
      write_boxes(coordinates, arrays_->boxes, first, count, to, queue);
    };
    arrays_->box_scene = std::make_unique<Scene>(options_, arrays_->boxes.size(), write, queue);
    arrays_->start_scene = std::make_unique<Scene>(options_, starts(), queue);
  }

  [[nodiscard]] IntervalView view() const {
    const Scene& scene = *arrays_->box_scene;
    const DeviceColumn& ends = arrays_->ends;
    IntervalView view{};
    view.wide = starts().is_wide();
    view.ends = view.wide ? static_cast<const void*>(ends.wide.data()) : ends.narrow.data();
    view.structures = scene.structures();
    view.structure_count = static_cast<std::uint32_t>(scene.structure_count());
    view.structure_size = static_cast<std::uint32_t>(options_.split);
    view.intervals = arrays_->boxes.intervals.data();
    view.box_keys = arrays_->boxes.keys.data();
    return view;
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> memory_entries() const override {
    const auto bytes_of = [](const DeviceColumn& column) {
      return column.narrow.bytes() + column.wide.bytes() + column.rows.bytes();
    };
    const IntervalBoxes& boxes = arrays_->boxes;
    return {{"acceleration structures", structure_bytes()},
            {"keys", bytes_of(starts()) + bytes_of(arrays_->ends)},
            {"boxes", boxes.intervals.bytes() + boxes.keys.size()},
            {"row directory", arrays_->start_scene->directory_bytes()}};
  }

  SceneOptions options_;
  std::unique_ptr<IntervalArrays> arrays_;
  SceneCosts costs_;
  std::optional<RayAnswerer> answerer_;
};

}  // namespace

SceneOptions box_options(const SceneOptions& options) {
  SceneOptions own = options;
  own.rx.primitive = Primitive::aabb;
  own.rx.point = RayKind::perpendicular;
  own.rx.row_rays = RowRays::occupied;
  own.rx.update = Update::rebuild;
  return own;
}

std::unique_ptr<Searcher> build_interval_tracer(const SceneOptions& options,
                                                cuda::DeviceIntervalRows rows,
                                                const cuda::GpuContext& gpu,
                                                const cuda::MemoryMeter& meter) {
  return std::make_unique<OptixIntervals>(options, gpu, std::move(rows), meter);
}

}  // namespace rtindex::optix
