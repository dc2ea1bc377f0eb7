#include <rtindex/rtindex.h>
#include <rtindex/bitmap.hpp>

#include "arrow/export.hpp"
#include "c/calls.hpp"
#include "c/guard.hpp"
#include "c/handle.hpp"

namespace rtindex::c {

namespace {

using Combine = void (*)(const BitmapView&, const BitmapView&, std::uint8_t*, Stream);

rtindex_status combine(Combine operation, const rtindex_bitmap* a, const rtindex_bitmap* b,
                       std::uint8_t* out, void* stream) {
  return guarded([&] { operation(bitmap_from(a, "a"), bitmap_from(b, "b"), out, {stream}); });
}

}  // namespace

}  // namespace rtindex::c

// NOLINTNEXTLINE(google-build-using-namespace): C functions are in no namespace
using namespace rtindex;

rtindex_status rtindex_answer_bitmap(const rtindex_index* index, const rtindex_query* query,
                                     const rtindex_answer_options* options, ArrowSchema* schema,
                                     ArrowArray* array) {
  return c::guarded([&] {
    const rtindex_index& handle = c::checked(index);
    ArrowArray& to = c::required(array, "array");
    const rtindex_answer_options given = c::options_of(options, "rtindex_answer_options");
    const c::CalledQuery called(handle.index, query, {given.stream});
    const auto answers = std::make_shared<const Answers>(
        handle.index.answer(called.get(), {.answers = Answer::bitmap, .stream = {given.stream}}));
    const BitmapView bitmap = answers->bitmap();
    arrow::export_node({"b", "", bitmap.rows, {nullptr, bitmap.bits}}, answers, schema, &to);
  });
}

rtindex_status rtindex_bitmap_and(const rtindex_bitmap* a, const rtindex_bitmap* b, uint8_t* out,
                                  void* stream) {
  return c::combine(bitmap_and, a, b, out, stream);
}

rtindex_status rtindex_bitmap_or(const rtindex_bitmap* a, const rtindex_bitmap* b, uint8_t* out,
                                 void* stream) {
  return c::combine(bitmap_or, a, b, out, stream);
}

rtindex_status rtindex_bitmap_and_not(const rtindex_bitmap* a, const rtindex_bitmap* b,
                                      uint8_t* out, void* stream) {
  return c::combine(bitmap_and_not, a, b, out, stream);
}

rtindex_status rtindex_bitmap_count(const rtindex_bitmap* bitmap, void* stream, uint64_t* count) {
  return c::guarded([&] {
    uint64_t& to = c::required(count, "count");
    to = bitmap_count(c::bitmap_from(bitmap, "bitmap"), {stream});
  });
}
