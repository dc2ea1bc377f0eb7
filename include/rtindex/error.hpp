#pragma once

/// \file
/// Errors: what every failed call throws.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include <rtindex/export.hpp>

namespace rtindex {

/// Why a call failed, for programs that react to it.
enum class ErrorKind : std::uint8_t {
  invalid_argument,  ///< the call's input is wrong; another input works
  unsupported,       ///< this index cannot do it; another index may
  unavailable,       ///< a library, driver or device is missing or failed
  out_of_memory,     ///< host or device memory is exhausted
  io,                ///< a file cannot be read or written
  corrupt_file,      ///< a file is damaged, truncated, or not of the expected format
  stopped,           ///< the caller has stopped it: `Control::stop`
};

/// The name of a kind ("invalid_argument", "io", ...).
[[nodiscard]] RTINDEX_API std::string_view name_of(ErrorKind kind);

/// What every failed call throws. `what()` says what was expected, what was given and what to do.
///
/// Errors are thrown before anything is changed: an index that throws is as it was before.
class RTINDEX_API Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ErrorKind kind = ErrorKind::invalid_argument)
      : std::runtime_error(message), kind_(kind) {}
  Error(const Error&) = default;
  Error& operator=(const Error&) = default;
  ~Error() override;

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace rtindex
