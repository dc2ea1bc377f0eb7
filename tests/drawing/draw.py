"""Pictures of small columns: well-formed, complete, and true to the answers of the index."""

import os
import pathlib
import re
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

from command import RTINDEX, CommandTest, available_indexes

SVG = "{http://www.w3.org/2000/svg}"
INTRO = [26, 25, 29, 23, 29, 27]


class Picture:
    def __init__(self, path):
        self.root = ElementTree.parse(path).getroot()
        self.text = ["".join(node.itertext()) for node in self.root.iter(f"{SVG}text")]

    def groups(self, name):
        return [node for node in self.root.iter(f"{SVG}g") if node.get("class") == name]

    def rows_of(self, primitive):
        return sorted(int(node.get("data-row")) for node in self.groups(primitive))

    def hits(self, lookup):
        return sorted(int(node.get("data-row")) for node in self.groups("hit")
                      if node.get("data-lookup") == lookup)

    def rays(self, lookup):
        return sum(node.get("data-lookup") == lookup for node in self.groups("ray"))

    def answer(self, lookup):
        """The rowIDs that the legend lists, in its order."""
        (entry,) = [node for node in self.groups("lookup") if node.get("data-lookup") == lookup]
        return [int(node.text) for node in entry.iter(f"{SVG}text") if node.get("class") == "row"]

    def ticks(self):
        return [node.text for node in self.root.iter(f"{SVG}text") if node.get("class") == "tick"]


@unittest.skipUnless(any(spec.startswith("rx:embree") for spec in available_indexes()),
                     "a picture needs rx:embree")
