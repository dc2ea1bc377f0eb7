#pragma once

#include <rtindex/rtindex.h>
#include <rtindex/index.hpp>

#include "base/function_ref.hpp"
#include "c/calls.hpp"
#include "c/handle.hpp"

namespace rtindex::c {

// The C interface on the memory of a GPU. In a build without CUDA each function throws an Error.

// Work queued on `stream` of a GPU from now on waits for the event of an Arrow array there.
void wait_on_device(std::int64_t device, const void* sync_event, Stream stream);
// Blocks until the event of an Arrow array in pinned memory has completed.
void wait_on_host(const void* sync_event);

// Answers lookups in device memory into new arrays there.
void export_answers_on_device(const rtindex_index& handle, AnswerCall& call, ArrowSchema* schema,
                              ArrowDeviceArray& array);
void export_join_on_device(const rtindex_index& handle, const JoinCall& call, ArrowSchema* schema,
                           ArrowDeviceArray& array);

using PassBatch =
    FunctionRef<void(const std::uint64_t* lookups, const std::uint32_t* rows, std::size_t count)>;
// Joins lookups in device memory in batches there.
void join_batches_on_device(const rtindex_index& handle, const JoinCall& call,
                            std::size_t max_pairs, PassBatch pass_on);

}  // namespace rtindex::c
