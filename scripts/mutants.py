#!/usr/bin/env python3
"""Changes one operator or constant of the library at a time, and counts the changes that a test catches.

    scripts/mutants.py [--count N] [--seed N] [--jobs N] [--records FILE] [--continue]
                       [--equivalent] [--tests NAME...] [--list] [--only ID...] [--build-dir FOLDER]
                       [-- -DOPTION=VALUE...]

A change is a mutant: `<` becomes `<=`, `+` becomes `-`, `&&` becomes `||`, `!` is dropped, 5 becomes 6, true becomes
false, std::min becomes std::max; scripts/mutants.hpp has the list. Mutants are drawn at random, by the seed, from host
code and host/device functions of src: keys, scene, answers, storage, execution, tracers, indexes. What the compiler
evaluates (constexpr constants, template arguments, static_assert, case labels, sizes of arrays) is left alone, and so
are initial values of members and whatever only a build with CUDA compiles.

One build holds all drawn mutants: a copy of the sources in FOLDER/tree is rewritten, and the environment variable
RTINDEX_MUTANT=ID switches one on. A mutant that does not compile, or whose operator does not take the types there, is
void, and the next drawn one takes its place. Each test program runs once without a mutant to see which mutants it
executes. A mutant then runs the programs that execute it, the quickest first, until one fails, ends with a signal, or
takes longer than 5 times its usual time and 10 seconds. A mutant that no test catches, or executes, survives.

Mutants that change no answer are listed in tests/equivalent_mutants.toml, each with the reason. With --equivalent they
run as well, and one that is caught is reported.

A run that was interrupted goes on with --continue. After tests have been added, --continue runs the survivors only.
To debug a survivor: RTINDEX_MUTANT=ID FOLDER/build/bin/test_keys. The report is FOLDER/report.md.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import itertools
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib

from mutant_build import Build, Test, output_of, say
from mutant_sites import HEADER, ROOT, Site, find_sites, host_files

EQUIVALENT = ROOT / "tests/equivalent_mutants.toml"
MOST = int(re.search(r"most = (\d+);", HEADER.read_text())[1])
CAN_CHANGE = 1
# Of one process, in kibibytes, as ulimit takes it.
MOST_MEMORY = 8 << 20
QUICK_SECONDS = 30.0
PLAIN_SECONDS = 1800.0


@dataclasses.dataclass
class Verdict:
    caught: bool
    how: str


def draw(seed: int) -> list[Site]:
    """All sites in a random order that changes elsewhere in the sources do not alter."""
    ordered, seen = [], collections.Counter()
    for file in host_files():
        for site in find_sites(file, (ROOT / file).read_text()):
            seen[site.key] += 1
            text = "\0".join((str(seed), str(seen[site.key]), *site.key))
            ordered.append((hashlib.sha256(text.encode()).digest(), site))
    return [site for _, site in sorted(ordered, key=lambda entry: entry[0])]


def run_test(test: Test, environment: dict[str, str], seconds: float) -> tuple[str, float, str]:
    """(how it failed or "", how long it took, the end of its output); temporary files in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="rtindex-mutants-") as folder:
        own = {"TMPDIR": folder, "XDG_CACHE_HOME": folder + "/cache"}
        limited = f'ulimit -c 0; ulimit -v {MOST_MEMORY}; exec "$@"'
        start = time.monotonic()
        with open(folder + "/output", "w+") as output:
            process = subprocess.Popen(["bash", "-c", limited, "bash", *test.command], cwd=folder, stdout=output,
                                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
                                       env=os.environ | test.environment | own | environment)
            try:
                code = process.wait(seconds)
                how = "" if code == 0 else f"exit code {code}" if code > 0 else signal.Signals(-code).name
            except subprocess.TimeoutExpired:
                how = "does not end"
            try:
                os.killpg(process.pid, signal.SIGKILL)  # and what it has started
            except ProcessLookupError:
                pass
            process.wait()
            output.seek(max(0, os.fstat(output.fileno()).st_size - 4000))
            return how, time.monotonic() - start, output.read()


class Workers:
    """Runs functions at once, each on two processors, so that loops have threads and do not wait for others."""

    def __init__(self, jobs: int):
        numbers, processors = itertools.count(), sorted(os.sched_getaffinity(0))

        def start() -> None:
            first = next(numbers)
            pair = {processors[(first + i) % len(processors)] for i in range(2)}
            os.sched_setaffinity(threading.get_native_id(), pair)

        self.pool = concurrent.futures.ThreadPoolExecutor(jobs, initializer=start)

    def each(self, function, items):
        """(item, result) as they come."""
        futures = {self.pool.submit(function, item): item for item in items}
        try:
            for future in concurrent.futures.as_completed(futures):
                yield futures[future], future.result()
        finally:
            self.pool.shutdown(cancel_futures=True)


