// The time of a call in C++, for python/bench/overhead.py, which measures the overhead of Python:
// it starts this program, and the two alternate.
//
//   bench_call_cost COLUMN.npy LOOKUPS.npy
//
// Each line "COUNT REPEATS" on standard input answers the first COUNT lookups REPEATS times, with
// `any`, and prints the milliseconds of one call.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <span>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "column_files/column_file.hpp"
#include "harness/timing.hpp"

namespace rtindex::bench {

static void serve(const std::string& column_file, const std::string& lookup_file) {
  const LoadedColumn column = load(ColumnFile{.path = column_file});
  const LoadedColumn lookups = load(ColumnFile{.path = lookup_file});
  const Index index = build(column.view());
  std::vector<std::uint32_t> found(lookups.size());
  std::size_t count = 0;
  int repeats = 0;
  while (std::cin >> count >> repeats) {
    const ColumnView batch = lookups.slice(0, count);
    const double all = milliseconds([&] {
      for (int i = 0; i < repeats; ++i)
        index.answer_into(Query::equal(batch), {}, {.any = found.data()});
    });
    std::printf("%.9f\n", all / repeats);
    std::fflush(stdout);
  }
}

}  // namespace rtindex::bench

int main(int count, char** arguments) {
  try {
    if (count != 3) throw rtindex::Error("usage: bench_call_cost COLUMN.npy LOOKUPS.npy");
    rtindex::bench::serve(arguments[1], arguments[2]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
