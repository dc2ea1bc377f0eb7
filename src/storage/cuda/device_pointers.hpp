#pragma once

#include "answers/request.hpp"
#include "keys/lookup_batch.hpp"

namespace rtindex::cuda {

// Throws where memory that a call says is on the current GPU cannot be reached from there.
void require_on_device(const LookupBatch& batch, const Request& request);

}  // namespace rtindex::cuda
