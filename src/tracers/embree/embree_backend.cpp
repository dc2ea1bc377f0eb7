#include "tracers/embree/embree_backend.hpp"

#include <utility>

#include "execution/ordered_backend.hpp"
#include "tracers/embree/device.hpp"

namespace rtindex {

namespace {

class EmbreeBackend final : public Backend {
 public:
  EmbreeBackend() : Backend("rx", "embree", "cpu") {}

  [[nodiscard]] std::string describe() const override {
    return std::string(embree_version()) + ": the paper's scene and rays on the CPU";
  }
  [[nodiscard]] bool keeps_key_order(const Spec& spec) const override { return is_bucketed(spec); }
  [[nodiscard]] bool holds(const Spec& spec, std::uint64_t span) const override {
    return is_exact(RxOptions::from(spec), span, embree_coordinate_limit);
  }
  [[nodiscard]] Spec complete(const Spec& spec) const override {
    return RxOptions::from(spec).complete(spec);
  }

  [[nodiscard]] std::unique_ptr<Structure> build(const Spec& spec, EncodedColumn column,
                                                 const KeyCodec& codec, const KeyText& key_text,
                                                 const BuildOptions& options) const override {
    const RxOptions rx = RxOptions::from(spec);
    if (is_bucketed(spec))
      return make_bucketed_tracer(rx, column, codec, threads_of(spec), key_text,
                                  ordered_options(spec, options));
    return make_embree_tracer(rx, std::move(column), threads_of(spec), key_text);
  }

  // The scene belongs to Embree and is built again, with buckets over the sorted keys of the file.
  [[nodiscard]] LoadedStructure load(const Spec& spec, const FileReader& file,
                                     const KeyCodec& codec, std::size_t rows,
                                     const std::shared_ptr<DeviceMemory>& memory) const override {
    if (!is_bucketed(spec)) return Backend::load(spec, file, codec, rows, memory);
    return {load_bucketed_tracer(RxOptions::from(spec), file, codec, rows, threads_of(spec),
                                 ordered_options(spec)),
            true};
  }
};

}  // namespace

const Backend& embree_backend() {
  static const EmbreeBackend backend;
  return backend;
}

}  // namespace rtindex
