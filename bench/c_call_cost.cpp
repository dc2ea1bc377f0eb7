// The time of a call through the C interface, compared with the same call in C++: of a large batch,
// and of a single lookup. The two alternate.

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <rtindex/rtindex.h>
#include <CLI/CLI.hpp>
#include <rtindex/rtindex.hpp>

#include "harness/program_options.hpp"
#include "harness/records.hpp"
#include "harness/timing.hpp"

namespace rtindex::bench {

namespace {

void check(rtindex_status status) {
  if (status != RTINDEX_STATUS_OK) throw Error(rtindex_last_error());
}

void release_schema(ArrowSchema*) {}
void release_array(ArrowArray*) {}

// Keys as an Arrow array and as a view.
struct Keys {
  explicit Keys(std::vector<std::uint64_t> values) : elements(std::move(values)) {
    schema.format = "L";
    schema.release = release_schema;
    array.length = static_cast<std::int64_t>(elements.size());
    array.n_buffers = 2;
    array.buffers = buffers;
    array.release = release_array;
    column.struct_size = sizeof(column);
    column.schema = &schema;
    column.array = &array;
  }
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  std::vector<std::uint64_t> elements;
  const void* buffers[2] = {nullptr, elements.data()};
  ArrowSchema schema{};
  ArrowArray array{};
  rtindex_column column{};
};

std::vector<std::uint64_t> random_keys(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> keys(count);
  for (std::uint64_t& key : keys) key = random() % (4 * count);
  return keys;
}

// `repeats` calls at once: one of a single lookup is too short for the clock.
template <class Call>
std::function<void()> repeated(int repeats, const Call& call) {
  return [repeats, &call] {
    for (int i = 0; i < repeats; ++i) call();
  };
}

template <class Cpp, class C>
void compare(PeerRecords& records, const std::string& answers, std::size_t lookups, int rounds,
             int repeats, const Cpp& cpp, const C& c) {
  const std::vector<Times> times = race({repeated(repeats, cpp), repeated(repeats, c)}, rounds);
  const double in_cpp = times[0].median() / repeats * 1000;
  const double in_c = times[1].median() / repeats * 1000;
  fmt::print("{:<16} lookups: {:<9}  C++ {:>12.3f} us   C {:>12.3f} us   {:.4f}x   {:+.3f} us\n",
             answers, lookups, in_cpp, in_c, in_c / in_cpp, in_c - in_cpp);
  const nlohmann::json workload = {{"answers", answers}, {"lookups", lookups}};
  records.add("C++", workload, "call_us", in_cpp);
  records.add("C", workload, "call_us", in_c);
  records.add("C", workload, "times_cpp", in_c / in_cpp);
}

void compare_batches(PeerRecords& records, const rtindex_index* c_index, const Index& index,
                     const Keys& lookups, int rounds, int repeats) {
  const std::size_t count = lookups.elements.size();
  std::vector<std::uint32_t> in_cpp(count), in_c(count);
  const rtindex_query query = rtindex_query_equal(&lookups.column);
  rtindex_outputs outputs{};
  outputs.struct_size = sizeof(outputs);
  outputs.any = in_c.data();
  const auto cpp_into = [&] {
    index.answer_into(Query::equal(lookups.elements), {}, {.any = in_cpp.data()});
  };
  const auto c_into = [&] {
    check(rtindex_answer_into(c_index, &query, nullptr, nullptr, &outputs));
  };
  cpp_into();
  c_into();
  if (in_cpp != in_c) throw Error("the answers in C and in C++ differ");
  compare(records, "into buffers", count, rounds, repeats, cpp_into, c_into);
  const auto cpp_arrays = [&] { static_cast<void>(index.lookup(lookups.elements)); };
  const auto c_arrays = [&] {
    ArrowSchema schema;
    ArrowArray array;
    check(rtindex_answer(c_index, &query, nullptr, nullptr, &schema, &array));
    schema.release(&schema);
    array.release(&array);
  };
  compare(records, "as Arrow arrays", count, rounds, repeats, cpp_arrays, c_arrays);
}

int run(int argc, char** argv) {
  std::string records_path;
  int keys = 22;
  int lookups = 24;
  CLI::App app("The time of a call through the C interface beside the same call in C++");
  add_log2(app, "--keys", keys, 28, "keys of the column");
  add_log2(app, "--lookups", lookups, 28, "lookups of the large batch");
  add_records(app, records_path);
  CLI11_PARSE(app, argc, argv);

  PeerRecords records(records_path, "c-call-cost",
                      fmt::format("bench_c_call_cost --keys {} --lookups {}", keys, lookups));
  const Keys column(random_keys(std::size_t{1} << keys, 1));
  const Keys batch(random_keys(std::size_t{1} << lookups, 2));
  const Keys one({column.elements.front()});
  const Index index = build(column.elements, "rx:native@cpu");
  rtindex_index* c_index = nullptr;
  check(rtindex_build(&column.column, "rx:native@cpu", nullptr, &c_index));
  compare_batches(records, c_index, index, batch, 9, 1);
  compare_batches(records, c_index, index, one, 41, 20'000);
  check(rtindex_free(c_index));
  return 0;
}

}  // namespace

}  // namespace rtindex::bench

int main(int argc, char** argv) {
  return rtindex::bench::run_program(rtindex::bench::run, argc, argv);
}
