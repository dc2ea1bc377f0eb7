#include "c/guard.hpp"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

// NOLINTNEXTLINE(google-build-using-namespace): C functions are in no namespace
using namespace rtindex;

namespace {

struct LastError {
  rtindex_status status = RTINDEX_STATUS_OK;
  std::string message;
  const char* text = "";  // the message, or a fixed text if there was no memory for it
};

LastError& last_error() noexcept {
  thread_local LastError error;
  return error;
}

rtindex_status status_of(ErrorKind kind) {
  static_assert(static_cast<int>(ErrorKind::invalid_argument) + 1 ==
                    RTINDEX_STATUS_INVALID_ARGUMENT &&
                static_cast<int>(ErrorKind::corrupt_file) + 1 == RTINDEX_STATUS_CORRUPT_FILE &&
                static_cast<int>(ErrorKind::stopped) + 1 == RTINDEX_STATUS_STOPPED);
  return static_cast<rtindex_status>(kind) + 1;
}

rtindex_status remember(rtindex_status status, const char* message) noexcept {
  LastError& error = last_error();
  error.status = status;
  try {
    error.message = message;
    error.text = error.message.c_str();
  } catch (...) {
    error.text = "an error, and no memory for its message: free memory, or use smaller batches";
  }
  return status;
}

}  // namespace

namespace rtindex::c {

rtindex_status record_exception() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return remember(status_of(error.kind()), error.what());
  } catch (const Stopped& stopped) {
    return remember(stopped.status, "the callback ended the call");
  } catch (const std::bad_alloc&) {
    return remember(RTINDEX_STATUS_OUT_OF_MEMORY,
                    "out of memory: free memory, or use smaller batches");
  } catch (const std::exception& error) {
    return remember(RTINDEX_STATUS_INTERNAL, error.what());
  } catch (...) {
    return remember(RTINDEX_STATUS_INTERNAL, "an unknown exception; please report it");
  }
}

char* text_for_caller(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));  // NOLINT(*-no-malloc)
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace rtindex::c

const char* rtindex_last_error(void) { return last_error().text; }

rtindex_status rtindex_last_status(void) { return last_error().status; }

const char* rtindex_status_name(rtindex_status status) {
  if (status == RTINDEX_STATUS_OK) return "ok";
  if (status == RTINDEX_STATUS_INTERNAL) return "internal";
  if (status < RTINDEX_STATUS_OK || status > RTINDEX_STATUS_INTERNAL) return "unknown";
  return name_of(static_cast<ErrorKind>(status - 1)).data();
}

void rtindex_free_text(char* text) { std::free(text); }  // NOLINT(*-no-malloc)
