#pragma once

#include <memory>
#include <string>
#include <vector>

#include <rtindex/index.hpp>
#include <rtindex/spec.hpp>

#include "keys/codec.hpp"
#include "keys/encoded_column.hpp"
#include "storage/structure.hpp"
#include "tracers/rx_options.hpp"

namespace rtindex {

// Every structure that a spec can name: the one place that turns a spec into an instance.

// Whether an index must keep its keys in order, for included values or to compare long keys.
enum class KeysIn : std::uint8_t { any_order, key_order };

// The spec with kind, tracer, device and all options named. Throws where it cannot be built here,
// or sets an option that its structure does not have.
[[nodiscard]] Spec resolve(const Spec& spec, KeysIn keys = KeysIn::any_order);

// Whether a resolved spec runs on a GPU.
[[nodiscard]] bool on_device(const Spec& resolved);

// The threads that a resolved spec allows; 0 for all.
[[nodiscard]] int threads_of(const Spec& resolved);

// A structure from a file: opened as it was saved, or built again from its column.
struct LoadedStructure {
  std::unique_ptr<Structure> structure;
  bool rebuilt;
};

[[nodiscard]] LoadedStructure load_structure(const Spec& resolved, const FileReader& file,
                                             const KeyCodec& codec, std::size_t rows,
                                             const std::shared_ptr<DeviceMemory>& device_memory);

// Builds the structure of a resolved spec.
[[nodiscard]] std::unique_ptr<Structure> make_structure(const Spec& resolved, EncodedColumn column,
                                                        const KeyCodec& codec,
                                                        const KeyText& key_text,
                                                        const BuildOptions& options);

// A codec, and the structure over the column that it encodes.
struct BuiltStructure {
  std::unique_ptr<KeyCodec> codec;
  std::unique_ptr<Structure> structure;
};

// The same on a GPU, over a native column in host or device memory that is encoded there.
[[nodiscard]] BuiltStructure build_on_device(const Spec& resolved, const ColumnView& column,
                                             const BuildOptions& options);

// An update whose rows and keys are in device memory.
struct DeviceUpdate {
  const ColumnView& rows;
  const ColumnView& new_keys;
  std::size_t row_count;  // of the column
  Stream stream;          // on which both may still be under way
};

// Checks the update, encodes its keys and changes the structure, all on the GPU. False where that
// cannot be done there; nothing has changed then, both columns are complete, and the rows are
// right.
[[nodiscard]] bool update_on_device(const Spec& resolved, Structure& structure, KeyCodec& codec,
                                    const DeviceUpdate& update);

// A native column in device memory, on the host.
[[nodiscard]] OwnedColumn fetched(const Spec& resolved, const ColumnView& column);

// Waits for what the caller has queued on a stream, where the spec runs on a GPU.
void wait_for(const Spec& resolved, Stream stream);

}  // namespace rtindex
