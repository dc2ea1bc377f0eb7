#pragma once

namespace rtindex::cli {

// The examples that the paper explains its idea by (fig:intro with Q1 to Q3, fig:3d with Q4),
// answered by rays and compared with a scan; a wrong answer throws std::runtime_error.
void show_paper_examples();

}  // namespace rtindex::cli
