// Compiled by ../dangling.sh, one case at a time. Cases below 10 must be a warning.

#include <rtindex/rtindex.hpp>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace rtindex;

std::vector<int> make_vector();
std::vector<std::string> make_strings();

void run(Index& index, const std::vector<int>& keys, const int* pointer) {
#if CASE == 1
  ColumnView view = make_vector();
  static_cast<void>(index.lookup(view));
#elif CASE == 2
  AnswerOptions options{.answers = Answer::sum, .values = make_vector()};
  static_cast<void>(index.lookup(keys, options));
#elif CASE == 3
  BuildOptions options{.include = make_vector()};
  static_cast<void>(build(keys, {}, options));
#elif CASE == 4
  ColumnView view = make_strings();
  static_cast<void>(index.lookup(view));
#elif CASE == 5
  ColumnView view = std::array{1, 2, 3};
  static_cast<void>(index.lookup(view));
#elif CASE == 6
  ColumnView rows = index.lookup(keys).any();
  static_cast<void>(index.lookup(rows));
#elif CASE == 7
  ColumnView view = std::string_view("Ulm");
  static_cast<void>(index.lookup(view));
#elif CASE == 8
  ColumnView view = "Ulm";
  static_cast<void>(index.lookup(view));
#elif CASE == 9
  ColumnView view = std::array{"Ulm", "Bonn"};
  static_cast<void>(index.lookup(view));
#elif CASE == 10
  static_cast<void>(build(make_vector()));
  static_cast<void>(build(make_vector(), "sorted", {.include = make_vector()}));
#elif CASE == 11
  static_cast<void>(index.lookup(std::vector{1}));
  static_cast<void>(index.lookup(make_vector(), Answer::sum, make_vector()));
  static_cast<void>(index.lookup(keys, {.answers = Answer::sum, .values = make_vector()}));
  static_cast<void>(index.range(make_vector(), std::array{1, 2}));
  index.update(std::vector<unsigned>{0}, make_vector());
#elif CASE == 12
  ColumnView view = keys;
  static_cast<void>(index.lookup(view));
#elif CASE == 13  // a span does not own its elements
  ColumnView view = std::span(pointer, 3);
  AnswerOptions options{.answers = Answer::sum, .values = std::span(pointer, 3)};
  static_cast<void>(index.lookup(view, options));
#elif CASE == 14  // accessors of a temporary own what they return
  const auto rows = index.lookup({29, 5}).any();
  for (const std::uint32_t row : index.lookup(29, Answer::rows).rows(0)) static_cast<void>(row);
  const std::vector<std::int64_t> sums =
      index.lookup(keys, Answer::sum, keys).sum_as<std::int64_t>();
  const Answers answers = index.lookup(keys);
  const std::span<const std::uint32_t> view = answers.any();
  static_cast<void>(rows), static_cast<void>(sums), static_cast<void>(view);
#elif CASE == 15
  static_cast<void>(index.lookup("Ulm"));
  static_cast<void>(index.range(std::string_view("a"), "b"));
  static_cast<void>(index.lookup(std::array{"Ulm", "Bonn"}));
  const char* const name = "Ulm";
  ColumnView view = name;
  static_cast<void>(index.lookup(view));
#elif CASE == 20
  static_cast<void>(index.nearest(keys, {}, Answer::key).keys());
#elif CASE == 21
  static_cast<void>(index.lookup(keys, Answer::bitmap).bitmap());
#else
#error "unknown case"
#endif
  static_cast<void>(keys), static_cast<void>(pointer);
}
