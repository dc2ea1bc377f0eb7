"""scripts/paper.sh and scripts/profile.sh, as far as they go without a GPU."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

RTINDEX = os.environ["RTINDEX"]
SOURCE = pathlib.Path(os.environ["RTINDEX_SOURCE_DIR"])

# Runs the program that it is given, and writes a table without kernels.
FAKE_NCU = """#!/usr/bin/env bash
set -e
while [[ "$1" == --* ]]; do
  case "$1" in
    --csv) shift ;;
    --log-file) table="$2"; shift 2 ;;
    --metrics) metrics="$2"; shift 2 ;;
    *) shift 2 ;;
  esac
done
[[ "$metrics" == *dram__bytes_read.sum* ]]
echo '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"' >"$table"
exec "$@"
"""


def run(script, *arguments, path="", code=0):
    environment = dict(os.environ, PATH=f"{path}:{os.environ['PATH']}")
    result = subprocess.run(["bash", SOURCE / "scripts" / script, "--rtindex", RTINDEX, *arguments],
                            env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == code, f"{arguments}: {result.stdout}\n{result.stderr}"
    return result


def listed():
    text = subprocess.run([RTINDEX, "bench", "--list", "--json"], capture_output=True, text=True,
                          check=True).stdout
    return json.loads(text)


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def status(self, *arguments):
        lines = run("paper.sh", "--status", "--records", str(self.folder), *arguments).stdout
        rows = [line.split() for line in lines.splitlines()[1:-1]]
        return {name: (int(points), int(left)) for name, points, left, _ in rows}

    def test_the_papers_experiments_are_planned(self):
        wanted = {entry["name"] for entry in listed()
                  if entry["section"] and not entry["name"].startswith("profile-")}
        status = self.status()
        self.assertEqual(set(status), wanted)
        for name, (points, left) in status.items():
            self.assertGreater(points, 0, name)
            self.assertEqual(points, left, name)

    def test_what_is_recorded_is_not_left(self):
        record = {"experiment": "memory", "index": "i", "series": "hash@cuda", "category":
                  "2^26 keys", "metric": "resident_bytes", "value": 1, "scale": "paper"}
        (self.folder / "memory.jsonl").write_text(json.dumps(record) + "\n")
        points, left = self.status("memory")["memory"]
        self.assertEqual(left, points - 1)

    def test_what_does_not_fit_is_not_started(self):
        result = run("paper.sh", "--minutes", "0", "--records", str(self.folder), "batches")
        self.assertIn("batches would take about", result.stdout)
        self.assertFalse((self.folder / "batches.jsonl").exists())

    def test_unknown_experiments_are_explained(self):
        self.assertIn("hit-rate", run("paper.sh", "hit-rates", "--records", str(self.folder),
                                      code=1).stderr)

    def test_a_profile_leaves_a_file_per_question(self):
        ncu = self.folder / "bin" / "ncu"
        ncu.parent.mkdir()
        ncu.write_text(FAKE_NCU)
        ncu.chmod(0o755)
        if shutil.which("nvidia-smi"):
            self.skipTest("with a GPU, this runs Nsight Compute itself")
        run("profile.sh", "--scale", "smoke", "--records", str(self.folder / "out"), path=ncu.parent)
        profiles = {entry["name"] for entry in listed() if entry["name"].startswith("profile-")}
        self.assertEqual({path.stem for path in (self.folder / "out").iterdir()}, profiles)
        lines = (self.folder / "out" / "profile-skew.jsonl").read_text().splitlines()
        self.assertTrue(all(json.loads(line)["status"] == "unsupported" for line in lines))


if __name__ == "__main__":
    sys.exit(unittest.main())
