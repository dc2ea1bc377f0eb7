#include "claims/claim_lists.hpp"

namespace rtindex::bench {

namespace {

using F = Figures;

std::vector<Claim> design_profiles() {
  return {
      claim(
          "3.2", "Extended mode reads far more memory than 3d mode.", "RX, memory: extended / 3d",
          [](const F& f) {
            return between(f, "profile-modes", "RX", F::at("extended"), F::at("3d"),
                           "memory_read_bytes");
          },
          above(2), About::gpus, 76),
      claim(
          "3.2", "It also reads far more from the L2 cache.", "RX, L2 cache: extended / 3d",
          [](const F& f) {
            return between(f, "profile-modes", "RX", F::at("extended"), F::at("3d"),
                           "l2_read_bytes");
          },
          above(2), About::gpus, 93),
      claim(
          "3.6", "After a refit that moves keys far, lookups read the caches immensely more.",
          "RX, L2 cache: refit of swapped positions / rebuild",
          [](const F& f) {
            return between(f, "profile-updates", "RX", F::at("refit, swapped positions"),
                           F::at("rebuild"), "l2_read_bytes");
          },
          above(2), About::gpus),
      claim(
          "3.6", "After one that moves keys by one, barely more.",
          "RX, L2 cache: refit of swapped keys / rebuild",
          [](const F& f) {
            return between(f, "profile-updates", "RX", F::at("refit, swapped keys"),
                           F::at("rebuild"), "l2_read_bytes");
          },
          about_one(), About::gpus),
      claim(
          "3.6", "Of memory they read about as much after either.",
          "RX, memory: swapped positions / swapped keys",
          [](const F& f) {
            return between(f, "profile-updates", "RX", F::at("refit, swapped positions"),
                           F::at("refit, swapped keys"), "memory_read_bytes");
          },
          about_one(), About::gpus),
  };
}

std::vector<Claim> evaluation_profiles() {
  return {
      claim(
          "4.2", "More lookups fill the processors with warps.",
          "RX, active warps: 2^21 / 2^13 lookups",
          [](const F& f) {
            return between(f, "profile-lookups", "RX", F::at("2^21 lookups"), F::at("2^13 lookups"),
                           "active_warps");
          },
          greater(), About::gpus),
      claim(
          "4.2", "They approach the peak bandwidth at the same time.",
          "RX, bandwidth in percent: 2^21 lookups",
          [](const F& f) {
            return f.value("profile-lookups", "RX", "", F::at("2^21 lookups"), "bandwidth_percent");
          },
          above(60), About::rt_cores),
      claim(
          "4.2", "Over many keys RX and the B+-tree read comparable amounts of memory.",
          "RX / B+, memory",
          [](const F& f) {
            return versus(f, "profile-skew", "RX", "B+", F::at("Zipf 0.0"), "memory_read_bytes");
          },
          within(0.67, 1.5), About::gpus),
      claim(
          "4.2", "Both read more than the hash table and the sorted array.",
          "lesser of RX and B+ / greater of HT and SA",
          [](const F& f) {
            const auto read = [&](const char* index) {
              return f.value("profile-skew", index, "", F::at("Zipf 0.0"), "memory_read_bytes");
            };
            return ratio(min_of({read("RX"), read("B+")}), greatest_of({read("HT"), read("SA")}));
          },
          greater(), About::gpus),
      claim(
          "4.6", "Misses read far less memory: traversals end early.",
          "RX, memory: all miss / all hit",
          [](const F& f) {
            return between(f, "profile-hit-rate", "RX", F::at("hit rate 0.0"),
                           F::at("hit rate 1.0"), "memory_read_bytes");
          },
          below(0.75), About::gpus, 0.37),
      claim(
          "4.8", "Under skew the caches serve RX.", "RX, hit rate of the L2 cache: Zipf 1.5 / 0",
          [](const F& f) {
            return between(f, "profile-skew", "RX", F::at("Zipf 1.5"), F::at("Zipf 0.0"),
                           "l2_hit_percent");
          },
          greater(), About::gpus),
      claim(
          "4.8", "Without skew RX reads more memory than the B+-tree.", "RX / B+, Zipf 0",
          [](const F& f) {
            return versus(f, "profile-skew", "RX", "B+", F::at("Zipf 0.0"), "memory_read_bytes");
          },
          greater(), About::gpus),
      claim(
          "4.8", "RX executes far fewer instructions than the B+-tree.", "B+ / RX, Zipf 1.5",
          [](const F& f) {
            return versus(f, "profile-skew", "B+", "RX", F::at("Zipf 1.5"), "instructions");
          },
          above(2), About::rt_cores),
  };
}

}  // namespace

std::vector<Claim> profile_claims() { return joined({design_profiles(), evaluation_profiles()}); }

}  // namespace rtindex::bench
