#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "buffer.hpp"

namespace rtindex::python {

// An answer as an Arrow array: any Arrow library takes it through `__arrow_c_array__`, without a
// copy and without one of them being installed here.
class ArrowAnswer {
 public:
  // Elements of an Arrow format ("I": uint32), with the bitmap of those that are not null or none.
  ArrowAnswer(std::string format, std::size_t length, nanobind::handle elements,
              nanobind::handle validity);
  // Lists of uint32 between 64-bit offsets.
  ArrowAnswer(std::size_t length, nanobind::handle offsets, nanobind::handle rows);

  // The two capsules of the protocol, schema and array.
  [[nodiscard]] nanobind::tuple capsules() const;

 private:
  std::string format_;
  std::size_t length_;
  std::shared_ptr<const Buffer> elements_;  // of lists: the offsets
  std::shared_ptr<const Buffer> validity_;
  std::shared_ptr<const ArrowAnswer> items_;  // of lists
  friend struct Exported;
};

}  // namespace rtindex::python
