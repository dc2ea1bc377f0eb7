#pragma once

#include <memory>

#include "execution/ordered_options.hpp"
#include "storage/structure.hpp"
#include "tracers/rx_options.hpp"

namespace rtindex {

// Coarse-granular RX on Embree: rays find a bucket of sorted keys. threads: 0 for all.
[[nodiscard]] std::unique_ptr<Structure> make_bucketed_tracer(const RxOptions& options,
                                                              const EncodedColumn& column,
                                                              const KeyCodec& codec, int threads,
                                                              const KeyText& key_text,
                                                              const OrderedOptions& ordered);
// The same with its sorted keys as they were saved; the scenes are made again.
[[nodiscard]] std::unique_ptr<Structure> load_bucketed_tracer(const RxOptions& options,
                                                              const FileReader& file,
                                                              const KeyCodec& codec,
                                                              std::size_t rows, int threads,
                                                              const OrderedOptions& ordered);

}  // namespace rtindex
