#pragma once

#include <cassert>
#include <type_traits>

namespace rtindex {

// An object as a class derived from its static type, as static_cast<To> does it. `To` is a
// reference. Builds with assertions check that the object is of that class.
template <class To, class From>
[[nodiscard]] To checked_cast(From& from) noexcept {
  static_assert(std::is_reference_v<To>, "pass a reference, such as const Derived&");
  assert(dynamic_cast<std::remove_reference_t<To>*>(&from) != nullptr);
  return static_cast<To>(from);
}

}  // namespace rtindex
