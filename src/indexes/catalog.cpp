#include "indexes/catalog.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.hpp"
#include "indexes/entries.hpp"
#include "storage/saved_column.hpp"

#if defined(RTINDEX_HAS_CUDA)
#include "indexes/cuda/calibrate.hpp"
#include "indexes/cuda/cuda_entries.hpp"
#include "storage/cuda/device_columns.hpp"
#include "storage/cuda/device_update.hpp"
#include "tracers/optix/bucketed.hpp"
#include "tracers/optix/optix_tracer.hpp"
#endif

namespace rtindex {

namespace {

#if defined(RTINDEX_HAS_CUDA)
// Whether rays find the keys themselves, on a GPU.
bool casts_rays(const Spec& resolved) {
  return resolved.tracer() == "optix" && !is_bucketed(resolved);
}

// How a structure over sorted keys on a GPU is built.
cuda::DeviceOptions device_options(const Spec& resolved) {
  return is_bucketed(resolved) ? optix::bucketed_options(resolved) : cuda::options_of(resolved);
}
#endif

void require_includes(const Entry& entry, const Spec& spec) {
  if (entry.includes || is_bucketed(spec)) return;
  const bool has_buckets =
      std::find(entry.options.begin(), entry.options.end(), "bucket") != entry.options.end();
  fail(
      "{} cannot include values, because it does not keep its keys in order: {}use rx:native, "
      "sorted or btree",
      entry.name(), has_buckets ? "add bucket=16 to sort them, or " : "");
}

bool agrees(const Entry& entry, const Spec& spec) {
  return (spec.kind() == "auto" || spec.kind() == entry.kind) &&
         (spec.tracer().empty() || spec.tracer() == entry.tracer) &&
         (spec.device().empty() || spec.device() == entry.device);
}

bool on_device(const Entry& entry) { return entry.device == "cuda"; }

bool has_options_of(const Entry& entry, const Spec& spec) {
  return std::all_of(spec.options().begin(), spec.options().end(), [&](const auto& option) {
    return std::find(entry.options.begin(), entry.options.end(), option.first) !=
           entry.options.end();
  });
}

// What serves an open spec best on a GPU: the native tracer, or OptiX where that was found faster.
const Entry& best_tracer([[maybe_unused]] const Spec& spec, const Entry& native) {
#if defined(RTINDEX_HAS_CUDA)
  // Settings of sorted keys, which OptiX has only in buckets.
  for (const char* option : {"order", "gather"})
    if (spec.options().contains(option) && !is_bucketed(spec)) return native;
  for (const Entry& entry : entries())
    if (entry.tracer == "optix" && has_options_of(entry, spec) &&
        cuda::tracer_choice(spec.device_number()).tracer == "optix" && !entry.missing())
      return entry;
#endif
  return native;
}

// What a spec leaves open is the first entry that can be used and has the options that it sets.
const Entry& find_entry(const Spec& spec, KeysIn keys = KeysIn::any_order) {
  const Entry* first_missing = nullptr;
  const Entry* first_usable = nullptr;
  for (const Entry& entry : entries()) {
    if (!agrees(entry, spec)) continue;
    const bool usable = !entry.missing();
    if (usable && has_options_of(entry, spec)) {
      const bool is_open = spec.tracer().empty() && entry.tracer == "native" && on_device(entry);
      return is_open && keys == KeysIn::any_order ? best_tracer(spec, entry) : entry;
    }
    if (usable && first_usable == nullptr) first_usable = &entry;
    if (!usable && first_missing == nullptr) first_missing = &entry;
  }
  if (first_usable != nullptr) return *first_usable;
  if (first_missing == nullptr)
    fail("there is no index '{}': `rtindex indexes` lists all that there are", spec.text());
  fail("{} cannot be used: {}", first_missing->name(), *first_missing->missing());
}

}  // namespace

Spec resolve(const Spec& spec, KeysIn keys) {
  const Entry& entry = find_entry(spec, keys);
  Spec named(spec.device_number() == 0 ? entry.name()
                                       : fmt::format("{}{}", entry.name(), spec.device_number()));
  for (const auto& [name, value] : spec.options()) {
    if (std::find(entry.options.begin(), entry.options.end(), name) == entry.options.end())
      fail("{} has no option '{}'", entry.name(), name);
    named = named.with(name, value);
  }
  const bool has_threads =
      std::find(entry.options.begin(), entry.options.end(), "threads") != entry.options.end();
  if (has_threads && !spec.options().contains("threads")) named = named.with("threads", "all");
  static_cast<void>(threads_of(named));
  return entry.complete(named);
}

bool on_device(const Spec& resolved) { return resolved.device() == "cuda"; }

int threads_of(const Spec& resolved) {
  const std::string text = resolved.option("threads", "all");
  if (text == "all") return 0;
  int threads = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  if (error != std::errc() || end != text.data() + text.size() || threads < 1 || threads > 4096)
    fail("threads={} is not possible: write threads=all or a number from 1 to 4096", text);
  return threads;
}

std::unique_ptr<Structure> make_structure(const Spec& resolved, EncodedColumn column,
                                          const KeyCodec& codec, const KeyText& key_text,
                                          const BuildOptions& options) {
  const Entry& entry = find_entry(resolved);
  if (options.include.given()) require_includes(entry, resolved);
  return entry.make(resolved, std::move(column), codec, key_text, options);
}

#if defined(RTINDEX_HAS_CUDA)

BuiltStructure build_on_device(const Spec& resolved, const ColumnView& column,
                               const BuildOptions& options) {
  if (options.include.given()) require_includes(find_entry(resolved), resolved);
  try {
    cuda::BuiltOnDevice built = casts_rays(resolved)
                                    ? optix::build_native(resolved, column, options)
                                    : cuda::build_native(device_options(resolved), column, options);
    return {std::move(built.codec), std::move(built.structure)};
  } catch (...) {
    // What the build had taken so far, others may need.
    const cuda::OnDevice current(resolved.device_number(), std::nothrow);
    cuda::give_back_unused();
    throw;
  }
}

bool update_on_device(const Spec& resolved, Structure& structure, KeyCodec& codec,
                      const DeviceUpdate& update) {
  const cuda::OnDevice current(resolved.device_number());
  return cuda::update_on_device(structure, codec, update.rows, update.new_keys, update.row_count,
                                update.stream);
}

OwnedColumn fetched(const Spec& resolved, const ColumnView& column) {
  const cuda::OnDevice current(resolved.device_number());
  const cuda::OwnStream stream;
  return cuda::fetched(column, stream.get());
}

void wait_for(const Spec& resolved, Stream stream) {
  if (!on_device(resolved)) return;
  const cuda::OnDevice current(resolved.device_number());
  cuda::check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream.handle)),
              "waiting for the caller's stream");
}

