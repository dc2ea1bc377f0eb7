#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace rtindex {

// A reference to an object that counts its owners: T has `std::atomic<std::uint32_t> owners`, of
// which the first is this one, and a static destroy(T*). Unlike std::shared_ptr it reports
// reliably that there is no other owner, so that the object may be changed in place.
template <class T>
class CountedRef {
 public:
  CountedRef() = default;
  CountedRef(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): as of other pointers
  explicit CountedRef(T* owned) : object_(owned) {}
  CountedRef(const CountedRef& other) : object_(other.object_) {
    if (object_ != nullptr) object_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  CountedRef(CountedRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  CountedRef& operator=(CountedRef other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~CountedRef() {
    if (object_ != nullptr && object_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
      T::destroy(object_);
  }

  [[nodiscard]] T* get() const { return object_; }
  [[nodiscard]] T* operator->() const { return object_; }
  [[nodiscard]] T& operator*() const { return *object_; }
  // Whatever other owners did with the object has happened before a call that returns true.
  [[nodiscard]] bool is_only() const {
    return object_->owners.load(std::memory_order_acquire) == 1;
  }
  [[nodiscard]] friend bool operator==(const CountedRef& a, const CountedRef& b) {
    return a.object_ == b.object_;
  }

 private:
  T* object_ = nullptr;
};

}  // namespace rtindex