def run_plain(tests: list[Test], jobs: int) -> None:
    """Every test without a mutant: how long it takes and what it executes."""

    def run(test: Test) -> tuple[str, str]:
        with tempfile.NamedTemporaryFile() as reached:
            reached.truncate(MOST)
            how, test.seconds, output = run_test(test, {"RTINDEX_MUTANTS_REACHED": reached.name}, PLAIN_SECONDS)
            test.reached = pathlib.Path(reached.name).read_bytes()
        return how, output

    failed = []
    for test, (how, output) in Workers(jobs).each(run, tests):
        say(f"without a mutant: {test.name}, {test.seconds:.1f} s {how}")
        if how:
            failed.append(test.name)
            say(output)
    if failed:
        sys.exit(f"failed without a mutant: {', '.join(failed)}")


def run_mutant(number: int, site: Site, tests: list[Test], state: State) -> Verdict:
    executing = sorted((test for test in tests if test.reached[number]), key=lambda test: test.seconds)
    for test in executing:
        if test.name in state.passed(site):
            continue
        how, seconds, _ = run_test(test, {"RTINDEX_MUTANT": str(number)}, 5 * test.seconds + 10)
        if how:
            return Verdict(True, f"{test.name}: {how}, {seconds:.1f} s")
        state.add_passed(site, test.name)
    return Verdict(False, f"passed {len(executing)} tests" if executing else "no test executes it")


def equivalent() -> dict[tuple[str, str, str], str]:
    listed = tomllib.loads(EQUIVALENT.read_text()).get("mutant", [])
    return {(entry["file"], entry["line"], entry["change"]): entry["reason"] for entry in listed}


def write_records(path: pathlib.Path, counts: dict[str, int], workload: dict, build: Build) -> None:
    """One record for each count, in place of those of an earlier run with the same workload."""
    cache = (build.folder / "CMakeCache.txt").read_text()
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.MULTILINE)[1]
    cpu = re.search(r"^Model name: *(.*)$", output_of("lscpu"), re.MULTILINE)
    changed = output_of("git", "status", "--porcelain", "--", "src", "include", "tests", check=False)
    commit = os.environ.get("RTINDEX_COMMIT") or (
        output_of("git", "rev-parse", "--short=12", "HEAD", check=False) + ("+" if changed else ""))
    machine = {"cpu": cpu[1] if cpu else platform.processor(), "cores": os.cpu_count(), "arch": platform.machine(),
               "compiler": f"{pathlib.Path(compiler).name} {output_of(compiler, '-dumpfullversion')}"}
    kept = [line for line in path.read_text().splitlines() if json.loads(line)["workload"] != workload] \
        if path.is_file() else []
    for series, value in counts.items():
        kept.append(json.dumps({
            "experiment": "mutants", "index": "every index", "series": series, "metric": "mutants", "value": value,
            "status": "ok", "workload": workload,
            "command": f"scripts/mutants.py --count {workload['count']} --seed {workload['seed']}",
            "commit": commit, "machine": machine}, separators=(",", ":")))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(kept) + "\n")


def report(chosen: dict[int, Site], verdicts: dict[int, Verdict], voids: int) -> tuple[str, dict[str, int]]:
    reasons = equivalent()
    lines = {"survived": [], "equivalent": [], "listed as equivalent, but caught": []}
    ended = 0
    for number, site in chosen.items():
        verdict, listed = verdicts[number], site.key in reasons
        row = f"| {number} | {site.file}:{site.line} | `{site.text.replace('|', chr(92) + '|')}` | " \
              f"`{site.change.replace('|', chr(92) + '|')}` | {reasons[site.key] if listed else verdict.how} |"
        ended += verdict.caught and "does not end" in verdict.how
        if verdict.caught and listed:
            lines["listed as equivalent, but caught"].append(row)
        elif not verdict.caught:
            lines["equivalent" if listed else "survived"].append(row)
    caught = sum(verdict.caught for verdict in verdicts.values())
    counts = {"drawn": len(chosen), "caught": caught, "equivalent": len(lines["equivalent"]),
              "survived": len(lines["survived"])}
    text = []
    for title, rows in lines.items():
        if rows:
            text += [f"## {title}\n", "| id | where | line | change | |", "|---|---|---|---|---|", *rows, ""]
    text.append(f"{len(chosen)} mutants drawn, {voids} void in their place: {caught} caught ({caught - ended} by a "
                f"failure, {ended} do not end), {counts['equivalent']} equivalent, {counts['survived']} survived.")
    return "\n".join(text) + "\n", counts


def parse_arguments() -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, default=300, help="mutants that are tested (300)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once (one per processor)")
    parser.add_argument("--records", type=pathlib.Path, help="write the counts there, as results/*/mutants.jsonl")
    parser.add_argument("--continue", dest="goes_on", action="store_true",
                        help="keep what an earlier run has found; after changes, keep only what was caught")
    parser.add_argument("--equivalent", action="store_true", help="run what is listed as equivalent, too")
    parser.add_argument("--tests", nargs="+", default=[], metavar="NAME",
                        help="build and run only these folders of tests")
    parser.add_argument("--list", action="store_true", help="print the mutants that may be drawn, in order, and end")
    parser.add_argument("--only", nargs="+", type=int, default=[], metavar="ID", help="run only these mutants")
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build/mutants", metavar="FOLDER",
                        help="for the copy, its build and the report (build/mutants)")
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:at])
    options.goes_on |= bool(options.only)
    if options.records and (options.tests or options.only):
        parser.error("--records counts what all tests catch: leave out --tests and --only")
    return options, sys.argv[at + 1:]


