#include "tracers/optix/scene.hpp"

#include <algorithm>

#include "base/cuda/transfer.hpp"
#include "tracers/optix/scene_kernels.hpp"
#include "tracers/optix/stopwatch.hpp"

namespace rtindex::optix {

namespace {

DevicePointer pointer(const cuda::DeviceBytes& bytes) {
  return reinterpret_cast<DevicePointer>(bytes.data());
}

// Each hit counts once, whatever the structure looks like inside.
constexpr unsigned geometry_flags = geometry_single_any_hit;

// What a structure is built from. `primitives` and `radius` are pointed to.
BuildInput build_input(Primitive primitive, std::size_t count, const DevicePointer& primitives,
                       const DevicePointer& radius) {
  BuildInput input{};
  const auto size = static_cast<unsigned>(count);
  const auto stride = static_cast<unsigned>(primitive_bytes(primitive));
  if (primitive == Primitive::triangle) {
    input.type = input_triangles;
    input.triangles.vertex_buffers = &primitives;
    input.triangles.vertices = 3 * size;
    input.triangles.vertex_format = vertex_float3;
    input.triangles.vertex_stride = sizeof(Point);
    input.triangles.flags = &geometry_flags;
    input.triangles.records = 1;
  } else if (primitive == Primitive::sphere) {
    input.type = input_spheres;
    input.spheres.centre_buffers = &primitives;
    input.spheres.centre_stride = stride;
    input.spheres.spheres = size;
    input.spheres.radius_buffers = &radius;
    input.spheres.single_radius = 1;
    input.spheres.flags = &geometry_flags;
    input.spheres.records = 1;
  } else {
    input.type = input_boxes;
    input.boxes.box_buffers = &primitives;
    input.boxes.boxes = size;
    input.boxes.stride = stride;
    input.boxes.flags = &geometry_flags;
    input.boxes.records = 1;
  }
  return input;
}

}  // namespace

Scene::Scene(const SceneOptions& options, const cuda::DeviceColumn& column,
             const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream)
    : options_(options), memory_(memory), context_(context_of(options.device).context) {
  Stopwatch watch(stream);
  for (std::size_t first = 0; first < column.size; first += options.split) {
    Part& part = parts_.emplace_back();
    part.first = first;
    part.count = std::min(options.split, column.size - first);
    build(part, column, watch, stream);
  }
  upload_handles(stream);
  make_directory(column, stream);
}

unsigned Scene::build_flags() const {
  unsigned flags = build_fast_trace;
  if (options_.rx.update == Update::refit) flags |= build_allow_update;
  if (options_.rx.compact) flags |= build_allow_compaction;
  return flags;
}

void Scene::build(Part& part, const cuda::DeviceColumn& column, Stopwatch& watch,
                  cudaStream_t stream) {
  const RxOptions& rx = options_.rx;
  part.primitives =
      cuda::DeviceBytes(memory_, part.count * optix::primitive_bytes(rx.primitive), stream);
  if (rx.primitive == Primitive::sphere) {
    const float radius = sphere_radius * rx.coordinates.scale;
    part.radius = cuda::DeviceBytes(memory_, sizeof(radius), stream);
    cuda::copy_to_device(part.radius.data(), &radius, sizeof(radius), stream);
  }
  place_primitives(rx.coordinates, rx.primitive, column, part.first, part.count,
                   part.primitives.data(), stream);
  costs_.convert_ms += watch.lap();
  const cuda::DeviceArray<std::size_t> compacted(memory_, 1, stream);
  const Emit emit{reinterpret_cast<DevicePointer>(compacted.data()), emit_compacted_size};
  run_build(part, operation_build, rx.compact ? &emit : nullptr, stream);
  costs_.build_ms += watch.lap();
  costs_.uncompacted += part.structure.size();
  if (rx.compact) {
    std::size_t bytes = 0;
    cuda::copy_to_host(&bytes, compacted.data(), sizeof(bytes), stream);
    if (bytes < part.structure.size()) compact(part, bytes, stream);
    costs_.compact_ms += watch.lap();
  }
  if (rx.update == Update::refit) return;
  part.primitives = cuda::DeviceBytes();
  part.radius = cuda::DeviceBytes();
}

void Scene::run_build(Part& part, int operation, const Emit* emit, cudaStream_t stream) {
  const DevicePointer primitives = pointer(part.primitives);
  const DevicePointer radius = pointer(part.radius);
  const BuildInput input = build_input(options_.rx.primitive, part.count, primitives, radius);
  // The sizes of a build include those of its later updates.
  BuildOptions options{.flags = build_flags(), .operation = operation_build};
  BuildSizes sizes{};
  check(functions().compute_sizes(context_, &options, &input, 1, &sizes),
        "asking how large the acceleration structure will be");
  options.operation = operation;
  const bool updates = operation == operation_update;
  if (!updates) part.structure = cuda::DeviceBytes(memory_, sizes.output, stream);
  const std::size_t room = updates ? sizes.update_temporary : sizes.temporary;
  // A structure may need no working memory; OptiX wants an address all the same.
  const cuda::DeviceBytes temporary(memory_, std::max<std::size_t>(room, 1), stream);
  costs_.temporary = std::max(costs_.temporary, room);
  check(functions().build(context_, stream, &options, &input, 1, pointer(temporary), room,
                          pointer(part.structure), part.structure.size(), &part.handle, emit,
                          emit == nullptr ? 0 : 1),
        updates ? "refitting the acceleration structure" : "building the acceleration structure");
}

void Scene::compact(Part& part, std::size_t bytes, cudaStream_t stream) {
  cuda::DeviceBytes smaller(memory_, bytes, stream);
  Traversable handle = 0;
  check(functions().compact(context_, stream, part.handle, pointer(smaller), bytes, &handle),
        "compacting the acceleration structure");
  std::swap(part.structure, smaller);
  part.handle = handle;
}

void Scene::refit(const cuda::DeviceColumn& column, cudaStream_t stream) {
  Stopwatch watch(stream);
  for (Part& part : parts_) {
    place_primitives(options_.rx.coordinates, options_.rx.primitive, column, part.first, part.count,
                     part.primitives.data(), stream);
    run_build(part, operation_update, nullptr, stream);
  }
  upload_handles(stream);
  make_directory(column, stream);
  costs_.update_ms = watch.lap();
}

void Scene::make_directory(const cuda::DeviceColumn& column, cudaStream_t stream) {
  uses_directory_ = options_.rx.row_rays == RowRays::occupied &&
                    options_.rx.coordinates.row_of(column.span) >= few_rows;
  if (uses_directory_) directory_ = occupied_rows(options_.rx.coordinates, column, memory_, stream);
}

void Scene::upload_handles(cudaStream_t stream) {
  std::vector<Traversable> handles;
  for (const Part& part : parts_) handles.push_back(part.handle);
  if (handles_.size() != handles.size())
    handles_ = cuda::DeviceArray<Traversable>(memory_, handles.size(), stream);
  cuda::copy_to_device(handles_.data(), handles.data(), handles_.bytes(), stream);
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
  if (uses_directory_) {
    view.directory = directory_.data();
    view.directory_size = directory_.size();
  }
  return view;
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
