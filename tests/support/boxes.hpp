#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/key.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/test_column.hpp"

// Columns of points, and an oracle that tests every row with every box.
namespace rtindex::test::boxes {

// Makes the values of a column, and those that conditions compare with them.
struct ValueSource {
  std::string name;
  Shape shape;
  std::function<Part(Random&)> make;
  bool has_nulls = false;
  bool is_dictionary = false;
};

[[nodiscard]] ValueSource wholes(const std::string& name, Type type, Whole low, Whole high);
[[nodiscard]] ValueSource texts(const std::string& name, const std::string& beginning);
[[nodiscard]] ValueSource nullable(ValueSource source);
[[nodiscard]] ValueSource dictionary(ValueSource source);
// Many values are equal, a few are far away.
[[nodiscard]] ValueSource skewed();
[[nodiscard]] std::vector<ValueSource> every_source();

using Points = std::vector<std::vector<Part>>;  // rows of values

struct PointTable {
  std::vector<ValueSource> sources;
  Points rows;
  std::vector<bool> erased;

  [[nodiscard]] std::vector<Part> random_row(Random& random) const;
};

// Owns the columns of some points.
class PointColumns {
 public:
  PointColumns(const std::vector<ValueSource>& sources, const Points& rows);
  [[nodiscard]] ColumnView view() const;

 private:
  // `positions`: of the rows of a dictionary column in its values.
  struct Column {
    TestColumn values;
    std::optional<TestColumn> positions;
  };
  std::vector<Column> columns_;
};

[[nodiscard]] PointTable random_points(std::vector<ValueSource> sources, std::size_t size,
                                       Random& random);

// The condition on one column of a batch: unset ends have no column, scalars one element.
struct TestCondition {
  ConditionKind kind = ConditionKind::none;
  Ends ends = Ends::closed;
  std::optional<TestColumn> lower = {}, upper = {};

  [[nodiscard]] Condition condition() const;
  [[nodiscard]] bool matches(const Part& value, std::size_t query) const;
};

struct BoxBatch {
  std::size_t size;
  std::vector<TestCondition> conditions;

  [[nodiscard]] Query query() const;
};

[[nodiscard]] BoxBatch random_boxes(const PointTable& table, std::size_t size, Random& random);
[[nodiscard]] Matches scan(const PointTable& table, const BoxBatch& batch);
[[nodiscard]] TestColumn random_values(std::size_t size, Random& random, bool has_nulls = false);

// Expects every answer. `values`: a value for each row, which the index may include as well.
void expect_answers(const Index& index, const PointTable& table, const TestColumn& values,
                    std::size_t boxes, Random& random);

}  // namespace rtindex::test::boxes
