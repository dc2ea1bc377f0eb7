#include "cli/demo/demo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "cli/progress.hpp"
#include "cli/table.hpp"

namespace rtindex::cli {

namespace {

constexpr std::uint64_t seed = 20230830;
constexpr double hits_per_range = 16;
constexpr double batch_seconds = 1.5;  // slow indexes answer fewer lookups, to stay below
constexpr std::size_t pilot_lookups = std::size_t{1} << 12;

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// "1,048,576".
std::string grouped(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3;) text.insert(i -= 3, ",");
  return text;
}

// The column, the lookups and the expected answers.
struct Workload {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> values;
  std::vector<std::uint64_t> points, lower, upper;
  std::vector<std::uint32_t> first_rows;  // expected of the points
  std::vector<std::uint64_t> sums;        // expected of the ranges
};

void choose_lookups(Workload& work, const RaceSize& size, std::mt19937_64& random) {
  work.points.resize(size.points);
  for (std::size_t i = 0; i < size.points; ++i)
    work.points[i] = i % 2 == 0 ? work.keys[random() % work.keys.size()] : random();
  std::shuffle(work.points.begin(), work.points.end(), random);
  const double width = std::min(0x1p63, hits_per_range * 0x1p64 / static_cast<double>(size.rows));
  const auto span = static_cast<std::uint64_t>(width);
  for (std::size_t i = 0; i < size.ranges; ++i) {
    work.lower.push_back(random() % (~std::uint64_t{0} - span));
    work.upper.push_back(work.lower.back() + span - 1);
  }
}

// The expected answers: binary searches in a sorted copy, and prefix sums.
void expect_answers(Workload& work) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted(work.keys.size());
  for (std::uint32_t row = 0; row < sorted.size(); ++row) sorted[row] = {work.keys[row], row};
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint64_t> running(sorted.size() + 1, 0);
  for (std::size_t i = 0; i < sorted.size(); ++i)
    running[i + 1] = running[i] + work.values[sorted[i].second];
  for (const std::uint64_t key : work.points) {
    const auto found =
        std::lower_bound(sorted.begin(), sorted.end(), std::pair{key, std::uint32_t{0}});
    const bool hit = found != sorted.end() && found->first == key;
    work.first_rows.push_back(hit ? found->second : miss_row);
  }
  for (std::size_t i = 0; i < work.lower.size(); ++i) {
    const auto begin =
        std::lower_bound(sorted.begin(), sorted.end(), std::pair{work.lower[i], std::uint32_t{0}});
    const auto end = std::upper_bound(begin, sorted.end(), std::pair{work.upper[i], miss_row});
    const std::uint64_t sum = running[static_cast<std::size_t>(end - sorted.begin())] -
                              running[static_cast<std::size_t>(begin - sorted.begin())];
    work.sums.push_back(begin == end ? MissValues{}.u64 : sum);
  }
}

Workload make_workload(const RaceSize& size) {
  std::mt19937_64 random(seed);
  Workload work;
  work.keys.resize(size.rows);
  std::generate(work.keys.begin(), work.keys.end(), std::ref(random));
  work.values.resize(size.rows);
  for (std::uint32_t& value : work.values) value = static_cast<std::uint32_t>(random());
  choose_lookups(work, size, random);
  expect_answers(work);
  return work;
}

// Every available index, and some options of the paper's scene to compare.
std::vector<std::string> entrants() {
  std::vector<std::string> specs;
  for (const IndexInfo& index : indexes()) {
    if (!index.available) continue;
    specs.push_back(index.spec);
    if (Spec(index.spec).tracer() != "embree") continue;
    for (const char* setting : {"compact=on", "primitive=aabb", "primitive=sphere"})
      specs.push_back(index.spec + "," + setting);
  }
  return specs;
}

struct Batch {
  std::size_t checked = 0;
  double rate = 0;  // lookups a second
};

// Runs answer(count) for all lookups, or for the power of two of them that fits the time.
template <class Expected, class Answer>
Batch run_batch(const std::string& spec, std::span<const Expected> expected, const Answer& answer) {
  const std::size_t pilot = std::min(expected.size(), pilot_lookups);
  if (pilot == 0) return {};
  const double pilot_seconds = seconds_of([&] { answer(pilot); });
  const double fitting = batch_seconds / std::max(pilot_seconds, 1e-9) * static_cast<double>(pilot);
  const std::size_t count = fitting >= static_cast<double>(expected.size())
                                ? expected.size()
                                : std::bit_floor(static_cast<std::size_t>(fitting) | pilot);
  std::vector<Expected> found;
  Batch batch{count, 0};
  const double seconds = seconds_of([&] { found = answer(count); });
  batch.rate = static_cast<double>(count) / std::max(seconds, 1e-9);
  for (std::size_t i = 0; i < count; ++i)
    if (found[i] != expected[i])
      throw std::runtime_error(fmt::format("{}: wrong answer to lookup {}: expected {}, got {}",
                                           spec, i, expected[i], found[i]));
  return batch;
}

