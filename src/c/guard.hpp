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

// A struct of the caller; with every field at its default if null. Structs only grow: once a
// version has added fields, `min_size` stays the size of the first one.
template <class Struct>
[[nodiscard]] Struct options_of(const Struct* input, const char* name,
                                std::size_t min_size = sizeof(Struct)) {
  if (input == nullptr) return Struct{};
  if (input->struct_size < min_size)
    fail("invalid {}: struct_size is {}, expected {}; set it to sizeof({})", name,
         input->struct_size, sizeof(Struct), name);
  if (input->struct_size > sizeof(Struct))
    fail(
        "invalid {}: struct_size is {}, expected at most {}; the program was compiled with a newer "
        "rtindex.h; install the librtindex that belongs to it",
        name, input->struct_size, sizeof(Struct));
  return *input;
}

// A constant of the C interface as its C++ enumerator, which has the same value.
template <class Enum>
[[nodiscard]] Enum choice(std::int32_t input, Enum last, const char* name) {
  if (input < 0 || input > static_cast<std::int32_t>(last))
    fail("invalid {}: {}, expected 0 to {}", name, input, static_cast<std::int32_t>(last));
  return static_cast<Enum>(input);
}

// A text that the caller frees with rtindex_free_text().
[[nodiscard]] char* text_for_caller(const std::string& text);

}  // namespace rtindex::c
