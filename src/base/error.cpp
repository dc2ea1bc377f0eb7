#include "base/error.hpp"

namespace rtindex {

Error::~Error() = default;  // here, so that the type's identity lives in the library

}  // namespace rtindex
