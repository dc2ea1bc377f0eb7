#pragma once

#include "answers/request.hpp"
#include "keys/lookup_batch.hpp"

namespace rtindex::cuda {

// Throws where memory that a call says is on the current GPU cannot be reached from there; `what` it
// holds, for the message.
void require_on_device(const void* memory, const char* what);
// The same for all that a batch of lookups names.
void require_on_device(const LookupBatch& batch, const Request& request);

}  // namespace rtindex::cuda
