#include "indexes/entries.hpp"

#include <fmt/format.h>

#include <utility>

#include "indexes/btree.hpp"
#include "indexes/hash.hpp"
#include "indexes/sorted.hpp"
#include "tracers/native/native_tracer.hpp"

#if defined(RTINDEX_HAS_CUDA)
#include "indexes/cuda/cuda_entries.hpp"
#include "tracers/optix/bucketed.hpp"
#include "tracers/optix/library.hpp"
#include "tracers/optix/optix_tracer.hpp"
#endif
#if defined(RTINDEX_HAS_EMBREE)
#include "tracers/embree/bucketed_tracer.hpp"
#include "tracers/embree/device.hpp"
#include "tracers/embree/embree_tracer.hpp"
#endif

namespace rtindex {

namespace {

std::optional<std::string> usable_everywhere() { return std::nullopt; }

OrderedOptions ordered_options(const Spec& spec, const BuildOptions& options = {}) {
  const std::string order = spec.option("order", "auto");
  return {order == "on"    ? Order::on
          : order == "off" ? Order::off
                           : Order::automatic,
          options.include.given() ? &options.include : nullptr};
}

Entry embree_entry() {
  Entry entry{"rx",
              "embree",
              "cpu",
              {"mode", "bits", "scale", "primitive", "point", "range", "compact", "update",
               "row_rays", "bucket", "drop", "order", "threads"},
              usable_everywhere,
              [] { return std::string(); },
              [](const Spec& spec) { return RxOptions::from(spec).full(spec); },
              nullptr};
#if defined(RTINDEX_HAS_EMBREE)
  entry.runs_on = [] {
    return std::string(embree_version()) + ": the paper's scene and rays on the CPU";
  };
  entry.make = [](const Spec& spec, EncodedColumn column, const KeyCodec& codec,
                  const KeyText& key_text, const BuildOptions& options) {
    const RxOptions rx = RxOptions::from(spec);
    if (rx.bucket != 0)
      return make_bucketed_tracer(rx, column, codec, threads_of(spec), key_text,
                                  ordered_options(spec, options));
    return make_embree_tracer(rx, std::move(column), threads_of(spec), key_text);
  };
  entry.load = [](const Spec& spec, const FileReader& file, const KeyCodec& codec,
                  std::size_t rows) -> std::unique_ptr<Structure> {
    if (!is_bucketed(spec)) return nullptr;
    return load_bucketed_tracer(RxOptions::from(spec), file, codec, rows, threads_of(spec),
                                ordered_options(spec));
  };
#else
  entry.missing = []() -> std::optional<std::string> {
    return "this build has no Embree: install libembree-dev (Debian) or Embree 4 and configure "
           "again";
  };
#endif
  return entry;
}

using Make = std::unique_ptr<Structure> (*)(const EncodedColumn&, const KeyCodec&,
                                            const OrderedOptions&);
using Load = std::unique_ptr<Structure> (*)(const FileReader&, const KeyCodec&, std::size_t rows,
                                            const OrderedOptions&);

// A structure on the CPU that needs nothing but the encoded column.
Entry cpu_entry(std::string kind, std::string tracer, std::string runs_on, Make make, Load load) {
  const bool ordered = kind != "hash";
  return {
      std::move(kind),
      std::move(tracer),
      "cpu",
      ordered ? std::vector<std::string>{"order", "threads"} : std::vector<std::string>{"threads"},
      usable_everywhere,
      [runs_on = std::move(runs_on)] { return runs_on; },
      [ordered](const Spec& spec) {
        return ordered ? spec.with("order", spec.option("order", "auto")) : spec;
      },
      [make](const Spec& spec, EncodedColumn column, const KeyCodec& codec, const KeyText&,
             const BuildOptions& options) {
        return make(column, codec, ordered_options(spec, options));
      },
      [load](const Spec& spec, const FileReader& file, const KeyCodec& codec, std::size_t rows) {
        return load(file, codec, rows, ordered_options(spec));
      },
      ordered};
}

#if defined(RTINDEX_HAS_CUDA)

std::vector<Entry> cuda_entries() {
  std::vector<Entry> entries;
  for (const cuda::DeviceKind& kind : cuda::device_kinds()) {
    Entry entry{kind.kind,
                kind.tracer,
                "cuda",
                kind.options,
                cuda::unusable,
                [words = kind.runs_on] {
                  return fmt::format("{}, on {}", words, cuda::gpus().front().name);
                },
                cuda::complete,
                {}};
    entry.make = [](const Spec& spec, EncodedColumn column, const KeyCodec& codec, const KeyText&,
                    const BuildOptions& options) {
      return cuda::build_encoded(cuda::options_of(spec), column, codec, options);
    };
    entry.includes = kind.includes;
    entries.push_back(std::move(entry));
  }
  return entries;
}

#else

Entry absent(std::string kind, std::string tracer, std::string device, std::string reason) {
  return {std::move(kind),
          std::move(tracer),
          std::move(device),
          {},
          [reason = std::move(reason)]() -> std::optional<std::string> { return reason; },
          [] { return std::string(); },
          {},
          {}};
}

constexpr const char* no_cuda =
    "this build has no CUDA: put nvcc of the CUDA toolkit on the PATH and configure again";

std::vector<Entry> cuda_entries() {
  return {absent("rx", "native", "cuda", no_cuda), absent("sorted", "", "cuda", no_cuda),
          absent("btree", "", "cuda", no_cuda), absent("hash", "", "cuda", no_cuda)};
}

#endif

Entry optix_entry() {
#if defined(RTINDEX_HAS_CUDA)
  Entry entry{"rx",
              "optix",
              "cuda",
              {"mode", "bits", "scale", "primitive", "point", "range", "compact", "update",
               "row_rays", "bucket", "drop", "split", "order", "gather"},
              optix::unusable,
              optix::runs_on,
              optix::complete,
              [](const Spec& spec, EncodedColumn column, const KeyCodec& codec,
                 const KeyText& key_text, const BuildOptions& options) {
                if (is_bucketed(spec))
                  return optix::build_bucketed(spec, column, codec, key_text, options);
                return optix::build_encoded(spec, std::move(column), codec, key_text, options);
              }};
  return entry;
#else
  return absent("rx", "optix", "cuda", no_cuda);
#endif
}

std::vector<Entry> cpu_entries() {
  return {
      cpu_entry("rx", "native", "the ray tracer that knows that RX's scene is a line",
                make_native_tracer, load_native_tracer),
      embree_entry(),
      cpu_entry("sorted", "", "sorted array, binary search", make_sorted, load_sorted),
      cpu_entry("btree", "", "B+-tree, bulk-loaded", make_btree, load_btree),
      cpu_entry("hash", "", "hash table, points only", make_hash, load_hash),
  };
}

}  // namespace

const std::vector<Entry>& entries() {
  static const std::vector<Entry> list = [] {
    std::vector<Entry> all = cuda_entries();
    for (Entry& entry : cpu_entries()) all.push_back(std::move(entry));
    all.push_back(optix_entry());
    return all;
  }();
  return list;
}

}  // namespace rtindex
