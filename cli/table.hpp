#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace rtindex::cli {

// Text in columns of equal width. A column whose cells are all numbers is aligned to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}

  // Missing cells at the end are empty.
  void add(std::vector<std::string> cells);
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  // Header, a line under it, and the rows; every line indented by `indent` spaces.
  [[nodiscard]] std::string text(std::size_t indent = 0) const;

 private:
  [[nodiscard]] std::size_t width_of(std::size_t column) const;
  [[nodiscard]] bool is_numeric(std::size_t column) const;

  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace rtindex::cli