template <class T>
std::span<const T> first(const std::vector<T>& all, std::size_t count) {
  return std::span<const T>(all).first(count);
}

struct Result {
  std::string spec;
  std::string error;  // of the build
  double build_seconds = 0;
  double bytes_per_key = 0;
  Batch points, ranges;
};

Result run(const std::string& spec, const Workload& work, Progress& progress) {
  Result result;
  result.spec = spec;
  progress.rename(spec);
  std::optional<Index> index;
  try {
    result.build_seconds = seconds_of([&] { index = build(work.keys, Spec(spec)); });
  } catch (const Error& error) {
    result.error = error.what();
    progress.advance(3);
    return result;
  }
  result.bytes_per_key =
      static_cast<double>(index->memory_usage().resident) / static_cast<double>(work.keys.size());
  progress.advance();
  if (index->supports(Answer::first, QueryKind::equal))
    result.points = run_batch<std::uint32_t>(spec, work.first_rows, [&](std::size_t count) {
      const Answers answers = index->lookup(first(work.points, count), Answer::first);
      return std::vector<std::uint32_t>(answers.first().begin(), answers.first().end());
    });
  progress.advance();
  if (index->supports(Answer::sum, QueryKind::range))
    result.ranges = run_batch<std::uint64_t>(spec, work.sums, [&](std::size_t count) {
      const Answers answers = index->range(first(work.lower, count), first(work.upper, count),
                                           Answer::sum, work.values);
      const auto sums = answers.sum_as<std::uint64_t>();
      return std::vector<std::uint64_t>(sums.begin(), sums.end());
    });
  progress.advance();
  return result;
}

std::string rate_text(const Batch& batch) {
  return batch.checked == 0 ? "-" : fmt::format("{:.3g}", batch.rate / 1e6);
}

std::string checked_text(const Batch& batch, std::size_t all) {
  if (batch.checked == 0) return "-";
  return grouped(batch.checked) + (batch.checked < all ? "*" : "");
}

void show(const std::vector<Result>& results, const RaceSize& size) {
  Table table({"index", "build ms", "M points/s", "M ranges/s", "bytes/key", "answers checked"});
  std::size_t checked = 0;
  bool shortened = false;
  for (const Result& result : results) {
    if (!result.error.empty()) {
      table.add({result.spec, "-", "-", "-", "-", "-"});
      continue;
    }
    checked += result.points.checked + result.ranges.checked;
    shortened |= result.points.checked < size.points && result.points.checked != 0;
    shortened |= result.ranges.checked < size.ranges && result.ranges.checked != 0;
    table.add({result.spec, fmt::format("{:.0f}", result.build_seconds * 1e3),
               rate_text(result.points), rate_text(result.ranges),
               fmt::format("{:.1f}", result.bytes_per_key),
               fmt::format("{} + {}", checked_text(result.points, size.points),
                           checked_text(result.ranges, size.ranges))});
  }
  fmt::print("{}\n", table.text(2));
  if (shortened) fmt::print("  * fewer lookups than for the others, to keep the demo short\n");
  for (const Result& result : results)
    if (!result.error.empty()) fmt::print("  {}: {}\n", result.spec, result.error);
  fmt::print("  all {} answers correct, checked against a sorted copy of the column\n\n",
             grouped(checked));
}

}  // namespace

void run_race(const RaceSize& size) {
  const std::vector<std::string> specs = entrants();
  fmt::print(
      "{} random 64-bit keys on every available index\n"
      "{} point lookups (half of them hit) return the first row, {} range lookups (about {:.0f}\n"
      "hits each) the sum of a value column.\n\n",
      grouped(size.rows), grouped(size.points), grouped(size.ranges), hits_per_range);
  std::fflush(stdout);
  Progress progress("expected answers", 3 * specs.size() + 1, Progress::on_terminal_only());
  const Workload work = make_workload(size);
  progress.advance();
  std::vector<Result> results;
  results.reserve(specs.size());
  for (const std::string& spec : specs) results.push_back(run(spec, work, progress));
  progress.finish();
  show(results, size);
}

}  // namespace rtindex::cli
