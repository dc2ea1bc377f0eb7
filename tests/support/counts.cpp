#include "support/counts.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#if defined(RTINDEX_HAS_RECORDS)
#include "harness/records.hpp"
#endif

namespace rtindex::test {

namespace {

class Counts final : public testing::Environment {
 public:
  void add(const std::string& kind, const std::string& name, std::uint64_t count) {
    const std::lock_guard lock(mutex_);
    counts_[kind][name] += count;
  }

  void TearDown() override {
    for (const auto& [kind, names] : counts_) {
      std::uint64_t total = 0;
      for (const auto& [name, count] : names) total += count;
      std::printf("%s: %llu\n", kind.c_str(), static_cast<unsigned long long>(total));
    }
    record();
  }

 private:
  void record() const {
#if defined(RTINDEX_HAS_RECORDS)
    const char* const path = std::getenv("RTINDEX_TEST_RECORDS");
    if (path == nullptr) return;
    const std::string program = testing::internal::GetArgvs().front();
    bench::Records records(path, program.substr(program.rfind('/') + 1));
    for (const auto& [kind, names] : counts_)
      for (const auto& [name, count] : names)
        records.add({.experiment = "reliability",
                     .index = "every index",
                     .series = kind,
                     .category = name,
                     .metric = "count",
                     .value = static_cast<double>(count)});
#endif
  }

  std::mutex mutex_;
  std::map<std::string, std::map<std::string, std::uint64_t>> counts_;
};

// googletest owns it, as it does every environment.
Counts& counts_of_program = static_cast<Counts&>(
    *testing::AddGlobalTestEnvironment(new Counts));  // NOLINT(*-owning-memory)

}  // namespace

void add_count(const std::string& kind, const std::string& name, std::uint64_t count) {
  counts_of_program.add(kind, name, count);
}

bool may_take_long() { return std::getenv("RTINDEX_TEST_LONG") != nullptr; }

}  // namespace rtindex::test
