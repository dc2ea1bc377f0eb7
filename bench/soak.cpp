// Checks answers for a chosen time: random columns of up to 2^26 rows, specs, changes and batches,
// generated and checked on the device of the index, against closed forms.

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <rtindex/rtindex.hpp>

#include "harness/program_options.hpp"
#include "harness/records.hpp"
#include "workload/execution_space.hpp"
#include "workload/workload_array.hpp"

namespace rtindex::bench {

namespace {

using Clock = std::chrono::steady_clock;

// The choices of a round follow from its seed.
class Choices {
 public:
  explicit Choices(std::uint64_t seed) : engine_(seed) {}
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  [[nodiscard]] std::uint64_t bits() { return engine_(); }
  template <class T>
  [[nodiscard]] const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  // Every order of magnitude up to 2^log2 is as likely.
  [[nodiscard]] std::uint64_t up_to_log2(int log2) {
    const std::uint64_t high = std::uint64_t{1} << below(static_cast<std::uint64_t>(log2) + 1);
    return high + below(high);
  }

 private:
  std::mt19937_64 engine_;
};

RankedColumn random_column(Choices& choices, int bits, int max_log2) {
  const std::uint64_t rows = choices.up_to_log2(max_log2 - 1);
  const std::uint64_t repeats = choices.below(3) == 0 ? 1 + choices.below(8) : 1;
  RankedColumn column{.rows = rows,
                      .repeats = repeats,
                      .rank_of = Permutation(rows, choices.bits()),
                      .start = 0,
                      .stride = 2,
                      .cluster = rows,
                      .gap = 0,
                      .bend = 0};
  const std::uint64_t keys = column.distinct();
  const std::uint64_t last_key = bits == 32 ? (std::uint64_t{1} << 32) - 2 : ~std::uint64_t{1};
  // Each shape uses a part of the span of the keys.
  const std::uint64_t room = last_key / 4 / keys;
  column.stride = 2 + choices.below(room > 1 ? choices.below(room) + 1 : 1);
  if (choices.below(2) == 0) {
    column.cluster = 1 + choices.below(keys);
    column.gap = choices.below(last_key / 4 / (keys / column.cluster + 1) + 1);
  }
  if (choices.below(3) == 0) column.bend = choices.below(last_key / 4 / keys / keys + 1);
  const std::uint64_t span = column.distinct_key(keys - 1);
  column.start = choices.below(last_key - span + 1);
  return column;
}

std::string random_spec(Choices& choices, bool on_gpu) {
  const std::string device = on_gpu ? "@cuda" : "@cpu";
  const std::string index = choices.pick(
      std::vector<std::string>{"rx:native", "rx:native", "sorted", "btree", "hash", "rx:native"});
  std::string spec = index + device;
  if (!on_gpu && index != "hash" && choices.below(2) == 0)
    spec += ",order=" + choices.pick(std::vector<std::string>{"on", "off", "auto"});
  return spec;
}

struct Setting {
  bool on_gpu = false;
  int rows_log2 = 26;
  int lookups_log2 = 22;
};

// The arrays of one batch; only some of them are requested.
struct Batch {
  Batch(ExecutionSpace& space, int bits, std::size_t most)
      : lower(space, bits, most),
        upper(space, bits, most),
        any(space, most),
        first(space, most),
        count(space, most),
        sum(space, most),
        min(space, most),
        max(space, most),
        wrong(space, 1) {}

  KeyArray lower, upper;
  WorkloadArray<std::uint32_t> any, first, count;
  WorkloadArray<std::uint64_t> sum, min, max;
  WorkloadArray<unsigned long long> wrong;
};

enum class BatchKind : std::uint8_t { points, ranges, neighbours };

class Round {
 public:
  Round(ExecutionSpace& space, const Setting& setting, std::uint64_t seed)
      : space_(space),
        setting_(setting),
        choices_(seed),
        bits_(choices_.below(2) == 0 ? 32 : 64),
        column_(random_column(choices_, bits_, setting.rows_log2)),
        spec_(random_spec(choices_, setting.on_gpu)),
        keys_(space, bits_, column_.rows),
        values_(space, column_.rows),
        includes_(!spec_.starts_with("hash") && choices_.below(2) == 0),
        end_rank_(column_.rows) {
    space_.run(FillKeys<RankedColumn>{column_, keys_.data()}, column_.rows);
    space_.run(FillRanks{column_, values_.data()}, column_.rows);
    space_.wait();
    if (choices_.below(2) == 0)
      end_rank_ -= choices_.below(std::min(column_.rows / 8, max_erased) + 1);
    for (std::uint64_t rank = end_rank_; rank < column_.rows; ++rank)
      doomed_.push_back(static_cast<std::uint32_t>(column_.rank_of.inverse(rank)));
    std::ranges::sort(doomed_);
  }

