#pragma once

#include <CLI/CLI.hpp>

namespace rtindex::cli {

// `rtindex bench profiles`: records of what Nsight Compute saw.
void add_profiles(CLI::App& bench);

}  // namespace rtindex::cli
