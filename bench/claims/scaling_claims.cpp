#include "claims/claim_lists.hpp"

namespace rtindex::bench {

namespace {

using F = Figures;

Quantity max_of_classic(const F& f, const std::string& experiment, const F::Point& point,
                        const std::string& metric) {
  return greatest_of({f.value(experiment, "HT", "", point, metric),
                      f.value(experiment, "B+", "", point, metric),
                      f.value(experiment, "SA", "", point, metric)});
}

// Of the experiment `memory`, which has one size at every scale.
Quantity bytes(const F& f, const std::string& index, const std::string& metric = "resident_bytes") {
  return greatest_of({f.value("memory", index, "", F::at("2^26 keys"), metric),
                      f.value("memory", index, "", F::at("2^20 keys"), metric)});
}

std::vector<Claim> size_claims() {
  return {
      claim(
          "4.2", "For few keys RX is the fastest index.", "best classic / RX, fewest keys",
          [](const F& f) {
            return ratio(best_classic(f, "keys", F::least()),
                         f.value("keys", "RX", "", F::least(), "lookup_ms"));
          },
          greater(), About::rt_cores),
      claim(
          "4.2", "For many keys it is slower than the hash table.", "RX / HT, most keys",
          [](const F& f) { return versus(f, "keys", "RX", "HT", F::greatest()); }, greater()),
      claim(
          "4.2", "Larger batches raise the throughput of RX.", "RX: largest / smallest batch",
          [](const F& f) {
            return between(f, "lookups", "RX", F::greatest(), F::least(), "mlookups_per_s");
          },
          greater(), About::gpus),
      claim(
          "4.2", "The throughput saturates at 2^21 lookups.", "RX: 2^21 / most lookups",
          [](const F& f) {
            return between(f, "lookups", "RX", F::at(21), F::greatest(), "mlookups_per_s");
          },
          above(0.8), About::gpus),
      claim(
          "4.2", "Of many lookups on many keys the hash table is the fastest.",
          "best other / HT, most lookups",
          [](const F& f) {
            const auto time = [&](const char* index) {
              return f.value("lookups", index, "", F::greatest(), "lookup_ms");
            };
            return ratio(min_of({time("RX"), time("B+"), time("SA")}), time("HT"));
          },
          greater()),
      claim(
          "4.2", "The build time of RX is linear.", "RX: most keys / half of them",
          [](const F& f) {
            return between(f, "build-time", "RX", F::greatest(), F::least(), "build_ms");
          },
          within(1.7, 2.3)),
      claim(
          "4.2", "RX is the most expensive index to build.", "RX / slowest classic, most keys",
          [](const F& f) {
            return ratio(f.value("build-time", "RX", "", F::greatest(), "build_ms"),
                         max_of_classic(f, "build-time", F::greatest(), "build_ms"));
          },
          greater()),
      claim(
          "4.2", "RX takes about twice the memory of the B+-tree.", "RX / B+",
          [](const F& f) { return ratio(bytes(f, "RX"), bytes(f, "B+")); }, within(1.5, 3)),
      claim(
          "4.2", "It takes more memory than all others while it is built.",
          "overhead of the build: RX / greatest classic",
          [](const F& f) {
            const char* const overhead = "build_overhead_bytes";
            return ratio(bytes(f, "RX", overhead),
                         greatest_of({bytes(f, "HT", overhead), bytes(f, "B+", overhead),
                                      bytes(f, "SA", overhead)}));
          },
          greater()),
  };
}

std::vector<Claim> multiplicity_claims() {
  return {
      claim(
          "4.3", "A match costs RX less when keys repeat.",
          "RX, time per match: unique / most repeated",
          [](const F& f) {
            return between(f, "multiplicity", "RX", F::least(), F::greatest(),
                           "lookup_ms_per_match");
          },
          greater()),
      claim(
          "4.3", "With more than four rows per key RX wins.", "best classic / RX, 2^3 rows",
          [](const F& f) {
            return ratio(best_classic(f, "multiplicity", F::at(3)),
                         f.value("multiplicity", "RX", "", F::at(3), "lookup_ms"));
          },
          greater(), About::rt_cores),
  };
}

}  // namespace

std::vector<Claim> scaling_claims() { return joined({size_claims(), multiplicity_claims()}); }

}  // namespace rtindex::bench
