#pragma once

#include <rtindex/arrow.h>

namespace rtindex::arrow {

static_assert(sizeof(ArrowSchema) == 72 && sizeof(ArrowArray) == 80 &&
              sizeof(ArrowArrayStream) == 40 && sizeof(ArrowDeviceArray) == 128);

// Owns one of Arrow's structs, which is moved into it and released with it.
template <class Struct>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Struct* from) : value_(*from) { from->release = nullptr; }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (value_.release != nullptr) value_.release(&value_);
  }

  [[nodiscard]] Struct* address() { return &value_; }
  const Struct* operator->() const { return &value_; }
  const Struct& operator*() const { return value_; }

 private:
  Struct value_{};
};

}  // namespace rtindex::arrow
