#!/usr/bin/env python3
"""What scripts/mutants.py changes in C++, and what it leaves alone.

    mutants.py SOURCES COMPILER

Small functions are rewritten, compiled once, and run with each of their mutants.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

SOURCES, COMPILER = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(SOURCES / "scripts"))
sys.dont_write_bytecode = True
from mutant_sites import HEADER, find_sites, rewrite  # noqa: E402

# No site is in here.
UNTOUCHED = r'''
#if A < 3 && B > 4
#endif
enum class Kind { one = 1, two = 1 + 1 };
inline constexpr int size = 1 << 3;
struct Box { int side = 4; bool is_open = true; int cells[2 + 2]; };
template <int n, class T = std::array<int, 5>>
  requires(n > 3 && n < 9)
int boxes(T&& all) {
  // a < b && !c, 7
  static_assert(n + 1 > 4);
  constexpr int most = int{n} * 2;
  const char* text = "a < b + 1";
  const char* raw = R"(a < b || 2)";
  int places[16];
  std::array<int, 3> cells[16];
  const std::span<int>& same = cells;
  const std::vector<T>* pointer = nullptr;
  if constexpr (n == 4) call<n, 3>(text);
  switch (kind) {
    case Kind::one + 1: return call('<');
  }
#if defined(__CUDA_ARCH__)
  return all < 5;
#endif
  return (all + ...);
}
'''

PRELUDE = r'''
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>
using Longs = std::vector<long>;
long x = 6, y = 2, calls = 0;
bool no = false, yes = true;
bool call(bool result) { return ++calls, result; }
template <class T>
long id(T value) {
  return static_cast<long>(value);
}
constexpr long product(long a, long b) { return a * b; }
'''
# The body of a function, its result, and the result of each of its mutants; "void" where the other operator does not
# take the types.
CASES = [
    ("return id(x < y);", 0, {"< -> <=": 0}),
    ("return id(y <= y);", 1, {"<= -> <": 0}),
    ("return id(x > x);", 0, {"> -> >=": 1}),
    ("return id(x >= x);", 1, {">= -> >": 0}),
    ("return id(x == y);", 0, {"== -> !=": 1}),
    ("return id(x != y);", 1, {"!= -> ==": 0}),
    ("return x - y * y + x;", 8, {"- -> +": 16, "* -> +": 8, "+ -> -": -4}),
    ("return x / y % y;", 1, {"/ -> *": 0, "% -> /": 1}),
    ("return (x & y) | (x ^ y);", 6, {"& -> |": 6, "| -> &": 0, "^ -> &": 2}),
    ("return x << y >> y;", 6, {"<< -> >>": 0, ">> -> <<": 96}),
    ("return x + y < x * y;", 1, {"+ -> -": 1, "< -> <=": 1, "* -> +": 0}),
    ("long z = x; z += y - x; return z;", 2, {"+= -> -=": 10, "- -> +": 14}),
    ("long z = x; z -= y; z *= y; z |= y; return z;", 10,
     {"-= -> +=": 18, "*= -> +=": 6, "|= -> &=": 0}),
    ("long z = x; ++z; return --z;", 6, {"++ -> --": 4, "-- -> ++": 8}),
    ("return id(!no) + id(!Longs().empty());", 1, {"! -> nothing": 0, "+ -> -": 1, "! -> nothing (2)": 2}),
    ("return 5;", 5, {"5 -> 5 + 1": 6}),
    ("return id(std::uint64_t{0x10'00U});", 4096, {"0x10'00U -> 0x10'00U + 1": 4097}),
    ("return id(2.5);", 2, {"2.5 -> 2.5 + 1": 3}),
    ("return Longs{x, y}[0];", 6, {"0 -> 0 + 1": 2}),
    ("return id(true);", 1, {"true -> false": 0}),
    ("return std::min(x, y);", 2, {"std::min -> std::max": 6}),
    ("return std::max<long>(x, y);", 6, {"std::max -> std::min": 2}),
    ("return id(call(yes) && call(no));", 0, {"&& -> ||": 1}),
    ("call(no) && call(yes); return calls;", 1, {"&& -> ||": 2}),
    ("call(no) || call(yes); return calls;", 2, {"|| -> &&": 1}),
    ("call(yes) || call(no); return calls;", 1, {"|| -> &&": 2}),
    ("return id(no || yes && no || yes);", 1, {"|| -> &&": 1, "&& -> ||": 1, "|| -> && (2)": 0}),
    ("return id(yes && yes && no);", 0, {"&& -> ||": 1, "&& -> || (2)": 1}),
    ('return id((std::string("a") + "b").size());', 2, {"+ -> -": "void"}),
    ("const Longs z{x}; return z.end() - z.begin();", 1, {"- -> +": "void"}),
    ("static_assert(product(2, 3) == 6); return product(x, y);", 12, {}),
]




def run(program: pathlib.Path, environment: dict[str, str]) -> list[int]:
    done = subprocess.run([program], env=os.environ | environment, check=True, capture_output=True, text=True)
    return [int(result) for result in done.stdout.split()]


def check(is_right: bool, what: str) -> None:
    if not is_right:
        sys.exit(what)


def main() -> None:
    found = find_sites("untouched.hpp", UNTOUCHED)
    check(not found, f"changed what the compiler evaluates: {found}")

    first = PRELUDE.count("\n") + 1
    text = PRELUDE + "".join(f"long case_{i}() {{ {body} }}\n" for i, (body, _, _) in enumerate(CASES))
    everywhere = find_sites("cases.cpp", text)
    sites = dict(enumerate(site for site in everywhere if site.line >= first))
    for i, (body, _, changed) in enumerate(CASES):
        changes = [site.change for site in sites.values() if site.line == first + i]
        check(sorted(changes) == sorted(changed), f"{body} has the sites {changes}")
    product = next(site for site in everywhere if "product" in site.text and site.change == "* -> +")
    sites[len(sites)] = product  # evaluated by the compiler as well, where it stays as it is

    changed_text = rewrite(text, sites)
    check(changed_text.count("\n") == text.count("\n"), "lines have moved")
    plain = [result for _, result, _ in CASES]
    calls = " ".join(f'calls = 0, std::printf("%ld ", case_{i}());' for i in range(len(CASES)))
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "cases.cpp"), pathlib.Path(folder, "cases")
        source.write_text(f"{changed_text}int main() {{ {calls} }}\n")
        subprocess.run([COMPILER, "-std=c++20", "-w", "-Wno-narrowing", "-include", HEADER, source, "-o", program],
                       check=True)
        reached = pathlib.Path(folder, "reached")
        reached.write_bytes(bytes(4096))
        check(run(program, {"RTINDEX_MUTANTS_REACHED": str(reached)}) == plain, "results without a mutant")
        for number, site in sites.items():
            expected, results = list(plain), run(program, {"RTINDEX_MUTANT": str(number)})
            if site is product:
                expected[-1] = 8
            else:
                at = site.line - first
                result = CASES[at][2][site.change]
                check(reached.read_bytes()[number] == (2 if result == "void" else 1), f"{site} is not noted")
                expected[at] = plain[at] if result == "void" else result
            check(results == expected, f"{site}: {results} in place of {expected}")


if __name__ == "__main__":
    main()
