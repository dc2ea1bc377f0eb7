#pragma once

#include "answers/request.hpp"
#include "keys/lookup_batch.hpp"

namespace rtindex::cuda {

// Throws if a column in device memory cannot be read by the current GPU, or is not aligned. `what`
// names its content in the error. The overloads check the lookups, values and outputs of a batch,
// the outputs of so many lookups, and the outputs of a join.
void require_on_device(const ColumnView& column, const char* what);
void require_on_device(const LookupBatch& batch, const Request& request);
void require_on_device(const Outputs& outputs, std::size_t lookups);
void require_on_device(const JoinOutputs& outputs);

}  // namespace rtindex::cuda
