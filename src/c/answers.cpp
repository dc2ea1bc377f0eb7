#include <rtindex/rtindex.h>
#include <rtindex/arrow.hpp>

#include "c/calls.hpp"
#include "c/device.hpp"
#include "c/guard.hpp"
#include "c/handle.hpp"

namespace rtindex::c {

namespace {

Outputs outputs_from(const rtindex_outputs& given) {
  return {.any = given.any,
          .first = given.first,
          .count = given.count,
          .sum = given.sum,
          .min = given.min,
          .max = given.max,
          .matched = given.matched,
          .offsets = given.offsets,
          .rows = given.rows,
          .rows_capacity = given.rows_capacity,
          .memory_space = choice(given.memory_space, MemorySpace::device, "memory_space"),
          .key = given.key,
          .last = given.last,
          .mean = given.mean,
          .validity = given.validity,
          .bitmap = given.bitmap,
          .bitmaps = given.bitmaps,
          .bitmap_rows = given.bitmap_rows};
}

}  // namespace

}  // namespace rtindex::c

// NOLINTNEXTLINE(google-build-using-namespace): C functions are in no namespace
using namespace rtindex;

rtindex_status rtindex_answer(const rtindex_index* index, const rtindex_query* query,
                              const rtindex_answer_options* options,
                              const rtindex_diagnostics* diagnostics, ArrowSchema* schema,
                              ArrowArray* array) {
  return c::guarded([&] {
    const rtindex_index& handle = c::checked(index);
    ArrowArray& to = c::required(array, "array");
    c::AnswerCall call(handle, query, options, diagnostics);
    export_arrow(handle.index, call.answer(handle.index), schema, &to);
  });
}

rtindex_status rtindex_answer_device(const rtindex_index* index, const rtindex_query* query,
                                     const rtindex_answer_options* options,
                                     const rtindex_diagnostics* diagnostics, ArrowSchema* schema,
                                     ArrowDeviceArray* array) {
  return c::guarded([&] {
    const rtindex_index& handle = c::checked(index);
    ArrowDeviceArray& to = c::required(array, "array");
    c::AnswerCall call(handle, query, options, diagnostics);
    if (call.query().memory_space() == MemorySpace::device)
      return c::export_answers_on_device(handle, call, schema, to);
    ArrowDeviceArray made{};
    export_arrow(handle.index, call.answer(handle.index), schema, &made.array);
    made.device_id = -1;
    made.device_type = ARROW_DEVICE_CPU;
    to = made;
  });
}

rtindex_status rtindex_answer_into(const rtindex_index* index, const rtindex_query* query,
                                   const rtindex_answer_options* options,
                                   const rtindex_diagnostics* diagnostics,
                                   const rtindex_outputs* outputs) {
  return c::guarded([&] {
    const rtindex_index& handle = c::checked(index);
    const Outputs to =
        c::outputs_from(c::options_of(&c::required(outputs, "outputs"), "rtindex_outputs"));
    c::AnswerCall(handle, query, options, diagnostics).answer_into(handle.index, to);
  });
}
