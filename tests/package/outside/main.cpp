// A program that uses the installed package alone.

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

int main() {
  std::printf("rtindex %s\n", RTINDEX_VERSION_STRING);

  const std::vector<std::uint32_t> column{26, 25, 29, 23, 29, 27};
  const rtindex::Index index = rtindex::build(column);
  const rtindex::Answers answers =
      index.lookup(std::vector<std::uint32_t>{29, 24}, rtindex::Answer::count);
  if (answers.count()[0] != 2 || answers.count()[1] != 0) {
    std::puts("wrong counts");
    return 1;
  }

  // Exceptions have to cross the library's border with their type.
  try {
    (void)rtindex::Spec(std::string("no such index"));
  } catch (const rtindex::Error& error) {
    std::printf("rejected as it should be: %s\n", error.what());
    return 0;
  }
  std::puts("a malformed spec was accepted");
  return 1;
}