  [[nodiscard]] std::string text() const {
    return fmt::format("{} over {} rows of {} bits, {} each, {} erased{}", spec_, column_.rows,
                       bits_, column_.repeats, doomed_.size(),
                       includes_ ? ", included values" : "");
  }

  // Builds over some rows, inserts the others, changes rows in between and queries until `is_over`;
  // returns how many answers were checked.
  template <class IsOver>
  [[nodiscard]] std::uint64_t run(IsOver&& is_over) {
    const std::size_t rows = column_.rows;
    const std::size_t built = choices_.below(2) == 0 ? rows : 1 + choices_.below(rows);
    Index index = build(keys_.slice(0, built), spec_, {.include = included(0, built)});
    change(index, 0, built);
    for (std::size_t first = built; first < rows;) {
      const std::size_t more = 1 + choices_.below(rows - first);
      index.insert(keys_.slice(first, more), included(first, more));
      change(index, first, first + more);
      first += more;
    }
    Batch batch(space_, bits_, std::size_t{1} << setting_.lookups_log2);
    std::uint64_t checked = 0;
    // Large columns take longer to build, and are queried more.
    const std::uint64_t batches = 4 + std::min<std::uint64_t>(rows >> 16, 60);
    for (std::uint64_t i = 0; i < batches && !is_over(); ++i)
      checked += answer(index, batch, i == 0 ? random_filter() : Filter());
    return checked;
  }

 private:
  // The search for a neighbour passes the rows between that cannot match.
  static constexpr std::uint64_t max_erased = std::uint64_t{1} << 10;
  static constexpr std::uint64_t max_passed = std::uint64_t{1} << 24;

  // The rows with ranks from `first` to `end`, as a row bitmap; without bits all rows.
  struct Filter {
    std::uint64_t first = 0;
    std::uint64_t end = ~std::uint64_t{0};
    WorkloadArray<std::uint8_t> bits;
  };

  [[nodiscard]] Filter random_filter() {
    constexpr int max_log2 = 22;
    Filter filter{.first = choices_.below(column_.rows)};
    filter.end = std::min(filter.first + choices_.up_to_log2(max_log2), column_.rows);
    std::vector<std::uint8_t> bits(bitmap_bytes(column_.rows));
    for (std::uint64_t rank = filter.first; rank < filter.end; ++rank) {
      const std::uint64_t row = column_.rank_of.inverse(rank);
      bits[row / 8] = static_cast<std::uint8_t>(bits[row / 8] | 1U << (row % 8));
    }
    filter.bits = WorkloadArray<std::uint8_t>(space_, bits.size());
    space_.copy_from_host(filter.bits.data(), bits.data(), bits.size());
    return filter;
  }

  [[nodiscard]] IncludedColumns included(std::size_t first, std::size_t count) const {
    if (!includes_) return {};
    return view_of(values_).slice(first, count);
  }

  // Gives some rows other keys and values and then their own again, and erases those of the last
  // ranks among the rows [first, end), which are new.
  void change(Index& index, std::size_t first, std::size_t end) {
    std::vector<std::uint32_t> rows;
    const std::uint64_t start = choices_.below(end);
    const std::uint64_t count = choices_.up_to_log2(12);
    for (std::uint64_t row = start; row < std::min<std::uint64_t>(end, start + count); ++row)
      if (column_.rank_of(row) < end_rank_) rows.push_back(static_cast<std::uint32_t>(row));
    for (const std::uint64_t shift : {1 + choices_.below(column_.rows), column_.rows}) {
      update(index, rows, shift);
      if (includes_) set_included(index, rows, shift);
    }
    const auto from = std::ranges::lower_bound(doomed_, first);
    const auto to = std::ranges::lower_bound(doomed_, end);
    if (from != to) index.erase(std::vector<std::uint32_t>(from, to));
  }

