#pragma once

#include <memory>
#include <utility>

#include <rtindex/rtindex.h>
#include <rtindex/index.hpp>

#include "c/guard.hpp"

// What an rtindex_index* points to.
struct rtindex_index {
  rtindex::Index index;
  std::shared_ptr<rtindex::DeviceMemory> memory;  // null: the default allocator
};

namespace rtindex::c {

#if defined(NDEBUG)
inline constexpr bool checks_handles = false;
#else
inline constexpr bool checks_handles = true;
#endif

// Debug builds register handles, so that the use of a freed one is an error.
void register_handle(const rtindex_index* handle);
void unregister_handle(const rtindex_index* handle);
void require_in_use(const rtindex_index* handle);

template <class Handle>
[[nodiscard]] Handle& checked(Handle* handle) {
  if (handle == nullptr) fail("the index is null: build or load one first");
  if constexpr (checks_handles) require_in_use(handle);
  return *handle;
}

// Returns an index to the caller as a new handle.
inline void return_handle(Index index, std::shared_ptr<DeviceMemory> memory, rtindex_index** to) {
  auto made = std::make_unique<rtindex_index>(rtindex_index{std::move(index), std::move(memory)});
  if constexpr (checks_handles) register_handle(made.get());
  *to = made.release();
}

// The allocator that a struct of the caller describes; null without one.
[[nodiscard]] std::shared_ptr<DeviceMemory> memory_of(const rtindex_device_memory* input);

}  // namespace rtindex::c
