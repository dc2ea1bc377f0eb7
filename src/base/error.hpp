#pragma once

#include <fmt/format.h>

#include <utility>

#include <rtindex/error.hpp>

namespace rtindex {

// Bad input or a failed resource: a sentence for the user.
template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace rtindex
