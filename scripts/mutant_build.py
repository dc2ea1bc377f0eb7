"""Builds the test programs with all mutants of scripts/mutants.py in them."""

from __future__ import annotations

import collections
import dataclasses
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys

from mutant_sites import ROOT, Site, rewrite

# Without RTINDEX_TEST_LONG it has nothing to do, with it it takes an hour.
LEFT_OUT = {"test_limits"}


def say(text: str) -> None:
    print(text, flush=True)


def output_of(*command: object, check: bool = True) -> str:
    """What a command prints; without `check` "" where it fails or is not installed."""
    if not check and shutil.which(str(command[0])) is None:
        return ""
    done = subprocess.run([str(part) for part in command], cwd=ROOT, check=check, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def source_files() -> list[str]:
    """Files that git does not ignore; without a repository, all but those of builds."""
    listed = output_of("git", "ls-files", "--cached", "--others", "--exclude-standard", check=False).splitlines()
    if not listed:
        listed = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")]
    return sorted(name for name in listed if not name.startswith(("build", ".git/")) and (ROOT / name).is_file())


@dataclasses.dataclass
class Test:
    """A test program, or a slice of it."""

    name: str
    command: list[str]
    environment: dict[str, str]
    seconds: float = 0.0
    reached: bytes = b""


class Build:
    """The copy of the sources, and the programs made of it."""

    def __init__(self, folder: pathlib.Path, sites: dict[int, Site], jobs: int, goes_on: bool):
        self.tree, self.folder, self.log = folder / "tree", folder / "build", folder / "build.log"
        self.dropped = folder / "dropped.txt"
        if not goes_on:
            self.dropped.unlink(missing_ok=True)
        places = set(self.dropped.read_text().splitlines()) if self.dropped.is_file() else set()
        self.sites = {number: site for number, site in sites.items() if site.place not in places}
        self.jobs = jobs

    def write_tree(self) -> str:
        """Copies what differs, and returns a fingerprint of it all."""
        names = source_files()
        for path in self.tree.rglob("*"):
            if path.is_file() and not (ROOT / path.relative_to(self.tree)).is_file():
                path.unlink()
        by_file = collections.defaultdict(dict)
        for number, site in self.sites.items():
            by_file[site.file][number] = site
        digest = hashlib.sha256()
        for name in names:
            content = (ROOT / name).read_bytes()
            if name in by_file:
                content = rewrite(content.decode(), by_file[name]).encode()
            if name.startswith(("src/", "tests/", "include/")) and name.endswith((".cpp", ".hpp", ".h", ".txt")):
                digest.update(name.encode() + b"\0" + content)
            target = self.tree / name
            if not target.is_file() or target.read_bytes() != content:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
        return digest.hexdigest()

    def configure(self, options: list[str]) -> None:
        subprocess.run(["cmake", "--preset", "mutants", "-S", self.tree, "-B", self.folder, *options], cwd=self.tree,
                       check=True, stdout=subprocess.DEVNULL)

    def programs(self, wanted: list[str]) -> list[str]:
        targets = output_of("ninja", "-C", self.folder, "-t", "targets", "all")
        found = set(re.findall(r"^(test_\w+): phony", targets, re.MULTILINE)) - LEFT_OUT
        unknown = {f"test_{name}" for name in wanted} - found
        if unknown:
            sys.exit(f"unknown tests {sorted(unknown)}; choose from {sorted(found)}")
        return sorted({f"test_{name}" for name in wanted} or found)

    def compile(self, programs: list[str]) -> None:
        """Builds; drops mutants that do not compile, and builds again."""
        self.log.unlink(missing_ok=True)
        while True:
            output = self._ninja(programs)
            if output is None:
                return
            failing = self._named(output, r" (?:fatal )?error: ") or self._named(output, "")
            if not failing:
                sys.exit(f"the build failed: see {self.log}")
            say(f"{len(failing)} mutants do not compile; building without them")
            with self.dropped.open("a") as dropped:
                dropped.writelines(f"{self.sites.pop(number).place}\n" for number in failing)
            self.write_tree()

    def _ninja(self, programs: list[str]) -> str | None:
        """The output where the build failed."""
        command, output = ["ninja", "-C", self.folder, "-k", "0", "-j", str(self.jobs), *programs], []
        with self.log.open("a") as log, subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            for line in process.stdout:
                log.write(line)
                output.append(line)
                step = re.match(r"\[(\d+)/(\d+)\]", line)
                if step and (int(step[1]) % 20 == 19 or step[1] == step[2]):
                    say(f"built {step[1]} of {step[2]}")
        return "".join(output) if process.returncode else None

    def _named(self, output: str, what: str) -> set[int]:
        """Mutants of lines that the compiler names."""
        pattern = re.escape(str(self.tree)) + r"/(src/[^:\s]+):(\d+):(?:\d+:)?" + what
        places = {(file, int(line)) for file, line in re.findall(pattern, output)}
        return {number for number, site in self.sites.items() if (site.file, site.line) in places}

    def tests(self, programs: list[str]) -> list[Test]:
        listed = json.loads(output_of("ctest", "--test-dir", self.folder, "--show-only=json-v1"))
        found = []
        for test in listed["tests"]:
            command = test.get("command", [""])
            if pathlib.Path(command[0]).name in programs:
                properties = {entry["name"]: entry["value"] for entry in test["properties"]}
                environment = dict(entry.split("=", 1) for entry in properties.get("ENVIRONMENT", []))
                found.append(Test(test["name"], [*command, "--gtest_fail_fast"], environment))
        return found
