#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include <rtindex/error.hpp>

namespace rtindex::test {

// Expects an Error whose text contains a part.
inline void expect_error(const std::function<void()>& call, const std::string& part) {
  try {
    call();
    FAIL() << "expected an error: " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

}  // namespace rtindex::test
