#pragma once

#include <CLI/CLI.hpp>

namespace rtindex::cli {

// `rtindex bench claims`: what the records say about the paper's claims.
void add_claims(CLI::App& bench);

}  // namespace rtindex::cli
