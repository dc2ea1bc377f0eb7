#pragma once

#include <cstdint>

namespace rtindex::python {

// The three structs of Arrow's C data interface. Their layout is fixed by Arrow's specification, so
// that libraries which share no header can pass columns to each other.

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);  // null: has been released or moved away
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;  // -1: not counted
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);  // at the end: an array without `release`
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

static_assert(sizeof(ArrowSchema) == 72 && sizeof(ArrowArray) == 80 &&
              sizeof(ArrowArrayStream) == 40);

// Owns one of the structs: moves it out of its place, and releases it.
template <class Struct>
class ArrowOwned {
 public:
  ArrowOwned() = default;
  explicit ArrowOwned(Struct* from) : value_(*from) { from->release = nullptr; }
  ArrowOwned(const ArrowOwned&) = delete;
  ArrowOwned& operator=(const ArrowOwned&) = delete;
  ~ArrowOwned() {
    if (value_.release != nullptr) value_.release(&value_);
  }

  Struct* get() { return &value_; }
  const Struct* operator->() const { return &value_; }
  const Struct& operator*() const { return value_; }

 private:
  Struct value_{};
};

}  // namespace rtindex::python
