#include <utility>

#include <rtindex/rtindex.h>

#include "c/calls.hpp"
#include "c/device.hpp"
#include "c/exports.hpp"
#include "c/guard.hpp"
#include "c/handle.hpp"

namespace rtindex::c {

namespace {

void export_pairs(JoinCall& call, ArrowSchema* schema, ArrowArray* array) {
  const auto held = std::make_shared<JoinedRows>(call.join());
  export_node(
      pairs_node(held->lookups.size(), held->lookups.data(), held->rows.data(), call.has_rows()),
      held, schema, array);
}

}  // namespace

}  // namespace rtindex::c

// NOLINTNEXTLINE(google-build-using-namespace): C functions are in no namespace
using namespace rtindex;

rtindex_status rtindex_join(const rtindex_index* index, int32_t kind, const rtindex_column* lower,
                            const rtindex_column* upper, const rtindex_join_options* options,
                            ArrowSchema* schema, ArrowArray* array) {
  return c::guarded([&] {
    ArrowArray& to = c::required(array, "array");
    c::JoinCall call(c::checked(index), kind, lower, upper, options);
    c::export_pairs(call, schema, &to);
  });
}

rtindex_status rtindex_join_device(const rtindex_index* index, int32_t kind,
                                   const rtindex_column* lower, const rtindex_column* upper,
                                   const rtindex_join_options* options, ArrowSchema* schema,
                                   ArrowDeviceArray* array) {
  return c::guarded([&] {
    const rtindex_index& handle = c::checked(index);
    ArrowDeviceArray& to = c::required(array, "array");
    c::JoinCall call(handle, kind, lower, upper, options);
    if (call.batch().space() == MemorySpace::device)
      return c::export_join(handle, call, schema, to);
    ArrowDeviceArray made{};
    c::export_pairs(call, schema, &made.array);
    made.device_id = -1;
    made.device_type = ARROW_DEVICE_CPU;
    to = made;
  });
}

rtindex_status rtindex_join_into(const rtindex_index* index, int32_t kind,
                                 const rtindex_column* lower, const rtindex_column* upper,
                                 const rtindex_join_options* options,
                                 const rtindex_join_outputs* outputs) {
  return c::guarded([&] {
    const rtindex_join_outputs given =
        c::options_of(&c::required(outputs, "outputs"), "rtindex_join_outputs");
    c::JoinCall(c::checked(index), kind, lower, upper, options)
        .join_into({.lookups = given.lookups,
                    .rows = given.rows,
                    .capacity = given.capacity,
                    .count = given.count});
  });
}

rtindex_status rtindex_join_in_parts(const rtindex_index* index, int32_t kind,
                                     const rtindex_column* lower, const rtindex_column* upper,
                                     const rtindex_join_options* options, size_t most,
                                     rtindex_take_joined take, void* context) {
  return c::guarded([&] {
    if (take == nullptr) fail("the function 'take' is null: pass one that gets the parts");
    c::JoinCall call(c::checked(index), kind, lower, upper, options);
    call.join_in_parts(most, [&](const JoinedRows& part) {
      const rtindex_status status =
          take(context, part.lookups.data(), call.has_rows() ? part.rows.data() : nullptr,
               part.lookups.size());
      if (status != RTINDEX_OK) throw c::Stopped{status};
    });
  });
}
