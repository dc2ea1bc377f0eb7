#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/record.hpp"

namespace rtindex::bench {

// A measured value, if there is one.
using Quantity = std::optional<double>;

// Why there is no value.
struct Gap {
  // not_applicable: the records are of another kind of index. not_run: the experiment has none.
  enum class Kind : std::uint8_t { not_applicable, not_run, no_index, no_point } kind;
  std::string experiment;
  std::string reason;
};

// The records of one machine at one scale, by the paper's names: RX, HT, B+ and SA. Ours are
// rx:optix or rx:embree (never rx:native), hash, btree and sorted. "sort" is the sort of the
// lookups.
class Figures {
 public:
  Figures(std::string name, std::vector<Record> records);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_gpu() const;
  // Whether the machine traces rays in hardware.
  [[nodiscard]] bool has_rt_cores() const;

  // A point of a series: an x value, a category, or the least or greatest x value measured.
  struct Point {
    enum class Kind : std::uint8_t { number, category, least, greatest } kind = Kind::number;
    double number = 0;
    std::string category = {};
  };
  static Point at(double number) { return {.number = number}; }
  static Point at(std::string category) {
    return {.kind = Point::Kind::category, .category = std::move(category)};
  }
  static Point least() { return {.kind = Point::Kind::least}; }
  static Point greatest() { return {.kind = Point::Kind::greatest}; }

  // The value of the series "INDEX, what" (or "INDEX") at a point. Of several runs it is the best,
  // the one least disturbed by other processes.
  [[nodiscard]] Quantity value(const std::string& experiment, const std::string& index,
                               const std::string& what, const Point& point,
                               const std::string& metric) const;
  // All values of a series, in the order of the records.
  [[nodiscard]] std::vector<double> values(const std::string& experiment, const std::string& index,
                                           const std::string& what,
                                           const std::string& metric) const;

  // Why a value of the series is missing.
  [[nodiscard]] Gap gap(const std::string& experiment, const std::string& index,
                        const std::string& what, const std::string& metric) const;
  // The gap that value() or values() met first since it was reset.
  [[nodiscard]] const std::optional<Gap>& first_gap() const { return first_gap_; }
  void reset_gap() const { first_gap_.reset(); }

 private:
  [[nodiscard]] std::string series(const std::string& index, const std::string& what) const;
  [[nodiscard]] bool has_series(const std::string& label) const;
  void note_gap(const std::string& experiment, const std::string& index, const std::string& what,
                const std::string& metric) const;

  mutable std::optional<Gap> first_gap_;  // a claim is a function of figures that returns a number
  std::string name_;
  std::vector<Record> records_;
  std::map<std::string, std::string> names_;
};

// The published figures of a GPU.
[[nodiscard]] Figures published_figures(const std::string& gpu);

// Our records, machine by machine and scale by scale.
[[nodiscard]] std::vector<Figures> figures_of(const std::vector<Record>& records);

}  // namespace rtindex::bench
