#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include <rtindex/rtindex.h>
#include <rtindex/index.hpp>

#include "c/columns.hpp"
#include "c/exports.hpp"
#include "c/guard.hpp"
#include "c/handle.hpp"

// NOLINTNEXTLINE(google-build-using-namespace): C functions are in no namespace
using namespace rtindex;

namespace {

LoadOptions load_options(const rtindex_load_options* input) {
  const rtindex_load_options options = c::options_of(input, "rtindex_load_options");
  return {.verify = c::choice(options.verify, Verify::full, "verify"),
          .device_memory = c::memory_of(options.device_memory)};
}

}  // namespace

rtindex_status rtindex_build(const rtindex_column* column, const char* spec,
                             const rtindex_build_options* options, rtindex_index** index) {
  return c::guarded([&] {
    rtindex_index*& to = c::required(index, "index");
    const rtindex_build_options input = c::options_of(options, "rtindex_build_options");
    const Spec parsed = spec == nullptr ? Spec() : Spec(spec);
    const Stream stream{input.stream};
    c::Columns columns([&parsed] { return Spec(parsed); }, stream);
    const ColumnView keys = columns.view(column, "column");
    const std::shared_ptr<DeviceMemory> memory = c::memory_of(input.device_memory);
    c::return_handle(build(keys, parsed,
                           {.include = columns.included_if_set(input.include, "include"),
                            .stream = stream,
                            .device_memory = memory}),
                     memory, &to);
  });
}

rtindex_status rtindex_free(rtindex_index* index) {
  return c::guarded([&] {
    if (index == nullptr) return;
    const std::unique_ptr<rtindex_index> freed(&c::checked(index));
    if constexpr (c::checks_handles) c::unregister_handle(index);
  });
}

rtindex_status rtindex_copy(const rtindex_index* index, rtindex_index** copy) {
  return c::guarded([&] {
    const rtindex_index& handle = c::checked(index);
    c::return_handle(handle.index.copy(), handle.memory, &c::required(copy, "copy"));
  });
}

rtindex_status rtindex_snapshot(const rtindex_index* index, rtindex_index** snapshot) {
  return c::guarded([&] {
    const rtindex_index& handle = c::checked(index);
    c::return_handle(handle.index.snapshot(), handle.memory, &c::required(snapshot, "snapshot"));
  });
}

rtindex_status rtindex_save(const rtindex_index* index, const char* path) {
  return c::guarded([&] { c::checked(index).index.save(&c::required(path, "path")); });
}

rtindex_status rtindex_load(const char* path, const rtindex_load_options* options,
                            rtindex_index** index) {
  return c::guarded([&] {
    rtindex_index*& to = c::required(index, "index");
    const LoadOptions loading = load_options(options);
    c::return_handle(load(&c::required(path, "path"), loading), loading.device_memory, &to);
  });
}

rtindex_status rtindex_serialize(const rtindex_index* index, ArrowSchema* schema,
                                 ArrowArray* bytes) {
  return c::guarded([&] {
    const rtindex_index& handle = c::checked(index);
    ArrowArray& to = c::required(bytes, "bytes");
    c::export_elements(handle.index.serialize(), "C", schema, &to);
  });
}

rtindex_status rtindex_deserialize(const void* bytes, size_t count,
                                   const rtindex_load_options* options, rtindex_index** index) {
  return c::guarded([&] {
    rtindex_index*& to = c::required(index, "index");
    const auto* data = static_cast<const std::byte*>(bytes);
    if (data == nullptr && count != 0) fail("the bytes are null and their count is {}", count);
    const LoadOptions loading = load_options(options);
    c::return_handle(deserialize(std::span(data, count), loading), loading.device_memory, &to);
  });
}