  // The row whose key and value a row gets; its own for a shift by all rows.
  [[nodiscard]] std::uint64_t shifted(std::uint32_t row, std::uint64_t shift) const {
    return (row + shift) % column_.rows;
  }
  void update(Index& index, const std::vector<std::uint32_t>& rows, std::uint64_t shift) const {
    std::vector<std::uint64_t> keys;
    for (const std::uint32_t row : rows) keys.push_back(column_(shifted(row, shift)));
    if (bits_ == 64)
      index.update(rows, keys);
    else
      index.update(rows, std::vector<std::uint32_t>(keys.begin(), keys.end()));
  }
  void set_included(Index& index, const std::vector<std::uint32_t>& rows,
                    std::uint64_t shift) const {
    std::vector<std::uint32_t> values;
    for (const std::uint32_t row : rows)
      values.push_back(static_cast<std::uint32_t>(column_.rank_of(shifted(row, shift))));
    index.set_included(rows, values);
  }

  [[nodiscard]] std::uint64_t answer(const Index& index, const Batch& batch, const Filter& filter) {
    const bool only_points = spec_.starts_with("hash");
    const auto kind = only_points ? BatchKind::points : static_cast<BatchKind>(choices_.below(3));
    std::size_t count =
        choices_.below(4) == 0 ? 1 + choices_.below(batch.any.size()) : batch.any.size();
    if (kind == BatchKind::neighbours && !filter.bits.empty())
      count = std::min<std::size_t>(count, max_passed / column_.rows + 1);
    const std::uint64_t longest = kind == BatchKind::ranges ? choices_.up_to_log2(6) : 0;
    const RankedDraw draw{column_, choices_.bits(), longest};
    space_.run(DrawRanked{draw, batch.lower.data(),
                          kind == BatchKind::ranges ? batch.upper.data() : KeyData{}},
               count);

    // One to three kinds of answers at once.
    Outputs outputs{.memory_space = space_.memory()};
    CheckRanked check{
        draw,         kind == BatchKind::neighbours,  {}, {}, {}, {}, {}, {}, batch.wrong.data(),
        filter.first, std::min(filter.end, end_rank_)};
    std::uint64_t answers = 0;
    const auto request = [&](auto* memory, auto& output, auto& checked) {
      space_.poison(memory, count * sizeof(*memory));
      output = memory;
      checked = memory;
      ++answers;
    };
    const std::uint64_t choice = choices_.below(64);
    if (choice % 2 == 0) request(batch.any.data(), outputs.any, check.any);
    if (choice % 3 == 0) request(batch.first.data(), outputs.first, check.first);
    if (choice % 5 == 0) request(batch.count.data(), outputs.count, check.count);
    if (choice % 7 == 0) request(batch.sum.data(), outputs.sum, check.sum);
    if (choice % 11 == 0) request(batch.min.data(), outputs.min, check.min);
    if (choice % 13 == 0) request(batch.max.data(), outputs.max, check.max);
    if (answers == 0) request(batch.any.data(), outputs.any, check.any);

    const bool passes_values = needs_values(outputs) && !includes_;
    const AnswerOptions options{.values = passes_values ? view_of(values_) : ColumnView()};
    const ColumnView lower = batch.lower.slice(0, count);
    Query query = Query::equal(lower);
    if (kind == BatchKind::ranges) query = Query::range(lower, batch.upper.slice(0, count));
    if (kind == BatchKind::neighbours) query = Query::nearest(lower);
    if (!filter.bits.empty())
      query = query.with_filter(
          {.bits = filter.bits.data(), .rows = column_.rows, .memory_space = space_.memory()});
    index.answer_into(query, options, outputs);

    const unsigned long long none = ~0ULL;
    space_.copy_from_host(batch.wrong.data(), &none, sizeof(none));
    space_.run(check, count);
    const unsigned long long wrong = batch.wrong.to_host()[0];
    if (wrong != none) fail(draw, wrong, kind);
    return answers * count;
  }

