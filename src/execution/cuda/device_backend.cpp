#include "execution/cuda/device_backend.hpp"

#include <utility>

#include "base/cuda/runtime.hpp"
#include "base/error.hpp"
#include "base/spec_options.hpp"
#include "execution/cuda/gpu_structure.hpp"
#include "storage/columns.hpp"
#include "storage/cuda/device_columns.hpp"
#include "storage/cuda/device_pointers.hpp"

namespace rtindex::cuda {

DeviceBackend::DeviceBackend(std::string kind, std::string tracer, std::string description)
    : Backend(std::move(kind), std::move(tracer), "cuda"), description_(std::move(description)) {}

std::optional<std::string> DeviceBackend::unavailable() const { return unusable(); }

std::string DeviceBackend::describe() const {
  return fmt::format("{}, on {}", description_, gpus().front().name);
}

Spec DeviceBackend::complete(const Spec& spec) const {
  require_gpu(spec);
  return Backend::complete(spec);
}

std::unique_ptr<Structure> DeviceBackend::build(const Spec& spec, EncodedColumn column,
                                                const KeyCodec& codec, const KeyText& key_text,
                                                const BuildOptions& options) const {
  const DeviceOptions device = device_options(spec);
  if (device.refuse) device.refuse(column, key_text);
  return build_encoded(device, column, codec, codec.rows(), options);
}

LoadedStructure DeviceBackend::load(const Spec& spec, const FileReader& file, const KeyCodec& codec,
                                    std::size_t rows,
                                    const std::shared_ptr<DeviceMemory>& memory) const {
  const DeviceOptions options = device_options(spec);
  const EncodedColumn column = load_column(file, rows, codec.span());
  return {build_saved(options, file, column, codec, rows, memory), true};
}

std::unique_ptr<Structure> DeviceBackend::build_keys(const Spec& spec, DeviceRows rows,
                                                     SegmentUse use,
                                                     const std::shared_ptr<DeviceMemory>& memory,
                                                     const MemoryMeter& meter) const {
  const DeviceOptions options = device_options(spec);
  return std::make_unique<DeviceStructure>(
      options, ordered_arrays(std::move(rows), options.layout, memory), use, memory, meter);
}

void DeviceBackend::answer(std::span<const Segment> segments, const ColumnView& lower,
                           const ColumnView& upper, LookupKind kind, const Request& all) const {
  Request request = all;
  // Only the host compares keys of several segments that are not native.
  if (segments.size() > 1 && all.order != RowOrder::any && all.answers.has(Answer::rows) &&
      !segments.front().codec->native_base()) {
    if (all.row_counts == nullptr)
      fail(ErrorKind::unsupported,
           "rows of {} keys in an index that was changed cannot be written to device memory in the "
           "order of keys: call merge() first, or pass buffers in host memory",
           name_of(segments.front().codec->type()));
    rows_in_order(segments, lower, upper, kind, all);
    request.leave_out_rows();
    if (request.answers.empty() && request.outputs.matched == nullptr) return;
  }
  const auto is_fetched = [&](const ColumnView& end) {
    return !is_native(end.type()) && end.memory_space() == MemorySpace::device &&
           GpuStructure::encodes_on_host(segments);
  };
  if (!is_fetched(lower) && !is_fetched(upper))
    return GpuStructure::run(segments, lower, upper, kind, request);
  // Keys that the GPU cannot encode.
  const OnDevice current(static_cast<const GpuStructure&>(*segments.front().structure).device());
  OwnedColumn own[2];
  const auto on_host = [&](const ColumnView& end, OwnedColumn& copy) {
    if (!end.given()) return end;
    require_on_device(end, "lookups");
    copy = fetched(end, static_cast<cudaStream_t>(request.stream.handle));
    return copy.view();
  };
  const ColumnView low = on_host(lower, own[0]);
  const ColumnView high = kind == LookupKind::point ? low : on_host(upper, own[1]);
  GpuStructure::run(segments, low, high, kind, request);
}

OwnedColumn DeviceBackend::fetch(const Spec& spec, const ColumnView& column) const {
  const OnDevice current(spec.device_number());
  const PooledStream stream;
  return fetched(column, stream.get());
}

void DeviceBackend::wait_for(const Spec& spec, Stream stream) const {
  const OnDevice current(spec.device_number());
  check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream.handle)),
        "waiting for the caller's stream");
}

DeviceOptions sorted_options(const Spec& spec) {
  DeviceOptions options;
  options.device = spec.device_number();
  const std::string gather = option_text(spec, "gather");
  options.gather = gather == "on" ? Gather::on : gather == "off" ? Gather::off : Gather::automatic;
  return options;
}

void require_gpu(const Spec& spec) {
  const auto count = static_cast<int>(gpus().size());
  if (spec.device_number() >= count)
    fail(ErrorKind::unavailable, "'{}' names GPU {}: this machine has {}, numbered from 0",
         spec.text(), spec.device_number(), count);
}

}  // namespace rtindex::cuda
