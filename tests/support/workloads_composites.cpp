#include <cmath>
#include <string>

#include "support/workloads.hpp"

namespace rtindex::test {

namespace {

using MakePart = std::function<Part(Random&)>;

MakePart whole(Whole low, Whole high) {
  return [=](Random& random) -> Part { return random.between(low, high); };
}

MakePart one_of(std::vector<Part> choices) {
  return [=](Random& random) { return random.pick(choices); };
}

MakePart text(std::string prefix, std::size_t longest) {
  return [=](Random& random) -> Part {
    std::string result = prefix;
    for (std::size_t length = random.below(longest + 1); length > 0; --length)
      result += static_cast<char>('a' + random.below(3));
    return result;
  };
}

MakePart null_or(std::size_t one_in, MakePart make) {
  return [=](Random& random) -> Part {
    if (random.one_in(one_in)) return std::monostate{};
    return make(random);
  };
}

struct Column {
  Shape shape;
  MakePart make;
};

Workload tuples(std::string name, std::size_t size, std::vector<Column> columns) {
  return {std::move(name), [=](Random& random) {
            Shape shape{Type::composite};
            for (const Column& column : columns) shape.parts.push_back(column.shape);
            std::vector<Key> keys;
            for (std::size_t row = 0; row < size; ++row) {
              keys.emplace_back();
              for (const Column& column : columns) keys.back().push_back(column.make(random));
            }
            return TestColumn(shape, keys);
          }};
}

}  // namespace

std::vector<Workload> composite_workloads() {
  const Whole top = largest_of(Type::u64);
  const Whole low = smallest_of(Type::i64);
  const Whole high = largest_of(Type::i64);
  const Shape string{Type::string};
  const Shape fixed{Type::string, Layout::fixed};
  const MakePart corners = one_of({Whole{0}, Whole{1}, top, top - 1, top / 2});
  const MakePart reals =
      one_of({0.0, -0.0, 1.5, std::nan(""), -INFINITY, 1.0, 1.0 + 0x1p-23, 0x1p-149});
  return {
      tuples("int_string", 500, {{{Type::i32}, whole(-5, 5)}, {string, text("", 12)}}),
      tuples("string_int", 500, {{string, text("item ", 3)}, {{Type::i64}, whole(low, high)}}),
      tuples("long_string_int", 500, {{string, text("item ", 14)}, {{Type::u8}, whole(0, 3)}}),
      tuples("three_small_ints", 700,
             {{{Type::u8}, whole(2, 6)}, {{Type::i16}, whole(-3, 3)}, {{Type::u64}, whole(9, 14)}}),
      tuples("three_wide_ints", 500,
             {{{Type::u32}, whole(0, 4)},
              {{Type::u64}, corners},
              {{Type::i64}, one_of({low, high, Whole{0}, Whole{-1}})}}),
      tuples("three_full_ints", 400,
             {{{Type::u64}, whole(0, top)}, {{Type::u64}, whole(0, top)}, {{Type::u64}, corners}}),
      tuples("constant_then_full", 400,
             {{{Type::u16}, whole(7, 7)}, {{Type::u64}, corners}, {{Type::boolean}, whole(0, 1)}}),
      tuples("float_int", 500, {{{Type::f32}, reals}, {{Type::i8}, whole(-128, 127)}}),
      tuples("date_string_time", 500,
             {{{Type::date32}, whole(0, 3)},
              {fixed, text("s", 10)},
              {{Type::timestamp64}, whole(0, 2)}}),
      tuples("string_string", 500, {{string, text("", 9)}, {fixed, text("", 3)}}),
      tuples("two_bools", 60, {{{Type::boolean}, whole(0, 1)}, {{Type::boolean}, whole(0, 1)}}),
      tuples("one_part", 300, {{{Type::i32}, whole(-200, 200)}}),
      tuples("one_string_part", 300, {{string, text("x", 11)}}),
      tuples("all_equal_tuples", 100, {{{Type::u64}, whole(5, 5)}, {string, text("same", 0)}}),
      tuples("nulls_in_parts", 500,
             {{{Type::i64}, null_or(4, whole(low, high))}, {string, null_or(4, text("", 12))}}),
      tuples("nulls_in_wide_parts", 500,
             {{{Type::u64}, null_or(5, corners)}, {{Type::u64}, null_or(5, corners)}}),
      tuples("never_whole", 50, {{{Type::u8}, null_or(1, whole(0, 1))}, {{Type::u8}, whole(0, 1)}}),
      tuples("one_tuple", 1, {{{Type::u64}, whole(0, top)}, {string, text("", 20)}}),
      tuples("no_tuples", 0, {{{Type::u64}, whole(0, top)}, {string, text("", 20)}}),
  };
}

}  // namespace rtindex::test