  static bool needs_values(const Outputs& outputs) {
    return outputs.sum != nullptr || outputs.min != nullptr || outputs.max != nullptr;
  }
  [[noreturn]] void fail(const RankedDraw& draw, std::uint64_t number, BatchKind kind) const {
    const RankedLookup drawn = draw(number);
    throw Error(fmt::format("{}: wrong answer of lookup {} ({}, kind {})", text(), number,
                            drawn.lower == drawn.upper
                                ? fmt::format("key {}", drawn.lower)
                                : fmt::format("{} to {}", drawn.lower, drawn.upper),
                            static_cast<int>(kind)));
  }

  ExecutionSpace& space_;
  Setting setting_;
  Choices choices_;
  int bits_;
  RankedColumn column_;
  std::string spec_;
  KeyArray keys_;
  WorkloadArray<std::uint32_t> values_;
  bool includes_;
  std::uint64_t end_rank_;             // rows with this rank and greater ones are erased ...
  std::vector<std::uint32_t> doomed_;  // ... which are these, ascending
};

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
}

int run(int argc, char** argv) {
  Setting setting;
  double minutes = 1;
  std::uint64_t only_seed = 0;
  std::string records_path;
  CLI::App app("Checks random lookups and changes until the time is over");
  app.add_option("--minutes", minutes, "how long")->capture_default_str();
  app.add_flag("--gpu", setting.on_gpu, "on the GPU, generated and checked there");
  app.add_option("--seed", only_seed, "repeat the round of this seed alone");
  add_log2(app, "--rows", setting.rows_log2, 28, "rows of the largest columns");
  add_log2(app, "--lookups", setting.lookups_log2, 27, "lookups of a batch");
  add_records(app, records_path);
  CLI11_PARSE(app, argc, argv);

  PeerRecords records(
      records_path, "soak",
      fmt::format("bench_soak --minutes {} --rows {} --lookups {}{}", minutes, setting.rows_log2,
                  setting.lookups_log2, setting.on_gpu ? " --gpu" : ""));
  ExecutionSpaces spaces;
  ExecutionSpace& space = spaces.for_spec(Spec(setting.on_gpu ? "sorted@cuda" : "sorted@cpu"));
  std::random_device device;
  const auto start = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const auto is_over = [&] { return only_seed == 0 && seconds() >= minutes * 60; };
  std::uint64_t checked = 0;
  std::uint64_t rounds = 0;
  double next_line = 0;
  while (rounds == 0 || (only_seed == 0 && !is_over())) {
    const std::uint64_t seed =
        only_seed != 0 ? only_seed : (static_cast<std::uint64_t>(device()) << 31 ^ device()) | 1;
    try {
      Round round(space, setting, seed);
      checked += round.run(is_over);
    } catch (const Error& error) {
      fmt::print(stderr, "bench_soak{} --rows {} --lookups {} --seed {}\n",
                 setting.on_gpu ? " --gpu" : "", setting.rows_log2, setting.lookups_log2, seed);
      throw;
    }
    ++rounds;
    if (seconds() >= next_line) {
      fmt::print("{:7.0f} s  {:6} rounds  {:.3e} answers  {:6} MiB resident\n", seconds(), rounds,
                 static_cast<double>(checked), resident_bytes() >> 20);
      std::fflush(stdout);
      next_line = seconds() + 10;
    }
  }
  fmt::print("{} answers checked in {} rounds, {:.0f} s; no difference\n", checked, rounds,
             seconds());
  const nlohmann::json workload = {{"rounds", rounds}, {"seconds", std::llround(seconds())}};
  const std::string where = setting.on_gpu ? "cuda" : "cpu";
  records.add(where, workload, "answers_checked", static_cast<double>(checked));
  records.add(where, workload, "resident_mib", static_cast<double>(resident_bytes() >> 20));
  return 0;
}

}  // namespace

}  // namespace rtindex::bench

int main(int argc, char** argv) {
  return rtindex::bench::run_program(rtindex::bench::run, argc, argv);
}
