#pragma once

#include <memory>

#include "storage/structure.hpp"
#include "tracers/rx_options.hpp"

namespace rtindex {

// RX on Embree: the paper's scene and rays on the CPU. threads: 0 for all.
[[nodiscard]] std::unique_ptr<Structure> make_embree_tracer(const RxOptions& options,
                                                            EncodedColumn column, int threads,
                                                            const KeyText& key_text);

}  // namespace rtindex
