#pragma once

#include <new>
#include <stdexcept>

#include "base/error.hpp"

namespace rtindex {

// Containers report a failed allocation without its size; our own arrays name it.
template <class Work>
decltype(auto) explain_out_of_memory(const char* doing, Work&& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    fail("out of memory while {}: free memory, or split the work into smaller batches", doing);
  } catch (const std::length_error&) {
    fail("out of memory while {}: more was asked for than can be addressed", doing);
  }
}

}  // namespace rtindex
