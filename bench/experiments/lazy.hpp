#pragma once

#include <functional>
#include <optional>
#include <utility>

namespace rtindex::bench {

// Made when it is first needed: an experiment whose points are all known makes no workload.
template <class T>
class Lazy {
 public:
  explicit Lazy(std::function<T()> make) : make_(std::move(make)) {}
  [[nodiscard]] T& operator*() {
    if (!made_) made_.emplace(make_());
    return *made_;
  }
  [[nodiscard]] T* operator->() { return &**this; }

 private:
  std::function<T()> make_;
  std::optional<T> made_;
};

}  // namespace rtindex::bench
