#include "claims/lists.hpp"
#include "claims/ratios.hpp"

namespace rtindex::bench {

namespace {

using F = Figures;

// The best time of the classic indexes there.
Quantity best_classic(const F& f, const std::string& experiment, const std::string& what,
                      const F::Place& place, const std::string& metric = "lookup_ms") {
  return least_of({f.value(experiment, "HT", what, place, metric),
                   f.value(experiment, "B+", what, place, metric),
                   f.value(experiment, "SA", what, place, metric)});
}
Quantity most_of_classic(const F& f, const std::string& experiment, const F::Place& place,
                         const std::string& metric) {
  return greatest_of({f.value(experiment, "HT", "", place, metric),
                      f.value(experiment, "B+", "", place, metric),
                      f.value(experiment, "SA", "", place, metric)});
}
// One series of an index at two places.
Quantity between(const F& f, const std::string& experiment, const std::string& index,
                 const F::Place& a, const F::Place& b, const std::string& metric = "lookup_ms") {
  return ratio(f.value(experiment, index, "", a, metric),
               f.value(experiment, index, "", b, metric));
}
// Two indexes at one place.
Quantity versus(const F& f, const std::string& experiment, const std::string& a,
                const std::string& b, const F::Place& place,
                const std::string& metric = "lookup_ms") {
  return ratio(f.value(experiment, a, "", place, metric),
               f.value(experiment, b, "", place, metric));
}

std::vector<Claim> scaling_claims() {
  return {
      claim(
          "4.2", "For few keys RX is the fastest index.", "best classic / RX, fewest keys",
          [](const F& f) {
            return ratio(best_classic(f, "keys", "", F::least()),
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
          "4.2", "RX is the most expensive index to build.", "RX / slowest classic, most keys",
          [](const F& f) {
            return ratio(f.value("build-time", "RX", "", F::greatest(), "build_ms"),
                         most_of_classic(f, "build-time", F::greatest(), "build_ms"));
          },
          greater()),
      claim(
          "4.2", "RX takes about twice the memory of the B+-tree.", "RX / B+",
          [](const F& f) {
            return ratio(
                greatest_of({f.value("memory", "RX", "", F::at("2^26 keys"), "resident_bytes"),
                             f.value("memory", "RX", "", F::at("2^20 keys"), "resident_bytes")}),
                greatest_of({f.value("memory", "B+", "", F::at("2^26 keys"), "resident_bytes"),
                             f.value("memory", "B+", "", F::at("2^20 keys"), "resident_bytes")}));
          },
          above(1.5)),
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
            return ratio(best_classic(f, "multiplicity", "", F::at(3)),
                         f.value("multiplicity", "RX", "", F::at(3), "lookup_ms"));
          },
          greater(), About::rt_cores),
  };
}

constexpr const char* unsorted_both = "unsorted inserts, unsorted lookups";
constexpr const char* sorted_lookups = "unsorted inserts, sorted lookups";
constexpr const char* sorted_inserts = "sorted inserts, unsorted lookups";

std::vector<Claim> order_claims() {
  return {
      claim(
          "4.4", "The order of inserts does not matter to unsorted lookups.",
          "RX: sorted / unsorted inserts",
          [](const F& f) {
            return between(f, "order", "RX", F::at(sorted_inserts), F::at(unsorted_both));
          },
          about_one()),
      claim(
          "4.4", "Sorted lookups are faster on every index.", "least gain of the four",
          [](const F& f) {
            const auto gain = [&](const char* index) {
              return between(f, "order", index, F::at(unsorted_both), F::at(sorted_lookups));
            };
            return least_of({gain("RX"), gain("HT"), gain("B+"), gain("SA")});
          },
          greater()),
      claim(
          "4.4", "Sorting is cheap beside the lookups.", "sort / unsorted lookups of RX",
          [](const F& f) {
            return ratio(f.value("order", "RX", "", F::at(sorted_lookups), "sort_ms"),
                         f.value("order", "RX", "", F::at(unsorted_both), "lookup_ms"));
          },
          below(0.5)),
      claim(
          "4.5", "Many small batches are slower than one large one.", "RX: most batches / one",
          [](const F& f) { return between(f, "batches", "RX", F::greatest(), F::least()); },
          greater(), About::gpus),
  };
}

std::vector<Claim> miss_claims() {
  return {
      claim(
          "4.6", "RX gets up to three times as fast as lookups miss.", "RX: all hit / all miss",
          [](const F& f) { return between(f, "hit-rate", "RX", F::at(1), F::at(0)); }, above(2)),
      claim(
          "4.6", "Of few hits RX is faster than the hash table.", "HT / RX, one in ten hits",
          [](const F& f) { return versus(f, "hit-rate", "HT", "RX", F::at(0.1)); }, greater(),
          About::rt_cores),
      claim(
          "4.6", "Misses outside the key range are faster still.", "RX, all miss: inside / outside",
          [](const F& f) {
            return ratio(f.value("hit-rate", "RX", "", F::at(0), "lookup_ms"),
                         f.value("outside-misses", "RX", "", F::at(0), "lookup_ms"));
          },
          greater()),
      claim(
          "4.6", "The hash table suffers from misses.", "HT: all miss / all hit",
          [](const F& f) { return between(f, "hit-rate", "HT", F::at(0), F::at(1)); }, greater()),
  };
}

constexpr const char* narrow = "32-bit keys";
constexpr const char* wide = "64-bit keys";

std::vector<Claim> key_claims() {
  return {
      claim(
          "4.7", "64-bit keys do not slow RX down.", "RX: 64 / 32 bits",
          [](const F& f) { return between(f, "key-size", "RX", F::at(wide), F::at(narrow)); },
          about_one()),
      claim(
          "4.7", "They slow the hash table and the sorted array down.",
          "lesser slowdown of the two",
          [](const F& f) {
            return least_of({between(f, "key-size", "HT", F::at(wide), F::at(narrow)),
                             between(f, "key-size", "SA", F::at(wide), F::at(narrow))});
          },
          greater()),
      claim(
          "4.7", "RX is as large over 64-bit keys.", "RX, bytes: 64 / 32 bits",
          [](const F& f) {
            return between(f, "key-size", "RX", F::at(wide), F::at(narrow), "resident_bytes");
          },
          about_one()),
      claim(
          "4.8", "Skewed lookups are faster.", "RX: Zipf 0 / 2",
          [](const F& f) { return between(f, "lookup-skew", "RX", F::at(0), F::at(2)); },
          greater()),
      claim(
          "4.8", "Under high skew RX is the fastest index.", "best classic / RX, Zipf 1.5",
          [](const F& f) {
            return ratio(best_classic(f, "lookup-skew", "", F::at(1.5)),
                         f.value("lookup-skew", "RX", "", F::at(1.5), "lookup_ms"));
          },
          greater(), About::rt_cores),
      claim(
          "4.8", "Skewed keys make no difference.", "RX: slowest / fastest share",
          [](const F& f) { return spread(f.values("key-skew", "RX", "", "lookup_ms")); },
          below(1.15)),
  };
}

std::vector<Claim> range_claims() {
  return {
      claim(
          "4.9", "The B+-tree is the best index for wide ranges.",
          "RX / B+, 2^10 hits, or else 2^6",
          [](const F& f) {
            return at_first({10, 6}, [&](int hits_log2) {
              return versus(f, "ranges", "RX", "B+", F::at(hits_log2));
            });
          },
          greater()),
      claim(
          "4.9", "A hit costs RX less in wider ranges.",
          "RX, time per hit: 1 / 2^10 hits, or else 2^6",
          [](const F& f) {
            return at_first({10, 6}, [&](int hits_log2) {
              return between(f, "ranges", "RX", F::at(0), F::at(hits_log2), "lookup_ms_per_hit");
            });
          },
          greater()),
      claim(
          "4.9", "A traversal costs more than an intersection.", "RX, fitted",
          [](const F& f) {
            return ratio(f.value("ranges", "RX", "", F::at("fit"), "traversal_ms"),
                         f.value("ranges", "RX", "", F::at("fit"), "intersect_ms"));
          },
          greater()),
  };
}

Claim hardware_claim() {
  return claim(
      "4.10", "From Turing to Ada RX gained more than the hash table (unsorted lookups).",
      "gain of RX / gain of HT, RTX 2080 Ti to this GPU",
      [](const F& f) -> Quantity {
        if (!f.has_rt_cores()) return std::nullopt;
        const F old = published_figures("RTX 2080 Ti");
        const F::Place place = F::at("unsorted lookups");
        return ratio(versus(old, "hardware", "RX", "HT", place),
                     versus(f, "hardware", "RX", "HT", place));
      },
      greater(), About::rt_cores);
}

}  // namespace

std::vector<Claim> evaluation_claims() {
  std::vector<Claim> list = scaling_claims();
  for (const auto& part : {order_claims(), miss_claims(), key_claims(), range_claims()})
    list.insert(list.end(), part.begin(), part.end());
  list.push_back(hardware_claim());
  return list;
}

}  // namespace rtindex::bench
