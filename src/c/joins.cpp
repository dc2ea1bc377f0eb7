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
      std::make_shared<JoinedRows>(index.join(call.query(), call.how(), call.options()));
  arrow::export_node(
      pairs_node(held->lookups.size(), held->lookups.data(), held->rows.data(), call.has_rows()),
      held, schema, array);
}

// Passes batches to the function of the caller, which may end the join.
struct PassToCaller {
  rtindex_join_callback callback;
  void* context;

  void operator()(const std::uint64_t* lookups, const std::uint32_t* rows,
                  std::size_t count) const {
    const rtindex_status status = callback(context, lookups, rows, count);
    if (status != RTINDEX_STATUS_OK) throw Stopped{status};
  }
};

void join_on_host(const Index& index, const JoinCall& call, std::size_t max_pairs,
                  const PassToCaller& pass_on) {
  index.join_batches(
      call.query(), call.how(), max_pairs,
      [&](const JoinedRows& batch) {
        pass_on(batch.lookups.data(), call.has_rows() ? batch.rows.data() : nullptr,
                batch.lookups.size());
      },
      call.options());
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
        call.options());
  });
}

rtindex_status rtindex_join_batches(const rtindex_index* index, const rtindex_query* query,
                                    const rtindex_join_options* options, size_t max_pairs,
                                    rtindex_join_callback callback, void* context) {
  return c::guarded([&] {
    const rtindex_index& handle = c::checked(index);
    if (callback == nullptr)
      fail("the callback is null: pass a function that receives the batches");
    c::join_on_host(handle.index, c::JoinCall(handle, query, options), max_pairs,
                    c::PassToCaller{callback, context});
  });
}

rtindex_status rtindex_join_batches_device(const rtindex_index* index, const rtindex_query* query,
                                           const rtindex_join_options* options, size_t max_pairs,
                                           rtindex_join_callback callback, void* context) {
  return c::guarded([&] {
    const rtindex_index& handle = c::checked(index);
    if (callback == nullptr)
      fail("the callback is null: pass a function that receives the batches");
    const c::JoinCall call(handle, query, options);
    const c::PassToCaller pass_on{callback, context};
    if (call.query().memory_space() == MemorySpace::device)
      return c::join_batches_on_device(handle, call, max_pairs, pass_on);
    c::join_on_host(handle.index, call, max_pairs, pass_on);
  });
}
