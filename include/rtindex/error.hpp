#pragma once

#include <stdexcept>
#include <string>

#include <rtindex/export.hpp>

namespace rtindex {

/// What every failed call throws. `what()` is a sentence that says what was wrong and what to do.
///
/// Bad input is reported before anything is changed: an index that throws is as it was before.
class RTINDEX_API Error : public std::runtime_error {
 public:
  explicit Error(const std::string& sentence) : std::runtime_error(sentence) {}
  Error(const Error&) = default;
  Error& operator=(const Error&) = default;
  ~Error() override;
};

}  // namespace rtindex
