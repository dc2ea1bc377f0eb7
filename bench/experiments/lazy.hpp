#pragma once

#include <functional>
#include <map>
#include <utility>

#include "workload/place.hpp"

namespace rtindex::bench {

// Made when it is first needed, once in every place where it is: an experiment whose points are all
// known makes no workload, and indexes that work in one place share one.
template <class T>
class Lazy {
 public:
  explicit Lazy(std::function<T(Place&)> make) : make_(std::move(make)) {}
  [[nodiscard]] const T& in(Place& place) {
    const auto made = made_.find(&place);
    return made != made_.end() ? made->second : made_.emplace(&place, make_(place)).first->second;
  }

 private:
  std::function<T(Place&)> make_;
  std::map<Place*, T> made_;
};

}  // namespace rtindex::bench
