#pragma once

#include <CLI/CLI.hpp>

namespace rtindex::cli {

// Each adds one verb as a subcommand whose callback does the work. A callback throws rtindex::Error
// for invalid input; run_command() turns it into one line and exit code 2.
void add_demo(CLI::App& app);
void add_build(CLI::App& app);
void add_lookup(CLI::App& app);
void add_range(CLI::App& app);
void add_nearest(CLI::App& app);
void add_contains(CLI::App& app);
void add_overlaps(CLI::App& app);
void add_within(CLI::App& app);
void add_covers(CLI::App& app);
void add_filter(CLI::App& app);
void add_join(CLI::App& app);
void add_rank(CLI::App& app);
void add_select(CLI::App& app);
void add_nulls(CLI::App& app);
void add_update(CLI::App& app);
void add_info(CLI::App& app);
void add_indexes(CLI::App& app);
void add_draw(CLI::App& app);
void add_bench(CLI::App& app);

}  // namespace rtindex::cli
