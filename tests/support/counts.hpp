#pragma once

#include <cstdint>
#include <string>

namespace rtindex::test {

// Adds to what the tests of this program have counted: failures injected, files saved, indexes
// built. Printed when the program ends, by kind. With the environment variable RTINDEX_TEST_RECORDS
// a record for each kind and name is appended to the file that it names; results/README.md explains
// the fields.
void add_count(const std::string& kind, const std::string& name, std::uint64_t count);

// Whether tests may run for minutes and use gigabytes: RTINDEX_TEST_LONG is set.
[[nodiscard]] bool may_take_long();

}  // namespace rtindex::test
