#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <rtindex/error.hpp>

namespace rtindex::testing {

// A folder of its own for each test, removed afterwards.
class Scratch : public ::testing::Test {
 protected:
  Scratch() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("rtindex-" + std::string(test->name()) + "-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~Scratch() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

  // NOLINTNEXTLINE(modernize-use-nodiscard): a test may know the path
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  [[nodiscard]] static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // How many files the folder holds, hidden ones included.
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

 private:
  std::filesystem::path folder_;
};

// The sentence that `work` fails with; it is one line and ends without a full stop.
template <class Work>
std::string error_of(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    std::string sentence = error.what();
    EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
    return sentence;
  }
  ADD_FAILURE() << "no error was thrown";
  return "";
}

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

#define EXPECT_SAYS(sentence, part) \
  EXPECT_TRUE(::rtindex::testing::contains(sentence, part)) << (sentence) << "\nlacks: " << (part)

}  // namespace rtindex::testing
