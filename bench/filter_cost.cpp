// The time of box queries in C++, for python/bench/filters.py, which compares them with the filters
// of other libraries: it starts this program over the same columns, and all take turns.
//
//   bench_filter_cost COLUMN.npy...
//
// Lines on standard input: "boxes COUNT", then a line for each box with the lower and the upper end
// in every column, sets the boxes. "count COUNT" and "rows COUNT" answer the first COUNT boxes one
// by one, "batch COUNT" counts the rows of all of them in one call. Each prints the number of rows.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "column_files/column_file.hpp"

namespace rtindex::bench {

namespace {

Index index_of(const std::vector<std::string>& files) {
  std::vector<LoadedColumn> columns;
  for (const std::string& file : files) columns.push_back(load(ColumnFile{.path = file}));
  std::vector<ColumnView> views;
  for (const LoadedColumn& column : columns) views.push_back(column.view());
  return build(ColumnView::points(std::move(views)), "rx:native@cpu");
}

class FilterServer {
 public:
  explicit FilterServer(const std::vector<std::string>& files)
      : index_(index_of(files)), lower_(files.size()), upper_(files.size()) {}

  void serve() {
    std::string command;
    std::size_t count = 0;
    while (std::cin >> command >> count) {
      if (command == "boxes") {
        read_boxes(count);
        continue;
      }
      std::cout << (command == "rows" ? list(count)
                                      : count_rows(count, command == "batch" ? count : 1))
                << std::endl;
    }
  }

 private:
  void read_boxes(std::size_t count) {
    for (auto* const ends : {&lower_, &upper_})
      for (std::vector<std::int32_t>& column : *ends) column.resize(count);
    for (std::size_t box = 0; box < count; ++box)
      for (std::size_t c = 0; c < lower_.size(); ++c) std::cin >> lower_[c][box] >> upper_[c][box];
    counts_.resize(count);
    // Room for all rows of the largest box, as a caller has who reuses a buffer.
    std::uint32_t most = 0;
    count_rows(count, count);
    for (const std::uint32_t rows : counts_) most = std::max(most, rows);
    rows_.resize(most);
  }

  // Boxes [first, first + count).
  [[nodiscard]] Query query(std::size_t first, std::size_t count) const {
    std::vector<Condition> conditions;
    conditions.reserve(lower_.size());
    for (std::size_t c = 0; c < lower_.size(); ++c)
      conditions.push_back(Condition::range(std::span(lower_[c]).subspan(first, count),
                                            std::span(upper_[c]).subspan(first, count)));
    return Query::box(std::move(conditions));
  }

  std::uint64_t count_rows(std::size_t boxes, std::size_t batch) {
    for (std::size_t box = 0; box < boxes; box += batch)
      index_.answer_into(query(box, batch), {}, {.count = counts_.data() + box});
    std::uint64_t all = 0;
    for (std::size_t box = 0; box < boxes; ++box) all += counts_[box];
    return all;
  }

  std::uint64_t list(std::size_t boxes) {
    std::uint64_t all = 0;
    for (std::size_t box = 0; box < boxes; ++box) {
      std::uint64_t offsets[2];
      index_.answer_into(query(box, 1), {},
                         {.offsets = offsets, .rows = rows_.data(), .rows_capacity = rows_.size()});
      all += offsets[1];
    }
    return all;
  }

  Index index_;
  std::vector<std::vector<std::int32_t>> lower_, upper_;  // of the boxes, by column
  std::vector<std::uint32_t> counts_, rows_;
};

}  // namespace

}  // namespace rtindex::bench

int main(int count, char** arguments) {
  try {
    if (count < 3) throw rtindex::Error("usage: bench_filter_cost COLUMN.npy COLUMN.npy...");
    rtindex::bench::FilterServer({arguments + 1, arguments + count}).serve();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
