#include "kinds/embree/embree_backend.hpp"

#include <utility>

#include "engine/ordered_backend.hpp"
#include "kinds/embree/device.hpp"
#include "kinds/embree/embree_options.hpp"

namespace rtindex {

namespace {

class EmbreeBackend final : public Backend {
 public:
  EmbreeBackend() : Backend("rx", "embree", "cpu", EmbreeOptions::declared()) {}

  [[nodiscard]] std::string describe() const override {
    return std::string(embree_version()) + ": the paper's scene and rays on the CPU";
  }
  [[nodiscard]] bool keeps_key_order(const Spec& spec) const override {
    return RxOptions::from(spec).is_bucketed();
  }
  [[nodiscard]] bool holds(const Spec& spec, std::uint64_t span) const override {
    return is_exact(RxOptions::from(spec), span, embree_coordinate_limit);
  }
  [[nodiscard]] Spec complete(const Spec& spec) const override {
    return RxOptions::complete(spec, name(), options());
  }

  [[nodiscard]] std::unique_ptr<Structure> build(const Spec& spec, EncodedColumn column,
                                                 const KeyCodec& codec, const KeyText& key_text,
                                                 const BuildOptions& build) const override {
    const EmbreeOptions options = EmbreeOptions::from(spec);
    if (options.rx.is_bucketed())
      return make_bucketed_tracer(
          options.rx, column, codec, options.threads, key_text,
          {options.order, build.include.has_value() ? &build.include : nullptr});
    return make_embree_tracer(options.rx, std::move(column), options.threads, key_text);
  }

  // The scene belongs to Embree and is built again, with buckets over the sorted keys of the file.
  [[nodiscard]] LoadedStructure load(const Spec& spec, const FileReader& file,
                                     const KeyCodec& codec, std::size_t rows,
                                     const std::shared_ptr<DeviceMemory>& memory) const override {
    const EmbreeOptions options = EmbreeOptions::from(spec);
    if (!options.rx.is_bucketed()) return Backend::load(spec, file, codec, rows, memory);
    return {load_bucketed_tracer(options.rx, file, codec, rows, options.threads, {options.order}),
            true};
  }
};

}  // namespace

const Backend& embree_backend() {
  static const EmbreeBackend backend;
  return backend;
}

}  // namespace rtindex
