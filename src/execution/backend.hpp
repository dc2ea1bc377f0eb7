#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <rtindex/index.hpp>
#include <rtindex/spec.hpp>

#include "keys/codec.hpp"
#include "keys/encoded_column.hpp"
#include "storage/structure.hpp"

namespace rtindex {

// A codec, and the structure over the column that it encodes.
struct BuiltStructure {
  std::unique_ptr<KeyCodec> codec;
  std::unique_ptr<Structure> structure;
};

// A structure from a file: opened as it was saved, or built again from its column.
struct LoadedStructure {
  std::unique_ptr<Structure> structure;
  bool rebuilt;
};

// An update whose rows and keys are in device memory.
struct DeviceUpdate {
  const ColumnView& rows;
  const ColumnView& new_keys;
  std::size_t row_count;  // of the column
  Stream stream;          // on which both may still be written
};

// A kind of index on a kind of device, such as rx:embree@cpu: completes specs, and builds and loads
// the structures that they describe. indexes/backends.cpp registers every backend; the options that
// a backend takes are declared in base/spec_options.cpp.
class Backend {
 public:
  Backend(std::string kind, std::string tracer, std::string device);
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  [[nodiscard]] const std::string& kind() const { return kind_; }
  [[nodiscard]] const std::string& tracer() const { return tracer_; }
  [[nodiscard]] const std::string& device() const { return device_; }
  // "rx:embree@cpu".
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool on_gpu() const { return device_ == "cuda"; }

  // Whether a spec, which may leave parts open, can mean this backend.
  [[nodiscard]] bool matches(const Spec& spec) const;
  // Whether it takes all options of a spec.
  [[nodiscard]] bool takes_options_of(const Spec& spec) const;

  // Why it is not available here; none where it is. Called only for backends that match a spec: to
  // look for a GPU starts its driver, which a program that stays on the CPU must not do.
  [[nodiscard]] virtual std::optional<std::string> unavailable() const { return std::nullopt; }
  // What it is and runs on, where it is available.
  [[nodiscard]] virtual std::string describe() const = 0;
  // Whether a structure of this spec keeps its keys in order, as included values need it.
  [[nodiscard]] virtual bool keeps_key_order(const Spec&) const { return true; }
  // The spec with the value of every option. Throws where a value is invalid.
  [[nodiscard]] virtual Spec complete(const Spec& spec) const;

  // Below, specs are complete.

  // Builds over a column that the host has encoded.
  [[nodiscard]] virtual std::unique_ptr<Structure> build(const Spec& spec, EncodedColumn column,
                                                         const KeyCodec& codec,
                                                         const KeyText& key_text,
                                                         const BuildOptions& options) const = 0;
  // Opens what a structure saved. By default that is its column, and it is built again.
  [[nodiscard]] virtual LoadedStructure load(const Spec& spec, const FileReader& file,
                                             const KeyCodec& codec, std::size_t rows,
                                             const std::shared_ptr<DeviceMemory>& memory) const;

  // On a GPU only; elsewhere an Error.

  // Builds over a native column in host or device memory, which is encoded on the GPU.
  [[nodiscard]] virtual BuiltStructure build_on_gpu(const Spec& spec, const ColumnView& column,
                                                    const BuildOptions& options) const;
  // Checks an update, encodes its keys and changes the structure. False where that cannot be done
  // on the GPU: nothing has changed, both columns are complete, and the rows are valid.
  [[nodiscard]] virtual bool update_on_gpu(const Spec& spec, Structure& structure, KeyCodec& codec,
                                           const DeviceUpdate& update) const;
  // A copy in host memory of a native column in device memory.
  [[nodiscard]] virtual OwnedColumn fetch(const Spec& spec, const ColumnView& column) const;
  // Waits for the work that the caller has queued on a stream.
  virtual void wait_for(const Spec& spec, Stream stream) const;

 private:
  [[noreturn]] void fail_without_gpu() const;

  std::string kind_, tracer_, device_, name_;
};

// Whether rays find buckets of sorted keys in place of single keys.
[[nodiscard]] bool is_bucketed(const Spec& spec);

// The threads that a spec allows; 0 for all.
[[nodiscard]] int threads_of(const Spec& spec);

}  // namespace rtindex
