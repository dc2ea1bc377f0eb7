// rtindex on the CPU compared with std::lower_bound, Abseil's containers, a parallel sort, ALEX,
// PGM-index and RadixSpline.
//
// All competitors run in one process, in turn, on all cores, with the same page policy; every
// answer is checked. Goals at 2^24 keys: points 25x std::lower_bound, 1.3x absl::flat_hash_map one
// at a time and 0.85x with prefetch; sorted 5x and misses 15x lower_bound; range sums of 16 and 256
// hits 6x and 2x lower_bound and scan, of 2^16 hits with included values 1000x; counts of any width
// alike; skewed lookups never below half of uniform, skewed columns three quarters of it and as
// fast as absl::flat_hash_map with prefetch, at most 14 bytes a key; build within 1.4x of
// tbb::parallel_sort, at most 13.2 (9.2) bytes a 64-bit (32-bit) key; two cores 1.8x one; inserts
// in batches of 2^10, 2^16 and 2^20 at 3, 10 and 15 million keys a second, each 3x the fastest of
// absl::btree_map and ALEX on all cores; of sorted columns at most 8.3 (4.3) bytes a 64-bit
// (32-bit) key and 0.1 of sequences, points 1.2x those with rowIDs, build 4x that of the shuffled
// column.

#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include <rtindex/error.hpp>

#include "cpu_peers/cpu_peers.hpp"
#include "harness/program_options.hpp"

namespace rtindex::bench {

namespace {

struct Question {
  std::string name;
  std::function<void(PeerRecords&, int, int)> run;
  bool every_size;  // else only at the largest
};

const std::vector<Question> all_questions = {
    {"points", points, true},    {"ranges", ranges, false},    {"included", included, false},
    {"skew", skew, false},       {"build", build_cost, false}, {"cores", cores, false},
    {"changes", changes, false}, {"strings", strings, false},  {"sorted", sorted_columns, false}};

int run(int argc, char** argv) {
  std::string records_path;
  int from = 20;
  int to = 24;
  int lookups = 22;
  std::vector<std::string> names;
  names.reserve(all_questions.size());
  for (const Question& question : all_questions) names.push_back(question.name);
  CLI::App app("rtindex on the CPU against std::lower_bound, Abseil and a parallel sort");
  add_log2(app, "--from", from, 31, "keys of the smallest column");
  add_log2(app, "--to", to, 31, "keys of the largest column");
  add_log2(app, "--lookups", lookups, 28, "lookups");
  app.add_option("--questions", names, "questions to run")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  add_records(app, records_path);
  CLI11_PARSE(app, argc, argv);

  PeerRecords records(records_path, "cpu-peers",
                      fmt::format("bench_cpu_peers --from {} --to {} --lookups {} --questions {}",
                                  from, to, lookups, fmt::join(names, ",")));
  for (const Question& question : all_questions) {
    if (std::find(names.begin(), names.end(), question.name) == names.end()) continue;
    for (int size = question.every_size ? from : to; size <= to; size += 2)
      question.run(records, size, lookups);
  }
  return 0;
}

}  // namespace

}  // namespace rtindex::bench

int main(int argc, char** argv) {
  return rtindex::bench::run_program(rtindex::bench::run, argc, argv);
}
