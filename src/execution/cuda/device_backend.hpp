#pragma once

#include "execution/backend.hpp"
#include "execution/cuda/device_structure.hpp"

namespace rtindex::cuda {

// The backend of structures over sorted keys on GPUs. A backend says what finds positions among the
// keys (device_options); all else is done here once.
class DeviceBackend : public Backend {
 public:
  // `description` is followed by the name of the GPU.
  DeviceBackend(std::string kind, std::string tracer, std::string description);

  [[nodiscard]] std::optional<std::string> unavailable() const override;
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] Spec complete(const Spec& spec) const override;
  [[nodiscard]] std::unique_ptr<Structure> build(const Spec& spec, EncodedColumn column,
                                                 const KeyCodec& codec, const KeyText& key_text,
                                                 const BuildOptions& options) const override;
  [[nodiscard]] LoadedStructure load(const Spec& spec, const FileReader& file,
                                     const KeyCodec& codec, std::size_t rows,
                                     const std::shared_ptr<DeviceMemory>& memory) const override;
  [[nodiscard]] BuiltStructure build_on_gpu(const Spec& spec, const ColumnView& column,
                                            const BuildOptions& options) const final;
  [[nodiscard]] bool update_on_gpu(const Spec& spec, Structure& structure, KeyCodec& codec,
                                   const DeviceUpdate& update) const final;
  void answer(std::span<const Segment> segments, const ColumnView& lower, const ColumnView& upper,
              LookupKind kind, const Request& request) const final;
  [[nodiscard]] OwnedColumn fetch(const Spec& spec, const ColumnView& column) const final;
  void wait_for(const Spec& spec, Stream stream) const final;

 protected:
  // How a structure of a complete spec is built.
  [[nodiscard]] virtual DeviceOptions device_options(const Spec& spec) const = 0;
  // The work of build_on_gpu.
  [[nodiscard]] virtual BuiltOnDevice build_native_column(const Spec& spec,
                                                          const ColumnView& column,
                                                          const BuildOptions& options) const;

 private:
  std::string description_;
};

// The options that all structures over sorted keys have: device, order and gather.
[[nodiscard]] DeviceOptions sorted_options(const Spec& spec);

// Throws where the spec names a GPU that this machine does not have.
void require_gpu(const Spec& spec);

}  // namespace rtindex::cuda
