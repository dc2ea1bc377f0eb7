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

// Debug builds keep a list of the handles in use, so that one used after it was freed is an error.
void note_made(const rtindex_index* handle);
void note_freed(const rtindex_index* handle);
void require_in_use(const rtindex_index* handle);

template <class Handle>
[[nodiscard]] Handle& checked(Handle* handle) {
  if (handle == nullptr) fail("the index is null: build or load one first");
  if constexpr (checks_handles) require_in_use(handle);
  return *handle;
}

// Gives the caller a handle of its own.
inline void hand_out(Index index, std::shared_ptr<DeviceMemory> memory, rtindex_index** to) {
  auto made = std::make_unique<rtindex_index>(rtindex_index{std::move(index), std::move(memory)});
  if constexpr (checks_handles) note_made(made.get());
  *to = made.release();
}

// The allocator that a struct of the caller describes; null without one.
[[nodiscard]] std::shared_ptr<DeviceMemory> memory_of(const rtindex_device_memory* given);

}  // namespace rtindex::c
