#pragma once

#include <string>
#include <vector>

namespace rtindex::test {

// The indexes that this machine can use, as `rtindex::indexes()` lists them.
[[nodiscard]] std::vector<std::string> usable_indexes();

// Whether the machine can use the index of a spec, whatever its settings. Tests that skip depend on
// this, not on a build, so that a build rejected by mistake fails them.
[[nodiscard]] bool is_available(const std::string& text);

// The usable indexes, and those of rx once more with buckets of sorted keys, because included
// values, updates and files differ with them.
[[nodiscard]] std::vector<std::string> usable_and_bucketed();

// Those of usable_and_bucketed() on a CPU, with these options: ",threads=1".
[[nodiscard]] std::vector<std::string> host_specs(const std::string& options = "");

// Indexes that keep their keys in order include values; the others reject them.
[[nodiscard]] bool includes_values(const std::string& spec);
// Those of usable_and_bucketed() that include values.
[[nodiscard]] std::vector<std::string> including_specs();

// The usable indexes that hold intervals.
[[nodiscard]] std::vector<std::string> interval_specs();

// The usable indexes that hold points of any number of columns.
[[nodiscard]] std::vector<std::string> point_specs();

// The index with its default settings, and with settings that hold every column. A new index with
// settings worth testing gets a line in specs.cpp.
[[nodiscard]] std::vector<std::string> specs_of(const std::string& index);

// A spec as part of a test's name.
[[nodiscard]] std::string test_name(const std::string& spec);

}  // namespace rtindex::test
