#include <utility>

#include <rtindex/rtindex.h>

#include "c/calls.hpp"
#include "c/device.hpp"
#include "c/exports.hpp"
#include "c/guard.hpp"
#include "c/handle.hpp"

namespace rtindex::c {

namespace {

void export_pairs(const Index& index, const JoinCall& call, ArrowSchema* schema,
                  ArrowArray* array) {
  const auto held =
      std::make_shared<JoinedRows>(index.join(call.query(), call.how(), call.stream()));
  arrow::export_node(
      pairs_node(held->lookups.size(), held->lookups.data(), held->rows.data(), call.has_rows()),
      held, schema, array);
}

}  // namespace

}  // namespace rtindex::c

// NOLINTNEXTLINE(google-build-using-namespace): C functions are in no namespace
using namespace rtindex;

rtindex_status rtindex_join(const rtindex_index* index, const rtindex_query* query,
                            const rtindex_join_options* options, ArrowSchema* schema,
                            ArrowArray* array) {
  return c::guarded([&] {
    const rtindex_index& handle = c::checked(index);
    ArrowArray& to = c::required(array, "array");
    c::export_pairs(handle.index, c::JoinCall(handle, query, options), schema, &to);
  });
}

rtindex_status rtindex_join_device(const rtindex_index* index, const rtindex_query* query,
                                   const rtindex_join_options* options, ArrowSchema* schema,
                                   ArrowDeviceArray* array) {
  return c::guarded([&] {
    const rtindex_index& handle = c::checked(index);
    ArrowDeviceArray& to = c::required(array, "array");
    const c::JoinCall call(handle, query, options);
    if (call.query().memory_space() == MemorySpace::device)
      return c::export_join_on_device(handle, call, schema, to);
    ArrowDeviceArray made{};
    c::export_pairs(handle.index, call, schema, &made.array);
    made.device_id = -1;
    made.device_type = ARROW_DEVICE_CPU;
    to = made;
  });
}

rtindex_status rtindex_join_into(const rtindex_index* index, const rtindex_query* query,
                                 const rtindex_join_options* options,
                                 const rtindex_join_outputs* outputs) {
  return c::guarded([&] {
    const rtindex_index& handle = c::checked(index);
    const rtindex_join_outputs buffers =
        c::options_of(&c::required(outputs, "outputs"), "rtindex_join_outputs");
    const c::JoinCall call(handle, query, options);
    handle.index.join_into(
        call.query(), call.how(),
        {.lookups = buffers.lookups,
         .rows = buffers.rows,
         .capacity = buffers.capacity,
         .count = buffers.count,
         .memory_space = c::choice(buffers.memory_space, MemorySpace::device, "memory_space")},
        call.stream());
  });
}

rtindex_status rtindex_join_batches(const rtindex_index* index, const rtindex_query* query,
                                    const rtindex_join_options* options, size_t max_pairs,
                                    rtindex_join_callback callback, void* context) {
  return c::guarded([&] {
    const rtindex_index& handle = c::checked(index);
    if (callback == nullptr)
      fail("the callback is null: pass a function that receives the batches");
    const c::JoinCall call(handle, query, options);
    const auto pass_on = [&](const JoinedRows& batch) {
      const rtindex_status status =
          callback(context, batch.lookups.data(), call.has_rows() ? batch.rows.data() : nullptr,
                   batch.lookups.size());
      if (status != RTINDEX_STATUS_OK) throw c::Stopped{status};
    };
    handle.index.join_batches(call.query(), call.how(), max_pairs, pass_on, call.stream());
  });
}
