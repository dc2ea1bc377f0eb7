#pragma once

/// \file
/// Threads: how calls share the machine with the threads of the program.

#include <rtindex/export.hpp>

namespace rtindex {

/// While it lives, calls of this thread use no other thread: for programs with threads of their
/// own, each with a batch.
class RTINDEX_API SerialCalls {
 public:
  SerialCalls();
  ~SerialCalls();
  SerialCalls(const SerialCalls&) = delete;
  SerialCalls& operator=(const SerialCalls&) = delete;

 private:
  bool before_;
};

}  // namespace rtindex
