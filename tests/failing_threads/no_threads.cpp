// Threads that cannot be started: every call works with those that there are, the caller's at
// least. A program of its own, because oneTBB keeps its threads.

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <numeric>

#include <rtindex/rtindex.hpp>

#include "support/calls.hpp"
#include "support/counts.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace {
std::atomic<unsigned> rejected = 0;
}

extern "C" int pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) noexcept {
  ++rejected;
  return EAGAIN;
}

// oneTBB tries again, for a fifth of a second each time.
extern "C" int usleep(useconds_t) { return 0; }

namespace rtindex::test {
namespace {

std::string one_thread(const std::string& spec) {
  return spec.substr(0, spec.find(",threads=")) + ",threads=1";
}

class NoThreads : public testing::TestWithParam<std::string> {};

TEST_P(NoThreads, EveryCallWorks) {
  std::vector<Whole> numbers(affordable(60'000));
  std::iota(numbers.begin(), numbers.end(), 0);
  const TestColumn column = integers(Type::u64, numbers);
  Index index = build(column.view(), GetParam());
  const Index of_one_thread = build(column.view(), one_thread(GetParam()));
  for (const Call& call : every_call(index, column)) {
    if (call.name == "spec" || call.name == "describe") continue;  // tell the number of threads
    call.make(of_one_thread);
    const Digest expected = call.digest();
    call.make(index);
    EXPECT_EQ(call.digest(), expected) << call.name;
  }
  EXPECT_EQ(index.lookup(column.view(), Answer::first).first().back(), numbers.size() - 1);
  index.insert(column.view());
  index.merge();
  EXPECT_EQ(index.lookup(column.view(), Answer::count).count().back(), 2U);
  add_count("threads that could not be started", GetParam(), rejected.exchange(0));
}

std::vector<std::string> specs_of_several_threads() {
  std::vector<std::string> specs = host_specs();
  for (const std::string& spec : host_specs(",threads=2")) specs.push_back(spec);
  return specs;
}

INSTANTIATE_TEST_SUITE_P(Threads, NoThreads, testing::ValuesIn(specs_of_several_threads()),
                         [](const auto& tested) { return test_name(tested.param); });

}  // namespace
}  // namespace rtindex::test
