#include "engine/cuda/device_backend.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/cuda/runtime.hpp"
#include "base/cuda/transfer.hpp"
#include "base/error.hpp"
#include "engine/cuda/gather_option.hpp"
#include "engine/cuda/gpu_structure.hpp"
#include "order/columns.hpp"
#include "order/cuda/device_columns.hpp"
#include "order/cuda/device_pointers.hpp"

namespace rtindex::cuda {

DeviceBackend::DeviceBackend(std::string kind, std::string tracer, std::string description,
                             std::vector<SpecOption> options)
    : Backend(std::move(kind), std::move(tracer), "cuda", std::move(options)),
      description_(std::move(description)) {}

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

namespace {

// Rows that only the host can bring into order, written to buffers on the device.
void write_ordered_rows(std::span<const Segment> segments, const ColumnView& lower,
                        const ColumnView& upper, QueryKind kind, const Request& all) {
  const OnDevice current(static_cast<const GpuStructure&>(*segments.front().structure).device());
  const std::size_t lookups = lookups_in(lower, upper);
  const Outputs& outputs = all.outputs;
  require_on_device(outputs, lookups);
  std::vector<std::uint64_t> offsets(lookups + 1);
  std::vector<std::vector<std::uint32_t>> chunks(chunks_of(lookups));
  Request on_host = all;
  on_host.row_counts = offsets.data() + 1;
  on_host.chunk_rows = outputs.rows == nullptr ? nullptr : &chunks;
  Backend::rows_in_order(segments, lower, upper, kind, on_host);
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  auto* const stream = static_cast<cudaStream_t>(all.stream.handle);
  copy_to_device(outputs.offsets, offsets.data(), offsets.size() * sizeof(std::uint64_t), stream);
  std::vector<std::uint32_t> rows;
  for (const std::vector<std::uint32_t>& chunk : chunks) {
    const std::size_t room = outputs.rows_capacity - rows.size();
    rows.insert(rows.end(), chunk.begin(),
                chunk.begin() + static_cast<std::ptrdiff_t>(std::min(room, chunk.size())));
  }
  if (!rows.empty())
    copy_to_device(outputs.rows, rows.data(), rows.size() * sizeof(std::uint32_t), stream);
}

}  // namespace

void DeviceBackend::answer(std::span<const Segment> segments, const ColumnView& lower,
                           const ColumnView& upper, QueryKind kind, const Request& all) const {
  // Only the host compares keys of several segments that are not native.
  const bool orders_on_host = segments.size() > 1 && all.order != RowOrder::any &&
                              all.answers.has(Answer::rows) &&
                              !segments.front().codec->native_base();
  const auto is_fetched = [&](const ColumnView& end) {
    return !is_native(end.type()) && end.memory_space() == MemorySpace::device &&
           (orders_on_host || GpuStructure::encodes_on_host(segments));
  };
  if (is_fetched(lower) || is_fetched(upper)) {
    const OnDevice current(static_cast<const GpuStructure&>(*segments.front().structure).device());
    OwnedColumn own[2];
    const auto on_host = [&](const ColumnView& end, OwnedColumn& copy) {
      if (!end.has_value()) return end;
      require_on_device(end, "lookups");
      copy = fetched(end, static_cast<cudaStream_t>(all.stream.handle));
      return copy.view();
    };
    const ColumnView low = on_host(lower, own[0]);
    return answer(segments, low, kind == QueryKind::equal ? low : on_host(upper, own[1]), kind,
                  all);
  }
  Request request = all;
  if (orders_on_host) {
    if (all.row_counts != nullptr)
      rows_in_order(segments, lower, upper, kind, all);
    else
      write_ordered_rows(segments, lower, upper, kind, all);
    request.leave_out_rows();
    if (request.answers.empty() && request.outputs.matched == nullptr) return;
  }
  GpuStructure::run(segments, lower, upper, kind, request);
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
  const std::string gather = gather_option.text(spec);
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
