#pragma once

#include "answers/request.hpp"
#include "keys/lookup_batch.hpp"

namespace rtindex::cuda {

// Throws where memory that a call says is on a GPU cannot be used from the current one: it is
// elsewhere, or not aligned. `what` a column holds, for the message; columns of the host pass.
void require_on_device(const ColumnView& column, const char* what);
// The same for all that a batch of lookups names.
void require_on_device(const LookupBatch& batch, const Request& request);

}  // namespace rtindex::cuda
