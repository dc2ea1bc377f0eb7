#pragma once

#include <cstdint>

#include "keys/lookup_batch.hpp"
#include "tracers/rx_options.hpp"

namespace rtindex {

// Throws, naming the lookup, where row_rays=all would cast more than max_row_rays rays for it.
void require_few_row_rays(const RxOptions& options, std::uint64_t span, const LookupBatch& batch);

}  // namespace rtindex
