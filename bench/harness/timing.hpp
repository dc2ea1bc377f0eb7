#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace rtindex::bench {

// Milliseconds of several runs.
struct Times {
  std::vector<double> runs;

  [[nodiscard]] double median() const {
    std::vector<double> sorted = runs;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
  [[nodiscard]] double least() const { return *std::min_element(runs.begin(), runs.end()); }
  [[nodiscard]] double mean() const {
    double sum = 0;
    for (const double run : runs) sum += run;
    return sum / static_cast<double>(runs.size());
  }
};

[[nodiscard]] inline double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  return elapsed.count();
}

// Times several functions in turn, round by round, so that noise affects all of them alike: one
// warm-up each, then `rounds` runs each.
[[nodiscard]] inline std::vector<Times> race(const std::vector<std::function<void()>>& contestants,
                                             int rounds = 5) {
  std::vector<Times> times(contestants.size());
  for (const auto& contestant : contestants) contestant();
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < contestants.size(); ++i)
      times[i].runs.push_back(milliseconds(contestants[i]));
  return times;
}

}  // namespace rtindex::bench
