#include "kinds/optix/scene.hpp"

#include <algorithm>
#include <utility>

#include "base/cuda/stopwatch.hpp"
#include "base/cuda/transfer.hpp"
#include "kinds/optix/scene_kernels.hpp"

namespace rtindex::optix {

namespace {

DevicePointer pointer(const cuda::DeviceBytes& bytes) {
  return reinterpret_cast<DevicePointer>(bytes.data());
}

// OptiX may otherwise report a hit more than once.
constexpr unsigned geometry_flags = geometry_single_any_hit;

// OptiX requires an address of working memory even if its size is 0.
std::size_t at_least_one(std::size_t bytes) { return std::max<std::size_t>(bytes, 1); }

}  // namespace

// OptiX reads the addresses of buffers through pointers to members of this struct.
struct Scene::Input {
  Input(Primitive primitive, const Part& part)
      : primitives(pointer(part.primitives)), radius(pointer(part.radius)) {
    const auto size = static_cast<unsigned>(part.count);
    const auto stride = static_cast<unsigned>(optix::primitive_bytes(primitive));
    if (primitive == Primitive::triangle) {
      build.type = input_triangles;
      build.triangles.vertex_buffers = &primitives;
      build.triangles.vertices = 3 * size;
      build.triangles.vertex_format = vertex_float3;
      build.triangles.vertex_stride = sizeof(Point);
      build.triangles.flags = &geometry_flags;
      build.triangles.records = 1;
    } else if (primitive == Primitive::sphere) {
      build.type = input_spheres;
      build.spheres.centre_buffers = &primitives;
      build.spheres.centre_stride = stride;
      build.spheres.spheres = size;
      build.spheres.radius_buffers = &radius;
      build.spheres.single_radius = 1;
      build.spheres.flags = &geometry_flags;
      build.spheres.records = 1;
    } else {
      build.type = input_boxes;
      build.boxes.box_buffers = &primitives;
      build.boxes.boxes = size;
      build.boxes.stride = stride;
      build.boxes.flags = &geometry_flags;
      build.boxes.records = 1;
    }
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  DevicePointer primitives, radius;
  BuildInput build{};
};

Scene::Scene(const SceneOptions& options, const cuda::DeviceColumn& column,
             const cuda::Queue& queue)
    : Scene(
          options, column.size,
          [&](std::size_t first, std::size_t count, void* to) {
            write_primitives(options.rx.coordinates, options.rx.primitive, column, first, count, to,
                             queue);
          },
          queue) {
  directory_ = directory_of(column, queue);
}

Scene::Scene(const SceneOptions& options, std::size_t primitives, const WritePrimitives& write,
             const cuda::Queue& queue)
    : options_(options), context_(context_of(options.device).context) {
  cuda::Stopwatch watch(queue);
  for (std::size_t first = 0; first < primitives; first += options.split) {
    Part& part = parts_.emplace_back();
    part.first = first;
    part.count = std::min(options.split, primitives - first);
    build(part, write, watch, queue);
  }
  upload_handles(queue);
}

unsigned Scene::build_flags() const {
  unsigned flags = build_fast_trace;
  if (options_.rx.update == Update::refit) flags |= build_allow_update;
  if (options_.rx.compact) flags |= build_allow_compaction;
  return flags;
}

void Scene::build(Part& part, const WritePrimitives& write, cuda::Stopwatch& watch,
                  const cuda::Queue& queue) {
  const RxOptions& rx = options_.rx;
  part.primitives = cuda::DeviceBytes(queue, part.count * optix::primitive_bytes(rx.primitive));
  if (rx.primitive == Primitive::sphere) {
    const float radius = sphere_radius * rx.coordinates.scale;
    part.radius = cuda::DeviceBytes(queue, sizeof(radius));
    cuda::copy_to_device(part.radius.data(), &radius, sizeof(radius), queue);
  }
  write(part.first, part.count, part.primitives.data());
  costs_.convert_ms += watch.lap();
  const cuda::DeviceArray<std::size_t> compacted(queue, 1);
  const Emit emit{reinterpret_cast<DevicePointer>(compacted.data()), emit_compacted_size};
  {
    const Input input(rx.primitive, part);
    const BuildSizes sizes = sizes_of(input);
    part.structure = cuda::DeviceBytes(queue, sizes.output);
    const cuda::DeviceBytes temporary(queue, at_least_one(sizes.temporary));
    costs_.temporary = std::max(costs_.temporary, sizes.temporary);
    run_build(part, input, operation_build, temporary, rx.compact ? &emit : nullptr, queue);
  }
  costs_.build_ms += watch.lap();
  costs_.primitives += part.primitives.size() + part.radius.size();
  costs_.uncompacted += part.structure.size();
  if (rx.compact) {
    std::size_t bytes = 0;
    cuda::copy_to_host(&bytes, compacted.data(), sizeof(bytes), queue);
    if (bytes < part.structure.size()) compact(part, bytes, queue);
    costs_.compact_ms += watch.lap();
  }
  if (rx.update == Update::refit) return;
  part.primitives = cuda::DeviceBytes();
  part.radius = cuda::DeviceBytes();
}

BuildSizes Scene::sizes_of(const Input& input) const {
  // The sizes of a build include those of its later updates.
  const AccelBuildOptions options{.flags = build_flags(), .operation = operation_build};
  BuildSizes sizes{};
  check(functions().compute_sizes(context_, &options, &input.build, 1, &sizes),
        "computing the size of the acceleration structure");
  return sizes;
}

void Scene::run_build(Part& part, const Input& input, int operation,
                      const cuda::DeviceBytes& temporary, const Emit* emit, cudaStream_t stream) {
  const AccelBuildOptions options{.flags = build_flags(), .operation = operation};
  check(functions().build(context_, stream, &options, &input.build, 1, pointer(temporary),
                          temporary.size(), pointer(part.structure), part.structure.size(),
                          &part.handle, emit, emit == nullptr ? 0 : 1),
        operation == operation_update ? "refitting the acceleration structure"
                                      : "building the acceleration structure");
}

void Scene::compact(Part& part, std::size_t bytes, const cuda::Queue& queue) {
  cuda::DeviceBytes smaller(queue, bytes);
  Traversable handle = 0;
  check(functions().compact(context_, queue, part.handle, pointer(smaller), bytes, &handle),
        "compacting the acceleration structure");
  std::swap(part.structure, smaller);
  part.handle = handle;
}

void Scene::refit(const cuda::DeviceColumn& column, const cuda::Queue& queue) {
  cuda::Stopwatch watch(queue);
  const Primitive primitive = options_.rx.primitive;
  cuda::DeviceArray<std::uint64_t> directory = directory_of(column, queue);
  std::size_t room = 0;
  for (const Part& part : parts_)
    room = std::max(room, sizes_of(Input(primitive, part)).update_temporary);
  const cuda::DeviceBytes temporary(queue, at_least_one(room));
  // Nothing is allocated from here on.
  bool moved = false;
  for (Part& part : parts_) {
    const Traversable before = part.handle;
    write_primitives(options_.rx.coordinates, primitive, column, part.first, part.count,
                     part.primitives.data(), queue);
    run_build(part, Input(primitive, part), operation_update, temporary, nullptr, queue);
    moved = moved || part.handle != before;
  }
  if (moved) upload_handles(queue);
  directory_ = std::move(directory);
  costs_.temporary = std::max(costs_.temporary, room);
  costs_.update_ms = watch.lap();
}

bool Scene::uses_directory(const cuda::DeviceColumn& column) const {
  return options_.rx.row_rays == RowRays::occupied &&
         options_.rx.coordinates.row_of(column.span) >= few_rows;
}

cuda::DeviceArray<std::uint64_t> Scene::directory_of(const cuda::DeviceColumn& column,
                                                     const cuda::Queue& queue) const {
  if (!uses_directory(column)) return {};
  return occupied_rows(options_.rx.coordinates, column, queue);
}

void Scene::upload_handles(const cuda::Queue& queue) {
  std::vector<Traversable> handles;
  for (const Part& part : parts_) handles.push_back(part.handle);
  if (handles_.size() != handles.size())
    handles_ = cuda::DeviceArray<Traversable>(queue, handles.size());
  cuda::copy_to_device(handles_.data(), handles.data(), handles_.bytes(), queue);
}

SceneView Scene::view(const cuda::DeviceColumn& column) const {
  SceneView view{};
  view.coordinates = options_.rx.coordinates;
  view.primitive = options_.rx.primitive;
  view.wide = column.is_wide();
  view.keys =
      column.is_wide() ? static_cast<const void*>(column.wide.data()) : column.narrow.data();
  view.rows = column.rows.empty() ? nullptr : column.rows.data();
  view.structures = handles_.data();
  view.structure_count = static_cast<std::uint32_t>(parts_.size());
  view.structure_size = static_cast<std::uint32_t>(options_.split);
  // The directory of a column of nulls exists and is empty.
  view.has_directory = uses_directory(column);
  view.directory = directory_.data();
  view.directory_size = directory_.size();
  return view;
}

void SceneCosts::add(const SceneCosts& other) {
  convert_ms += other.convert_ms;
  build_ms += other.build_ms;
  compact_ms += other.compact_ms;
  update_ms += other.update_ms;
  primitives += other.primitives;
  temporary = std::max(temporary, other.temporary);
  uncompacted += other.uncompacted;
}

std::vector<std::pair<std::string, double>> SceneCosts::parts(std::size_t structure_bytes) const {
  const auto bytes = [](std::size_t size) { return static_cast<double>(size); };
  std::vector<std::pair<std::string, double>> parts = {{"convert_ms", convert_ms},
                                                       {"structure_ms", build_ms},
                                                       {"compact_ms", compact_ms},
                                                       {"primitive_bytes", bytes(primitives)},
                                                       {"temporary_bytes", bytes(temporary)},
                                                       {"uncompacted_bytes", bytes(uncompacted)},
                                                       {"structure_bytes", bytes(structure_bytes)}};
  if (update_ms != 0) parts.emplace_back("refit_ms", update_ms);
  return parts;
}

std::size_t Scene::structure_bytes() const {
  std::size_t bytes = handles_.bytes();
  for (const Part& part : parts_) bytes += part.structure.size();
  return bytes;
}

std::size_t Scene::primitive_bytes() const {
  std::size_t bytes = 0;
  for (const Part& part : parts_) bytes += part.primitives.size() + part.radius.size();
  return bytes;
}

}  // namespace rtindex::optix
