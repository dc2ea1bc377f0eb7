#include "claims/claims.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <rtindex/error.hpp>

#include "claims/pages.hpp"
#include "experiments/experiments.hpp"
#include "harness/records.hpp"
#include "support/temporary_folder.hpp"

namespace rtindex::bench {
namespace {

using F = Figures;

TEST(Published, EveryRecordBelongsToAnExperimentAndCitesItsSource) {
  ASSERT_GT(published_records().size(), 1000U);
  std::set<std::string> gpus;
  for (const Record& record : published_records()) {
    const Experiment& experiment = experiment_named(record.experiment);
    EXPECT_TRUE(std::any_of(experiment.metrics.begin(), experiment.metrics.end(),
                            [&](const Metric& metric) { return metric.name == record.metric; }))
        << record.experiment << ' ' << record.metric;
    EXPECT_TRUE(record.source.starts_with("RTIndeX, PVLDB 16, ")) << record.source;
    EXPECT_TRUE(record.ok());
    gpus.insert(record.machine.value("gpu", ""));
  }
  EXPECT_EQ(gpus, (std::set<std::string>{"RTX 2080 Ti", "RTX 3090", "RTX 4090", "RTX A6000"}));
}

// The printed tables of the paper, from the records.
TEST(Published, AgreesWithThePrintedTables) {
  const F f = published_figures("RTX 4090");
  const auto near = [](const Quantity& quantity, double printed, double slack) {
    ASSERT_TRUE(quantity.has_value());
    EXPECT_NEAR(*quantity, printed, slack);
  };
  near(f.value("range-rays", "RX", "from zero", F::at(8), "lookup_ms"), 10196, 0.5);
  near(f.value("range-rays", "RX", "from offset", F::at(2), "lookup_ms"), 197, 0.5);
  near(f.value("memory", "RX", "", F::at("2^26 keys"), "resident_bytes"), 2.78e9, 1e7);
  near(f.value("memory", "SA", "", F::at("2^26 keys"), "build_overhead_bytes"), 0.81e9, 1e7);
  near(f.value("updates", "RX", "swap adjacent positions", F::at("refit, 2^12"), "lookup_ms"),
       5361.3, 0.1);
  near(f.value("updates", "RX", "swap adjacent keys", F::at("rebuild"), "update_ms"), 126.5, 0.2);
}

TEST(Claims, AreDecidedByThePublishedFigures) {
  const F f = published_figures("RTX 4090");
  for (const Claim& claim : claims()) {
    SCOPED_TRACE(claim.sentence);
    // Of these the paper gives no numbers.
    const std::set<std::string> unnumbered = {
        "The magnitude of coordinates does not matter.",
        "Below 2^20 lookups a sort costs the same.",
        "After a refit that moves keys far, lookups read the caches immensely more.",
        "After one that moves keys by one, barely more.",
        "Of memory they read about as much after either.",
        "Both read more than the hash table and the sorted array."};
    EXPECT_NE(claim.published(f).has_value(), unnumbered.contains(claim.sentence));
  }
}

TEST(Claims, SayWhereTheyWereDecided) {
  for (const Claim& claim : claims())
    if (claim.sentence.starts_with("After a refit that moves keys far, lookups are")) {
      EXPECT_EQ(claim.measured_at(published_figures("RTX 4090")), "2^12");
      EXPECT_EQ(claim.measured_at(Figures("m", {})), "");
    }
}

TEST(Claims, StandInTheOrderOfThePaper) {
  std::vector<std::string> sections;
  for (const Claim& claim : claims())
    if (sections.empty() || sections.back() != claim.section) sections.push_back(claim.section);
  EXPECT_EQ(sections, (std::vector<std::string>{"3.2", "3.3", "3.4", "3.5", "3.6", "4.2", "4.3",
                                                "4.4", "4.5", "4.6", "4.7", "4.8", "4.9", "4.10"}));
}

// Where the published data are at odds with the text, the verdict follows the data.
TEST(Claims, OfThePaperThatItsDataContradict) {
  const F f = published_figures("RTX 4090");
  for (const Claim& claim : claims())
    if (claim.sentence == "Unsorted, the hash table gains nothing from misses.") {
      EXPECT_EQ(verdict(claim, f).text, "contradicted");
    }
}

Record record(const std::string& series, double x, double value, const std::string& cpu = "C") {
  return {.experiment = "hit-rate",
          .index = series,
          .series = series,
          .x = x,
          .metric = "lookup_ms",
          .value = value,
          .scale = "laptop",
          .elapsed_s = 30,
          .machine = {{"cpu", cpu}}};
}

const Claim& miss_claim() {
  for (const Claim& claim : claims())
    if (claim.sentence.starts_with("RX gets up to three times")) return claim;
  throw std::logic_error("the claim is gone");
}

TEST(Claims, FollowTheRecords) {
  const auto verdict_of = [](std::vector<Record> records) {
    return verdict(miss_claim(), Figures("m", std::move(records))).text;
  };
  EXPECT_EQ(verdict_of({record("rx:embree", 1, 30), record("rx:embree", 0, 10)}), "supported");
  EXPECT_EQ(verdict_of({record("rx:embree", 1, 10), record("rx:embree", 0, 10)}), "contradicted");
}

TEST(Claims, SayWhyTheyAreNotDecided) {
  const auto text_of = [](std::vector<Record> records) {
    return verdict(miss_claim(), Figures("m", std::move(records))).text;
  };
  EXPECT_EQ(text_of({record("rx:embree", 1, 30)}), "not measured: this scale has no such point");
  EXPECT_EQ(text_of({record("rx:native", 1, 30), record("rx:native", 0, 10)}),
            "not applicable: rx:native casts no rays; measure rx:embree or rx:optix");
  EXPECT_EQ(text_of({record("hash", 1, 30)}), "not measured: no records of rx:embree or rx:optix");
  Record late = record("rx:embree", 0, 10);
  late.status = "timed out";
  late.value = {};
  EXPECT_EQ(text_of({record("rx:embree", 1, 30), late}), "not measured: rx:embree timed out");
  Record other = record("rx:embree", 1, 30);
  other.experiment = "keys";
  const Verdict missing = verdict(miss_claim(), Figures("m", {other}));
  EXPECT_EQ(missing.text, "not measured: no records of hit-rate");
  EXPECT_EQ(missing.missing, "hit-rate");
  EXPECT_FALSE(missing.has_records);
}

TEST(Claims, AboutHardwareNeedHardware) {
  for (const Claim& claim : claims())
    if (claim.about == About::rt_cores) {
      EXPECT_EQ(verdict(claim, Figures("m", {record("rx:embree", 1, 30)})).text,
                "not testable without RT cores");
    }
}

TEST(Claims, UseTheLeastDisturbedRun) {
  Record hits = record("rx:embree", 1, 50);
  hits.runs = {30, 31, 89};
  Record misses = record("rx:embree", 0, 20);
  misses.runs = {10, 30, 20};
  const Quantity quantity = miss_claim().quantity(Figures("m", {hits, misses}));
  EXPECT_DOUBLE_EQ(quantity.value(), 3);
}

TEST(Pages, HaveOneColumnPerMachine) {
  const test::TemporaryFolder folder;
  for (const std::string name : {"one", "two"}) {
    std::filesystem::create_directories(folder.path() / name);
    std::ofstream file(folder.path() / name / "hit-rate.jsonl");
    for (const Record& each : {record("rx:embree", 1, 30, name), record("rx:embree", 0, 10, name)})
      file << to_json(each).dump() << '\n';
  }
  const std::string table = claim_table(folder.path());
  for (const char* part : {"one, laptop", "two, laptop", "| 3.00 | supported | 3.00 | supported |"})
    EXPECT_NE(table.find(part), std::string::npos) << part << "\n" << table;
  const std::string figures = figure_table(folder.path());
  for (const std::string name : {"one", "two"}) {
    const std::string file = (folder.path() / name / "hit-rate.jsonl").string();
    EXPECT_NE(figures.find("| 1.0, `" + file + "` |"), std::string::npos) << figures;
  }
  EXPECT_EQ(figures.find("bench keys"), std::string::npos) << "this was not measured";
  EXPECT_EQ(table.find("The key modes are"), std::string::npos) << "this was not measured";
  EXPECT_NE(table.find("\nOther claims need `rtindex bench key-modes`"), std::string::npos);
  // The folder of one machine is valid as well; one without records is an error.
  EXPECT_NE(claim_table(folder.path() / "two" / "").find("| two, laptop | verdict |\n"),
            std::string::npos);
  std::filesystem::create_directories(folder.path() / "two" / "none");
  EXPECT_THROW(static_cast<void>(claim_table(folder.path() / "two" / "none")), Error);
}

TEST(Pages, AreWrittenBetweenTheirMarkers) {
  const std::string page = "a\n<!-- x -->\nold\n<!-- end of x -->\nb\n";
  EXPECT_EQ(with_block(page, "x", "new\n"), "a\n<!-- x -->\nnew\n<!-- end of x -->\nb\n");
  EXPECT_THROW((void)with_block(page, "y", ""), Error);
}

}  // namespace
}  // namespace rtindex::bench
