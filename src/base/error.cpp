#include "base/error.hpp"

namespace rtindex {

Error::~Error() = default;  // here, so that the type's identity lives in the library

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument: return "invalid_argument";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::unavailable: return "unavailable";
    case ErrorKind::out_of_memory: return "out_of_memory";
    case ErrorKind::io: return "io";
    case ErrorKind::corrupt_file: return "corrupt_file";
    case ErrorKind::stopped: return "stopped";
  }
  return "unknown";
}

}  // namespace rtindex
