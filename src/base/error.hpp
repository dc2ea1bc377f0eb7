#pragma once

#include <fmt/core.h>

#include <new>
#include <stdexcept>
#include <utility>

#include <rtindex/error.hpp>

namespace rtindex {

// Throws an Error of kind invalid_argument.
template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

// Throws an Error of another kind.
template <class... Args>
[[noreturn]] void fail(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...), kind);
}

// Containers report a failed allocation without its size; our own arrays name it.
template <class Work>
decltype(auto) explain_out_of_memory(const char* doing, Work&& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    fail(ErrorKind::out_of_memory,
         "out of memory while {}: free memory, or split the work into smaller batches", doing);
  } catch (const std::length_error&) {
    fail(ErrorKind::out_of_memory,
         "out of memory while {}: the size exceeds the address space, split the work into smaller "
         "batches",
         doing);
  }
}

}  // namespace rtindex
