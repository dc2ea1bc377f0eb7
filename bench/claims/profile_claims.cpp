#include "claims/lists.hpp"
#include "claims/ratios.hpp"

namespace rtindex::bench {

namespace {

using F = Figures;

// One index in two categories of a profile.
Quantity between(const F& f, const std::string& profile, const std::string& index,
                 const std::string& a, const std::string& b, const std::string& metric) {
  return ratio(f.value(profile, index, "", F::at(a), metric),
               f.value(profile, index, "", F::at(b), metric));
}

// Two indexes in one category.
Quantity versus(const F& f, const std::string& profile, const std::string& a, const std::string& b,
                const std::string& category, const std::string& metric) {
  return ratio(f.value(profile, a, "", F::at(category), metric),
               f.value(profile, b, "", F::at(category), metric));
}

std::vector<Claim> design_profiles() {
  return {
      claim(
          "3.2", "Extended mode reads far more memory than 3d mode.", "RX, memory: extended / 3d",
          [](const F& f) {
            return between(f, "profile-modes", "RX", "extended", "3d", "memory_read_bytes");
          },
          above(2), About::gpus, 76),
      claim(
          "3.2", "It reads even more from the L2 cache.", "RX, L2 cache: extended / 3d",
          [](const F& f) {
            return between(f, "profile-modes", "RX", "extended", "3d", "l2_read_bytes");
          },
          above(2), About::gpus, 93),
      claim(
          "3.6", "After a refit that moves keys far, lookups read the caches immensely more.",
          "RX, L2 cache: refit of 2^8 swapped positions / rebuild",
          [](const F& f) {
            return between(f, "profile-updates", "RX", "refit, swapped positions", "rebuild",
                           "l2_read_bytes");
          },
          above(2), About::gpus),
      claim(
          "3.6", "After one that moves keys by one, barely more.",
          "RX, L2 cache: refit of 2^8 swapped keys / rebuild",
          [](const F& f) {
            return between(f, "profile-updates", "RX", "refit, swapped keys", "rebuild",
                           "l2_read_bytes");
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
            return between(f, "profile-lookups", "RX", "2^21 lookups", "2^13 lookups",
                           "active_warps");
          },
          greater(), About::gpus),
      claim(
          "4.2", "They approach the peak bandwidth at the same time.",
          "RX, bandwidth: 2^21 / 2^13 lookups",
          [](const F& f) {
            return between(f, "profile-lookups", "RX", "2^21 lookups", "2^13 lookups",
                           "bandwidth_percent");
          },
          greater(), About::gpus),
      claim(
          "4.2", "Over many keys RX and the B+-tree read more memory than the other two.",
          "lesser of RX and B+ / greater of HT and SA",
          [](const F& f) {
            const auto read = [&](const char* index) {
              return f.value("profile-skew", index, "", F::at("Zipf 0.0"), "memory_read_bytes");
            };
            return ratio(least_of({read("RX"), read("B+")}), greatest_of({read("HT"), read("SA")}));
          },
          greater(), About::gpus),
      claim(
          "4.6", "Misses read disproportionately less memory.", "RX, memory: all miss / all hit",
          [](const F& f) {
            return between(f, "profile-hit-rate", "RX", "hit rate 0.0", "hit rate 1.0",
                           "memory_read_bytes");
          },
          below(0.75), About::gpus, 0.37),
      claim(
          "4.8", "Under skew the caches serve RX.", "RX, hit rate of the L2 cache: Zipf 1.5 / 0",
          [](const F& f) {
            return between(f, "profile-skew", "RX", "Zipf 1.5", "Zipf 0.0", "l2_hit_percent");
          },
          greater(), About::gpus),
      claim(
          "4.8", "Without skew RX reads more memory than the B+-tree.", "RX / B+, Zipf 0",
          [](const F& f) {
            return versus(f, "profile-skew", "RX", "B+", "Zipf 0.0", "memory_read_bytes");
          },
          greater(), About::gpus),
      claim(
          "4.8", "RX executes far fewer instructions than the B+-tree.", "B+ / RX, Zipf 1.5",
          [](const F& f) {
            return versus(f, "profile-skew", "B+", "RX", "Zipf 1.5", "instructions");
          },
          above(2), About::rt_cores),
  };
}

}  // namespace

std::vector<Claim> profile_claims() {
  std::vector<Claim> list = design_profiles();
  for (Claim& each : evaluation_profiles()) list.push_back(std::move(each));
  return list;
}

}  // namespace rtindex::bench
