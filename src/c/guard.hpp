#pragma once

#include <string>

#include <rtindex/rtindex.h>

#include "base/error.hpp"

namespace rtindex::c {

// Ends a call with a status of the caller.
struct Stopped {
  rtindex_status status;
};

// Stores the exception in flight as this thread's last error, and returns its status.
[[nodiscard]] rtindex_status record_exception() noexcept;

// Runs the body of a C function: no exception leaves it.
template <class Work>
[[nodiscard]] rtindex_status guarded(Work&& work) noexcept {
  try {
    work();
    return RTINDEX_STATUS_OK;
  } catch (...) {
    return record_exception();
  }
}

// An argument that must not be null.
template <class T>
[[nodiscard]] T& required(T* argument, const char* name) {
  if (argument == nullptr) fail("the argument '{}' is null: pass a pointer to it", name);
  return *argument;
}

// A struct of the caller, with the default of every field where there is none. Structs only grow:
// once a version has added fields, `least` stays the size of the first one.
template <class Struct>
[[nodiscard]] Struct options_of(const Struct* given, const char* name,
                                std::size_t least = sizeof(Struct)) {
  if (given == nullptr) return Struct{};
  if (given->struct_size < least)
    fail("invalid {}: struct_size is {}, expected {}; set it to sizeof({})", name,
         given->struct_size, sizeof(Struct), name);
  if (given->struct_size > sizeof(Struct))
    fail(
        "{} has {} bytes and this library knows {}: the program was compiled with a newer "
        "rtindex.h; install the librtindex that belongs to it",
        name, given->struct_size, sizeof(Struct));
  return *given;
}

// A constant of the C interface as the C++ enumeration that counts the same things.
template <class Enum>
[[nodiscard]] Enum choice(std::int32_t given, Enum last, const char* name) {
  if (given < 0 || given > static_cast<std::int32_t>(last))
    fail("invalid {}: {}, expected 0 to {}", name, given, static_cast<std::int32_t>(last));
  return static_cast<Enum>(given);
}

// A text that the caller frees with rtindex_free_text().
[[nodiscard]] char* text_for_caller(const std::string& text);

}  // namespace rtindex::c