class Draw(CommandTest):
    def setUp(self):
        super().setUp()
        self.write_npy("intro.npy", "<u4", INTRO)
        self.write_npy("rows.npy", "<u4", [19, 17, 23, 14, 12, 15, 20])
        self.write_npy("six.npy", "<i8", [0, 1, 2, 3, 4, 5])

    def draw(self, column, *arguments):
        result = self.succeed("draw", "--column", column, *arguments, "-o", "out.svg")
        self.assertEqual(result.stdout, "")
        return Picture(self.folder / "out.svg")

    def test_neighbours(self):
        def drawn(key, direction):
            self.succeed("draw", "--column", "rows.npy", "--nearest", key, "--direction", direction,
                         "--index", "rx:embree,bits=2+23+23", "-o", "nearest.svg")
            picture = Picture(self.folder / "nearest.svg")
            self.assertEqual(picture.hits("Q1"), picture.answer("Q1"))
            return picture.rays("Q1"), picture.hits("Q1")

        # The keys 12 to 15 are in one row of the scene, 16 to 19 and 20 to 23 in the next two.
        self.assertEqual(drawn(14, "backward"), (1, [3]))
        self.assertEqual(drawn(13, "backward"), (1, [4]))
        self.assertEqual(drawn(16, "backward"), (2, [5]))
        self.assertEqual(drawn(18, "forward"), (1, [0]))
        self.assertEqual(drawn(21, "nearest"), (2, [6]))
        self.assertEqual(drawn(24, "forward"), (0, []))
        self.reject("draw", "--column", "rows.npy", "--key", "14", "--direction", "forward", "-o", "a.svg",
                    says="--direction needs --nearest")

    def test_three_lookups_on_one_line(self):
        picture = self.draw("intro.npy", "--range", "23:25", "--range", "27:27", "--key", 29)
        self.assertEqual(picture.rows_of("triangle"), [0, 1, 2, 3, 4, 5])
        self.assertEqual([picture.answer(q) for q in ("Q1", "Q2", "Q3")], [[3, 1], [5], [2, 4]])
        self.assertEqual([picture.hits(q) for q in ("Q1", "Q2", "Q3")], [[1, 3], [5], [2, 4]])
        self.assertEqual(picture.ticks(), [str(key) for key in range(23, 30)])
        self.assertIn("range [23, 25], parallel from offset", picture.text)
        self.assertIn("point 29, perpendicular", picture.text)

    def test_lookups_are_numbered_as_they_are_given(self):
        picture = self.draw("intro.npy", "--key", 29, "--range", "23:25", "--key", 26)
        self.assertEqual([picture.answer(q) for q in ("Q1", "Q2", "Q3")], [[2, 4], [3, 1], [0]])

    def test_a_ray_for_each_row(self):
        picture = self.draw("rows.npy", "--range", "15:21", "--index", "rx,bits=2+23+23")
        self.assertEqual(picture.rays("Q1"), 3)
        self.assertEqual(picture.answer("Q1"), [5, 1, 0, 6])
        self.assertEqual(picture.hits("Q1"), [0, 1, 5, 6])
        self.assertEqual(sorted(picture.ticks()), [str(key) for key in range(12, 24)])
        self.assertIn("range [15, 21], parallel from offset, 3 rays", picture.text)

    def test_every_setting(self):
        cases = [("rx,range=zero,point=zero", "triangle", "zero", "parallel from zero"),
                 ("rx,point=offset", "triangle", "offset", "parallel from offset"),
                 ("rx,primitive=sphere", "sphere", "offset", "perpendicular"),
                 ("rx,primitive=aabb", "aabb", "offset", "perpendicular"),
                 ("rx,mode=naive,scale=2^3", "triangle", "offset", "perpendicular"),
                 ("rx,mode=extended", "triangle", "zero", "perpendicular"),
                 ("rx:embree,mode=extended,primitive=aabb,point=zero", "aabb", "zero",
                  "parallel from zero")]
        for spec, primitive, ranges, points in cases:
            with self.subTest(spec):
                picture = self.draw("six.npy", "--range", "2:3", "--key", 4, "--index", spec)
                self.assertEqual(picture.rows_of(primitive), [0, 1, 2, 3, 4, 5])
                self.assertEqual((picture.answer("Q1"), picture.answer("Q2")), ([2, 3], [4]))
                self.assertEqual((picture.hits("Q1"), picture.hits("Q2")), ([2, 3], [4]))
                self.assertIn(f"range [2, 3], parallel from {ranges}", picture.text)
                self.assertIn(f"point 4, {points}", picture.text)

    def test_misses(self):
        picture = self.draw("intro.npy", "--key", 24, "--key", 77, "--range", "9:5")
        self.assertEqual([picture.rays(q) for q in ("Q1", "Q2", "Q3")], [1, 0, 0])
        self.assertEqual(picture.groups("hit"), [])
        self.assertEqual(picture.text.count("→  no rows"), 3)

    def test_bounding_volumes(self):
        self.assertEqual(self.draw("rows.npy").groups("bvh"), [])
        (volumes,) = self.draw("rows.npy", "--bvh").groups("bvh")
        boxes = [[float(box.get(name)) for name in ("x", "y", "width", "height")]
                 for box in volumes]
        x, y, width, height = boxes[0]
        self.assertEqual(len(boxes), 6)  # 7 keys: 7 = 4 + 3 = (2 + 2) + (2 + 1)
        for inner in boxes[1:]:
            self.assertGreater(inner[0], x)
            self.assertGreater(inner[1], y)
            self.assertLess(inner[0] + inner[2], x + width)
            self.assertLess(inner[1] + inner[3], y + height)

    def test_many_duplicates_keep_their_labels(self):
        self.write_npy("same.npy", "<u2", [7] * 40)
        picture = self.draw("same.npy", "--key", 7, "--range", "0:9")
        self.assertEqual(picture.rows_of("triangle"), list(range(40)))
        self.assertEqual(picture.answer("Q1"), list(range(40)))
        self.assertIn("40 hits", picture.text)

    def test_keys_of_every_kind(self):
        self.write("words.csv", 'word,n\n"a & <b>",1\npear,2\n"say ""hi""",3\npear,4\n')
        picture = self.draw("words.csv", "--csv-column", "word", "--key", "pear",
                            "--range", "a:b", "--title", "<words> & \"more\"")
        self.assertEqual((picture.answer("Q1"), picture.answer("Q2")), ([1, 3], [0]))
        self.assertIn('<words> & "more"', picture.text)
        self.assertIn('"a & <b>"', picture.ticks())
        self.write_npy("bytes.npy", "|S3", [b"\xff\x01", b"ok", b"\xe2\x82"])
        self.assertEqual(self.draw("bytes.npy", "--key", "ok").answer("Q1"), [1])
        self.write_npy("floats.npy", "<f8", [1.5, -2.25, 1e300, 0])
        self.assertEqual(self.draw("floats.npy", "--range", "-3:0").answer("Q1"), [1, 3])
        self.write_npy("signed.npy", "<i2", [-5, 3, -32768])
        self.assertEqual(self.draw("signed.npy", "--range", "-9:0", "--key", -32768).answer("Q1"),
                         [0])
        self.write_npy("days.npy", "<M8[m]", [0, 60, 120])
        picture = self.draw("days.npy", "--range", "1970-01-01T00:30:1970-01-01T02:00")
        self.assertEqual(picture.answer("Q1"), [1, 2])
        picture = self.draw("days.npy", "--range", "1970-01-01:1970-01-01T01:00")
        self.assertEqual(picture.answer("Q1"), [0, 1])

    def test_extreme_columns(self):
        self.write_npy("one.npy", "<u8", [2**64 - 1])
        self.assertEqual(self.draw("one.npy", "--key", 2**64 - 1).answer("Q1"), [0])
        wide = [0, 2**64 - 1, 2**23, 2**46, 2**46, 12345678901234567890]
        self.write_npy("wide.npy", "<u8", wide)
        picture = self.draw("wide.npy", "--range", f"0:{2**64 - 1}", "--bvh")
        self.assertEqual(picture.answer("Q1"), [0, 2, 3, 4, 5, 1])
        self.assertEqual(picture.hits("Q1"), [0, 1, 2, 3, 4, 5])
        self.write_npy("full.npy", "<u4", [(7919 * i) % 100003 for i in range(200)])
        picture = self.draw("full.npy", "--key", 7919 * 5)
        self.assertEqual(len(picture.rows_of("triangle")), 21, "ten of each end, and the one that is found")
        self.assertEqual(picture.answer("Q1"), [5])
        text = (self.folder / "out.svg").read_text(encoding="utf-8")
        self.assertIn("21 of 200 keys are drawn", text)
        self.assertLessEqual(int(re.search(r'width="(\d+)"', text).group(1)), 1400)

    def test_times_are_labelled(self):
        self.write("days.csv", "day\n2024-01-31\n2024-02-02\n")
        self.succeed("draw", "--column", "days.csv", "--range", "2024-01-31:2024-02-01", "-o", "days.svg")
        text = (self.folder / "days.svg").read_text(encoding="utf-8")
        self.assertIn(">2024-01-31<", text)
        self.assertIn("range [2024-01-31, 2024-02-01]", text)
        self.assertNotIn(">197", text)

    def test_points(self):
        self.write("sales.csv", "price,day\n" + "".join(
            f"{i * 7 % 40},2024-01-{1 + i * 5 % 28:02}\n" for i in range(40)))
        self.succeed("draw", "--column", "sales.csv", "--where", "price=10:20", "--where",
                     "day=2024-01-05:2024-01-20", "-o", "sales.svg")
        picture = Picture(self.folder / "sales.svg")
        wanted = [i for i in range(40) if 10 <= i * 7 % 40 <= 20 and 5 <= 1 + i * 5 % 28 <= 20]
        self.assertEqual(picture.hits("Q1"), wanted)
        self.assertGreater(picture.rays("Q1"), 0)
        points = ["draw", "--column", "sales.csv", "--where", "price=10:20"]
        self.reject(*points, "--key", "3", "-o", "a.svg", says="remove the other queries")
        self.reject(*points, "--where", "day=2024-01-05:", "--where", "size=3", "-o", "a.svg",
                    says="no column 'size'")

    def test_intervals(self):
        self.write("prices.csv", "from,to\n2024-01-01,2024-02-01\n2024-02-01,\n2024-01-15,2024-02-10\n")
        intervals = ["--column", "prices.csv", "--start", "from", "--end", "to", "--ends", "[)"]
        self.succeed("draw", *intervals, "--contains", "2024-01-31", "--overlaps", "2024-02-01:2024-03-01",
                     "-o", "prices.svg")
        text = (self.folder / "prices.svg").read_text(encoding="utf-8")
        self.assertEqual(sorted(re.findall(r'class="interval" data-row="(\d+)"', text)), ["0", "2"])
        self.assertIn("Q1  contains 2024-01-31  →  rows 0 2<", text)
        self.assertIn("Q2  overlaps 2024-02-01 to 2024-03-01  →  rows 2<", text)
        self.assertEqual(re.findall(r'data-lookup="(Q\d)" data-row="(\d)"', text),
                         [("Q1", "0"), ("Q1", "2"), ("Q2", "2")])
        self.reject("draw", *intervals, "--key", "2024-01-31", "-o", "a.svg", says="remove --key")
        self.reject("draw", *intervals, "--by", "from", "-o", "a.svg", says="remove --by")
        self.reject("draw", *intervals, "-o", "a.png", says=["ends in .svg", "rsvg-convert a.svg"])

    def test_a_picture_needs_nothing_else(self):
        self.draw("intro.npy", "--key", 29, "--bvh")
        text = (self.folder / "out.svg").read_text(encoding="utf-8")
        self.assertEqual(text.count("http"), 1, "only the name space")
        self.assertNotIn("href", text)
        self.assertNotIn("nan", text)

    def test_documented_commands_make_the_documented_pictures(self):
        pictures = pathlib.Path(os.environ["RTINDEX_SOURCE_DIR"]) / "docs" / "pictures"
        page = (pictures / "README.md").read_text(encoding="utf-8")
        for block in re.findall(r"(?s)```sh\n(.*?)```", page):
            subprocess.run(["bash", "-euc", f'rtindex() {{ "{RTINDEX}" "$@"; }}\n{block}'],
                           cwd=self.folder, check=True)
        for picture in sorted(pictures.glob("*.svg")):
            with self.subTest(picture.name):
                self.assertEqual((self.folder / picture.name).read_text(encoding="utf-8"),
                                 picture.read_text(encoding="utf-8"))

    def test_bad_input(self):
        def reject(*arguments, says):
            self.reject("draw", "-o", "new.svg", *arguments, says=says)
        self.write_npy("long.npy", "<u4", list(range(201)))
        self.write_npy("empty.npy", "<u4", [])
        reject("--column", "long.npy", says=["201 rows", "200"])
        reject("--column", "empty.npy", says="nothing to draw")
        reject("--column", "none.npy", says="none.npy")
        reject("--column", "intro.npy", "--key", "soon", says="soon")
        reject("--column", "intro.npy", "--range", "23", says=["--range 23", "LOWER:UPPER"])
        reject("--column", "intro.npy", "--range", "1:2:3", says="LOWER:UPPER")
        reject("--column", "intro.npy", "--range", "1:x", says="x")
        reject("--column", "intro.npy", "--index", "hash", says="casts no rays")
        reject("--column", "intro.npy", "--index", "rx:native", says="casts no rays")
        reject("--column", "intro.npy", "--index", "rx,primitive=cube", says="cube")
        reject("--column", "intro.npy", "--format", "parquet", says="parquet")
        self.write_npy("far.npy", "<u8", [0, 2**40])
        reject("--column", "far.npy", "--index", "rx,mode=naive", says=["row 1", "mode=3d"])
        reject("--column", "far.npy", "--range", f"0:{2**40}", "--index", "rx,row_rays=all",
               says="row_rays=occupied")
        self.reject("draw", "--column", "intro.npy", says="--output")
        self.reject("draw", "--column", "intro.npy", "-o", "nowhere/out.svg", says="nowhere")

    def test_an_old_picture_stays_where_a_new_one_fails(self):
        self.draw("intro.npy")
        before = (self.folder / "out.svg").read_bytes()
        self.reject("draw", "--column", "intro.npy", "--key", "soon", "-o", "out.svg")
        self.assertEqual((self.folder / "out.svg").read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