#else

BuiltStructure build_on_device(const Spec& resolved, const ColumnView&, const BuildOptions&) {
  fail("{} cannot be used: this build has no CUDA", resolved.text());
}

bool update_on_device(const Spec& resolved, Structure&, KeyCodec&, const DeviceUpdate&) {
  fail("{} cannot be used: this build has no CUDA", resolved.text());
}

OwnedColumn fetched(const Spec& resolved, const ColumnView&) {
  fail("{} cannot be used: this build has no CUDA", resolved.text());
}

void wait_for(const Spec&, Stream) {}

#endif

LoadedStructure load_structure(const Spec& resolved, const FileReader& file, const KeyCodec& codec,
                               std::size_t rows,
                               const std::shared_ptr<DeviceMemory>& device_memory) {
  const Entry& entry = find_entry(resolved);
#if defined(RTINDEX_HAS_CUDA)
  if (on_device(resolved) && !casts_rays(resolved))
    return {cuda::build_saved(device_options(resolved), file, codec, rows, device_memory), true};
#endif
  if (entry.load != nullptr)
    // The scene of buckets is built again over the sorted keys of the file.
    if (auto loaded = entry.load(resolved, file, codec, rows))
      return {std::move(loaded), is_bucketed(resolved)};
  const KeyText key_text = [](std::uint32_t) { return "(of the file)"; };
  return {entry.make(resolved, load_column(file, rows, codec.span()), codec, key_text,
                     {.device_memory = device_memory}),
          true};
}

std::vector<IndexInfo> indexes() {
  std::vector<IndexInfo> list;
  for (const Entry& entry : entries()) {
    const std::optional<std::string> missing = entry.missing();
    list.push_back({entry.name(), !missing, missing ? *missing : entry.runs_on()});
  }
  return list;
}

Spec default_spec() { return resolve(Spec()); }

std::string default_reason() {
#if defined(RTINDEX_HAS_CUDA)
  const Spec chosen = default_spec();
  if (chosen.device() == "cuda") {
    const TracerChoice choice = cuda::tracer_choice(0);
    // It was measured where OptiX could be used.
    if (choice.tracer != chosen.tracer()) return "OptiX cannot be used here";
    return choice.reason;
  }
#endif
  return fmt::format("no GPU can be used: {}", *entries().front().missing());
}

}  // namespace rtindex
