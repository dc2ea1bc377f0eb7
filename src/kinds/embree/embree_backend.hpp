#pragma once

#include <memory>

#include "engine/backend.hpp"
#include "engine/ordered_backend.hpp"
#include "kinds/scene/rx_options.hpp"

namespace rtindex {

// rx:embree: the paper's scene and rays on the CPU.
[[nodiscard]] const Backend& embree_backend();

// A primitive for every key. threads: 0 for all.
[[nodiscard]] std::unique_ptr<Structure> make_embree_tracer(const RxOptions& options,
                                                            EncodedColumn column, int threads,
                                                            const KeyText& key_text);

// Coarse-granular RX: rays find a bucket of sorted keys.
[[nodiscard]] std::unique_ptr<Structure> make_bucketed_tracer(const RxOptions& options,
                                                              const EncodedColumn& column,
                                                              const KeyCodec& codec, int threads,
                                                              const KeyText& key_text,
                                                              const OrderedOptions& ordered);
// The same with its sorted keys as they were saved; the scenes are built again.
[[nodiscard]] std::unique_ptr<Structure> load_bucketed_tracer(const RxOptions& options,
                                                              const FileReader& file,
                                                              const KeyCodec& codec,
                                                              std::size_t rows, int threads,
                                                              const OrderedOptions& ordered);

}  // namespace rtindex