class State:
    """What has been found, in a file, for --continue."""

    def __init__(self, path: pathlib.Path, fingerprint: str, goes_on: bool):
        old = json.loads(path.read_text()) if goes_on and path.is_file() else {"verdicts": {}}
        self.lock = threading.Lock()
        is_same = old.get("fingerprint") == fingerprint
        self.path, self.fingerprint = path, fingerprint
        self.tests = old["tests"] if is_same else {}
        self.passes: dict[str, list[str]] = old["passes"] if is_same else {}
        self.verdicts = {place: found for place, found in old["verdicts"].items() if is_same or found[0]}

    def run_plain(self, tests: list[Test], jobs: int) -> None:
        for test in tests:
            if test.name in self.tests:
                test.seconds, test.reached = self.tests[test.name][0], bytes.fromhex(self.tests[test.name][1])
        run_plain([test for test in tests if not test.reached], jobs)
        self.tests = {test.name: (test.seconds, test.reached.hex()) for test in tests}
        self._save()

    def passed(self, site: Site) -> list[str]:
        """Tests that did not catch it."""
        return self.passes.get(site.place, [])

    def add_passed(self, site: Site, test: str) -> None:
        with self.lock:
            self.passes.setdefault(site.place, []).append(test)
            self._save()

    def verdict(self, site: Site) -> Verdict | None:
        found = self.verdicts.get(site.place)
        return Verdict(*found) if found else None

    def add(self, site: Site, verdict: Verdict) -> None:
        with self.lock:
            self.verdicts[site.place] = verdict.caught, verdict.how
            self._save()

    def _save(self) -> None:
        """Whole, even if the process is killed."""
        written = self.path.with_suffix(".new")
        written.write_text(json.dumps({"fingerprint": self.fingerprint, "tests": self.tests, "passes": self.passes,
                                       "verdicts": self.verdicts}, indent=0))
        written.replace(self.path)


def main() -> int:
    options, cmake_options = parse_arguments()
    # More than are needed: some are void.
    drawn = dict(enumerate(draw(options.seed)[:min(options.count + options.count // 3 + 10, MOST)]))
    if options.list:
        for number, site in drawn.items():
            say(f"{number:4} {site.file}:{site.line}: {site.change}: {site.text}")
        return 0
    folder = options.build_dir.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    build = Build(folder, dict(drawn), options.jobs, options.goes_on)
    build.write_tree()
    build.configure(cmake_options)
    programs = build.programs(options.tests)
    say(f"building {len(programs)} programs with {len(drawn)} mutants; output in {build.log}")
    build.compile(programs)
    fingerprint = " ".join((build.write_tree(), *programs))
    tests = build.tests(programs)
    state = State(folder / "state.json", fingerprint, options.goes_on)
    state.run_plain(tests, options.jobs)

    reached = [0] * MOST
    for test in tests:
        reached = [whole | own for whole, own in zip(reached, test.reached)]
    valid = [number for number in build.sites if reached[number] == 0 or reached[number] & CAN_CHANGE]
    chosen = {number: drawn[number] for number in valid[:options.count]}
    if len(chosen) < options.count:
        sys.exit(f"only {len(chosen)} of {len(drawn)} drawn mutants are not void")
    voids = max(chosen) + 1 - len(chosen)
    verdicts = {number: verdict for number, site in chosen.items() if (verdict := state.verdict(site))}
    if not options.equivalent:
        reasons = equivalent()
        verdicts.update({number: Verdict(False, "listed") for number, site in chosen.items() if site.key in reasons})
    waiting = options.only or [number for number in chosen if number not in verdicts]
    # All of them by quick tests first, so that much is known soon; then what is left.
    for quick in (True, False):
        some = [test for test in tests if not quick or test.seconds < QUICK_SECONDS]
        left = []
        # The longest first, so that all processors are busy until the end.
        waiting.sort(key=lambda number: -sum(test.seconds for test in some if test.reached[number]))
        for count, (number, verdict) in enumerate(Workers(options.jobs).each(
                lambda number: run_mutant(number, drawn[number], some, state), waiting), 1):
            site = drawn[number]
            is_known = verdict.caught or not quick
            what = "caught" if verdict.caught else "SURVIVED" if is_known else "not yet caught"
            say(f"[{count}/{len(waiting)}] {what} {number} {site.file}:{site.line} {site.change}: {verdict.how}")
            if is_known:
                verdicts[number] = verdict
                state.add(site, verdict)
            else:
                left.append(number)
        waiting = left
    if options.only:
        return 0
    text, counts = report(chosen, verdicts, voids)
    (folder / "report.md").write_text(text)
    say("\n" + text)
    if options.records:
        write_records(options.records, counts, {"seed": options.seed, "count": options.count}, build)
    return 0


if __name__ == "__main__":
    if shutil.which("ninja") is None:
        sys.exit("ninja is not installed: run scripts/setup.sh")
    sys.exit(main())
