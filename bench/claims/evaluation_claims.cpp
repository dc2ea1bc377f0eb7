#include "claims/claim_lists.hpp"

namespace rtindex::bench {

namespace {

using F = Figures;

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
            return min_of({gain("RX"), gain("HT"), gain("B+"), gain("SA")});
          },
          greater()),
      claim(
          "4.4", "Sorting is cheap compared with the lookups.", "sort / unsorted lookups of RX",
          [](const F& f) {
            return ratio(f.value("order", "RX", "", F::at(sorted_lookups), "sort_ms"),
                         f.value("order", "RX", "", F::at(unsorted_both), "lookup_ms"));
          },
          below(0.5)),
      claim(
          "4.5", "Up to 2^12 batches cost about as much as one.", "RX: 2^12 batches / one",
          [](const F& f) { return between(f, "batches", "RX", F::at(12), F::at(0)); }, below(2),
          About::gpus),
      claim_at_first(
          "4.5", "Many small batches are much slower than one.", "RX: many batches / one", {20, 16},
          [](const F& f, int batches_log2) {
            return between(f, "batches", "RX", F::at(batches_log2), F::at(0));
          },
          above(2), About::gpus),
      claim(
          "4.5", "Below 2^20 lookups a sort costs the same.", "sort: 2^19 / 2^13 lookups",
          [](const F& f) {
            return between(f, "sorting-floor", "sort", F::at(19), F::at(13), "sort_ms");
          },
          about_one(), About::gpus),
  };
}

constexpr const char* sorted = "sorted lookups";

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
          "4.6", "Unsorted, the hash table gains nothing from misses.", "HT: all miss / all hit",
          [](const F& f) { return between(f, "hit-rate", "HT", F::at(0), F::at(1)); }, at_least(1)),
      claim(
          "4.6", "Sorted, it suffers from misses.", "HT, sorted: all miss / all hit",
          [](const F& f) {
            return between(f, "hit-rate", "HT", F::at(0), F::at(1), "lookup_ms", sorted);
          },
          greater()),
      claim(
          "4.6", "Of sorted lookups the sorted array is the fastest.",
          "best other / SA, sorted, all hit",
          [](const F& f) {
            const auto time = [&](const char* index) {
              return f.value("hit-rate", index, sorted, F::at(1), "lookup_ms");
            };
            return ratio(min_of({time("RX"), time("HT"), time("B+")}), time("SA"));
          },
          greater()),
  };
}

constexpr const char* narrow = "32-bit keys";
constexpr const char* wide = "64-bit keys";

std::vector<Claim> key_size_and_skew_claims() {
  return {
      claim(
          "4.7", "64-bit keys do not slow RX down.", "RX: 64 / 32 bits",
          [](const F& f) { return between(f, "key-size", "RX", F::at(wide), F::at(narrow)); },
          about_one()),
      claim(
          "4.7", "They slow the hash table and the sorted array down.",
          "lesser slowdown of the two",
          [](const F& f) {
            return min_of({between(f, "key-size", "HT", F::at(wide), F::at(narrow)),
                           between(f, "key-size", "SA", F::at(wide), F::at(narrow))});
          },
          greater()),
      claim(
          "4.7", "They make both noticeably larger.", "lesser growth of the two",
          [](const F& f) {
            const auto growth = [&](const char* index) {
              return between(f, "key-size", index, F::at(wide), F::at(narrow), "resident_bytes");
            };
            return min_of({growth("HT"), growth("SA")});
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
          "4.8", "Unsorted lookups gain more than sorted ones.", "RX, gain: unsorted / sorted",
          [](const F& f) {
            return ratio(between(f, "lookup-skew", "RX", F::at(0), F::at(2)),
                         between(f, "lookup-skew", "RX", F::at(0), F::at(2), "lookup_ms", sorted));
          },
          greater()),
      claim(
          "4.8", "Under high skew RX is the fastest index.", "best classic / RX, Zipf 1.5",
          [](const F& f) {
            return ratio(best_classic(f, "lookup-skew", F::at(1.5)),
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
      claim_at_first(
          "4.9", "The B+-tree is the best index for ranges.", "better of RX and SA / B+, hits",
          {10, 6},
          [](const F& f, int hits_log2) {
            // Only where all three were measured.
            const auto time = [&](const char* index) {
              return f.value("ranges", index, "", F::at(hits_log2), "lookup_ms");
            };
            return time("RX") ? ratio(min_of({time("RX"), time("SA")}), time("B+")) : Quantity();
          },
          greater()),
      claim(
          "4.9", "Of small ranges RX is faster than the sorted array.", "SA / RX, 1 hit",
          [](const F& f) { return versus(f, "ranges", "SA", "RX", F::at(0)); }, greater(),
          About::rt_cores),
      claim_at_first(
          "4.9", "A hit costs RX less in wider ranges.", "RX, time per hit: 1 / many hits", {10, 6},
          [](const F& f, int hits_log2) {
            return between(f, "ranges", "RX", F::at(0), F::at(hits_log2), "lookup_ms_per_hit");
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

Claim hardware_claim(const std::string& lookups) {
  return claim(
      "4.10", "From Turing to Ada RX gained more than the hash table (" + lookups + ").",
      "gain of RX / gain of HT, RTX 2080 Ti to this GPU",
      [lookups](const F& f) -> Quantity {
        if (!f.has_rt_cores()) return std::nullopt;
        const F old = published_figures("RTX 2080 Ti");
        return ratio(versus(old, "hardware", "RX", "HT", F::at(lookups)),
                     versus(f, "hardware", "RX", "HT", F::at(lookups)));
      },
      greater(), About::rt_cores);
}

std::vector<Claim> hardware_claims() {
  return {hardware_claim("sorted lookups"), hardware_claim("unsorted lookups")};
}

}  // namespace

std::vector<Claim> evaluation_claims() {
  return joined({order_claims(), miss_claims(), key_size_and_skew_claims(), range_claims(),
                 hardware_claims()});
}

}  // namespace rtindex::bench
