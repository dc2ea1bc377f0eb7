"""Ugly CSV files: what `rtindex info` reads of column k, or the message, beside what pandas reads.

Run by a Python with pandas (build/python/venv has it), every file that both read is compared.
"""

import gzip
import io
import json
import unittest

from command import CommandTest

try:
    import pandas
except ImportError:
    pandas = None

MILLION = 10**6
SAME = {}  # pandas with its defaults


class File:
    """A file, the options of the command, and what is expected."""

    def __init__(self, data, reads=None, says=None, options=(), pandas=None, note=None):
        self.data = data if isinstance(data, bytes) else data.encode()
        self.reads, self.says, self.options, self.note = reads, says, options, note
        self.pandas = pandas  # the arguments of read_csv; None: pandas reads it otherwise, or not


FILES = {
    # Bytes and lines.
    "byte_order_mark": File(b"\xef\xbb\xbfk,x\n1,2\n", ("int64", ["1"]), pandas=SAME),
    "crlf": File("k,x\r\n1,2\r\n3,4\r\n", ("int64", ["1", "3"]), pandas=SAME),
    "cr_only": File("k\r1\r2\r", says="lines end in CR: expected LF or CR LF"),
    "no_last_line_break": File("x,k\n1,2", ("int64", ["2"]), pandas=SAME),
    "empty_lines": File("x,k\n1,2\n\n\n3,4\n\n", ("int64", ["2", "4"]), pandas=SAME),
    "empty_lines_of_one_column": File("k\n1\n\n3\n", ("int64", ["1", None, "3"]),
                                      pandas={"skip_blank_lines": False}),
    "empty": File("", says="is empty: expected a CSV header"),
    "header_only": File("k,x\n", ("int64", [])),
    "binary": File(b"\x93NUMPY\x01\x00v\x00", says="is not a CSV file"),
    "one_line_break": File("\n", says="has an empty first line"),
    "null_byte": File("k,x\n1\0002,3\n4,5\n", says="line 2, column 2: byte 0x00 is not text"),
    # Quotes.
    "quoted_comma": File('k,x\n"a,b",1\n', ("string", ["a,b"]), pandas=SAME),
    "doubled_quotes": File('k,x\n"say ""hi""",1\n', ("string", ['say "hi"']), pandas=SAME),
    "embedded_line_break": File('k,x\n"two\nlines",1\nb,2\n', ("string", ["two\nlines", "b"]),
                                pandas=SAME),
    "quoted_numbers": File('k,x\n"1",a\n"2",b\n', ("int64", ["1", "2"]), pandas=SAME),
    "quote_within_a_field": File('k,x\n5" pipe,1\n', ("string", ['5" pipe']), pandas=SAME),
    "unclosed_quote": File('k,x\n1,2\n3,"4\n', says="line 3: unclosed quoted field"),
    "text_after_a_quote": File('k,x\n"1"x,2\n', says="line 2: text after a closing quote"),
    # Shapes.
    "short_line": File("k,x\n1,2\n3\n", says="line 3: expected 2 fields as in the first line, got 1"),
    "trailing_separators": File("k,x\n1,2,\n", says="line 2: ends with ',', and the first line does not"),
    "long_line": File("k,x\n1,2\n3,4,5\n", says="line 3: expected 2 fields as in the first line, got 3"),
    "one_column": File("k\n7\n8\n", ("int64", ["7", "8"]), pandas=SAME),
    "two_columns_of_one_name": File("k,k\n1,2\n", says="two columns named 'k'"),
    "no_header": File("5,6\n7,8\n", says="has no header: its first line is 5,6; pass --no-header"),
    "no_header_as_told": File("5,6\n7,8\n", ("int64", ["6", "8"]),
                              options=["--no-header", "--csv-column", "2"],
                              pandas={"header": None, "names": ["a", "k"]}),
    "semicolons": File("x;k\n1;2\n", says="pass --delimiter ';'"),
    "semicolons_as_told": File("x;k\n1;2\n", ("int64", ["2"]), options=["--delimiter", ";"],
                               pandas={"sep": ";"}),
    "excel": File("sep=;\r\nx;k\r\n1;2,5\r\n", ("string", ["2,5"]), pandas={"sep": ";", "skiprows": 1}),
    "excel_with_tabs": File(b"\xef\xbb\xbfsep=\t\nx\tk\n1\tA\n", ("string", ["A"]),
                            pandas={"sep": "\t", "skiprows": 1}),
    "excel_lines": File("sep=;\nx;k\n1;2\n3\n", says="line 4: expected 2 fields"),
    "tabs": File("x\tk\n1\t2,5\n", says="pass --delimiter 'tab'"),
    # Numbers.
    "spaces": File("k,x\n 1,a\n2 ,b\n", ("int64", ["1", "2"]), pandas=SAME),
    "words_for_nulls": File("k\n1\nNA\nN/A\nNULL\nnull\nNaN\n9\n",
                            ("int64", ["1", None, None, None, None, None, "9"]), pandas=SAME,
                            note="5 of 7 fields are null"),
    "other_word_for_nulls": File("k\n1\n-\n9\n", says="line 3: '-' is not a number, but 2 of 3"),
    "other_word_as_told": File("k\n1\n-\n9\n", ("int64", ["1", None, "9"]), options=["--null", "-"],
                               pandas={"na_values": ["-"]}),
    "mixed": File("k\n1\n2\nthree\n", says="pass --null 'three' if it means that there is no value"),
    "mixed_as_told": File("k\n1\n2\nthree\n", ("string", ["1", "2", "three"]),
                          options=["--type", "k:string"], pandas={"dtype": str}),
    "decimal_comma_beside_numbers": File("k;x\n1;a\n2;b\n2,5;c\n", options=["--delimiter", ";"],
                                         says="line 4: '2,5' is not a number, but 2 of 3 fields of column k are: "
                                              "correct it, pass --decimal , if its comma"),
    "decimal_comma_of_a_type": File("k;x\n2,5;c\n", options=["--delimiter", ";", "--type", "k:float64"],
                                    says="pass --decimal , if its comma"),
    "beyond_float64": File("k\n1\n-1e400\n", says="line 3: -1e400 is beyond the range of float64"),
    "beyond_float32": File("k\n1e39\n", options=["--type", "k:float32"],
                           says="line 2: 1e39 is beyond the range of float32"),
    "whole_floats_as_told": File("k\n1.0\n\n-2.00\n", ("int64", ["1", None, "-2"]), options=["--type", "k:int64"]),
    "fraction_of_an_integer": File("k\n1.5\n", options=["--type", "k:int64"], says="'1.5' is no int64"),
    "bools": File("k\nTrue\nFALSE\ntrue\n", ("bool", ["true", "false", "true"]), pandas=SAME),
    "bools_and_nulls": File("k,x\ntrue,1\n,2\n", ("bool", ["true", None])),
    "bools_beside_text": File("k\ntrue\nno\n", ("string", ["true", "no"]), pandas=SAME),
    "bools_and_a_word": File("k\ntrue\nFALSE\nn/a\n",
                             says="line 4: 'n/a' is neither true nor false, but 2 of 3 fields of column k are"),
    "bools_and_a_word_as_null": File("k\ntrue\nFALSE\nn/a\n", ("bool", ["true", "false", None]),
                                     options=["--null", "n/a"]),
    "mostly_text": File("k\nA7\n12\nB9\n", ("string", ["A7", "12", "B9"]), pandas=SAME,
                        note="1 of 3 fields are numbers or times: column k is read as strings"),
    "above_int64": File("k\n1\n18446744073709551615\n", ("uint64", ["1", "18446744073709551615"]),
                        pandas=SAME),
    "above_uint64": File("k\n1\n36893488147419103232\n", says="no 64-bit type fits all integers"),
    "above_2_to_53": File("k\n1.5\n9007199254740993\n",
                          says="line 3: 9007199254740993 is not exact as float64"),
    "above_2_to_53_as_told": File("k\n1.5\n9007199254740993\n",
                                  ("float64", ["1.5", "9007199254740992"]),
                                  options=["--type", "k:float64"], pandas=SAME),
    "decimals": File("k\n1\n2.5\n-1e3\n.5\n", ("float64", ["1", "2.5", "-1000", "0.5"]),
                     pandas=SAME),
    "decimal_commas": File('k,x\n"9,50",a\n"-1,5e3",b\n7,c\n,d\n', ("float64", ["9.5", "-1500", "7", None]),
                           options=["--decimal", ","], pandas={"decimal": ","},
                           note="column k: 1 of 4 fields are null"),
    "decimal_commas_untold": File("k;x\n9,50;a\n", ("string", ["9,50"]), options=["--delimiter", ";"],
                                  pandas={"sep": ";"},
                                  note="column k: '9,50' is read as text: pass --decimal , if"),
    "decimal_commas_and_points": File("k;x\n9,50;a\n1.234;b\n", options=["--delimiter", ";", "--decimal", ","],
                                      says="line 3: '1.234' is not a number, but 1 of 2"),
    "decimal_commas_beside_text": File("x;k\n9,50;a 1,5\n", ("string", ["a 1,5"]),
                                       options=["--delimiter", ";", "--decimal", ","],
                                       pandas={"sep": ";", "decimal": ","}),
    "decimal_commas_of_nulls": File("x;k\n1;9,50\n2;-9,99\n", ("float64", ["9.5", None]),
                                    options=["--delimiter", ";", "--decimal", ",", "--null", "-9,99"]),
    "infinities": File("k\n1\ninf\n-inf\n", ("float64", ["1", "inf", "-inf"]), pandas=SAME),
    "leading_zeros": File("k\n02134\n00501\n", ("int64", ["2134", "501"]), pandas=SAME,
                          note="--type k:string keeps its zeros"),
    "thousands": File('k,x\n"1,234",a\n"5,678",b\n', ("string", ["1,234", "5,678"]), pandas=SAME,
                      note="'1,234' is read as text"),
    "hexadecimal": File("k\n0x10\n", ("string", ["0x10"]), pandas=SAME),
    "only_nulls": File("k,x\n,1\n,2\n", ("int64", [None, None]), pandas=SAME),
    # Dates and times.
    "iso_dates": File("k\n2024-01-31\n\n2024-02-29\n",
                      ("timestamp64[D]", ["2024-01-31", None, "2024-02-29"]),
                      pandas={"parse_dates": ["k"], "skip_blank_lines": False}),
    "iso_times": File("k\n2024-01-31T12:30\n2024-01-31 12:30:05.25Z\n",
                      ("timestamp64[us]",
                       ["2024-01-31T12:30:00.000000", "2024-01-31T12:30:05.250000"])),
    "offsets_from_utc": File("k\n2024-01-31T12:30:00+02:00\n2024-01-31T12:30:00-05:00\n",
                             ("timestamp64[us]",
                              ["2024-01-31T10:30:00.000000", "2024-01-31T17:30:00.000000"])),
    "european_dates": File("k\n31.01.2024\n01.02.2024\n", ("string", ["31.01.2024", "01.02.2024"]),
                           pandas=SAME, note="times as 2024-01-31"),
    "american_dates": File("k\n01/31/2024\n", ("string", ["01/31/2024"]), pandas=SAME,
                           note="times as 2024-01-31"),
    "dates_and_text": File("k\n2024-01-31\n2024-02-01\nsoon\n",
                           says="line 4: 'soon' is not a date or time in ISO 8601"),
    "dates_and_infinities": File("k\n2024-01-31\ninfinity\ninfinity\n",
                                 says="line 3: dates and times have no 'infinity', as in column k"),
    "dates_of_two_formats": File("k\n2024-01-31\n01.02.2024\n", says="'01.02.2024' is not a date"),
    # Encodings.
    "utf_8": File("k\nMalmö\nОсло\n", ("string", ["Malmö", "Осло"]), pandas=SAME),
    "latin_1": File(b"x,k\n1,Oslo\n2,Malm\xf6\n", says="line 3, column 7: byte 0xf6 is not UTF-8"),
    "latin_1_as_told": File(b"x,k\n1,Oslo\n2,Malm\xf6\n", ("string", ["Oslo", "Malmö"]),
                            options=["--encoding", "latin-1"], pandas={"encoding": "latin-1"}),
    "windows_1252_as_latin_1": File(b"k\n5 \x80\nMalm\xf6\n", ("string", ["5 €", "Malmö"]),
                                    options=["--encoding", "latin-1"], pandas={"encoding": "cp1252"}),
    "quoted_semicolons": File('"id";"v"\n"1";"2"\n', says="pass --delimiter ';' if it separates fields"),
    "amounts": File("k\n5 EUR\n10 EUR\n", ("string", ["5 EUR", "10 EUR"]), pandas=SAME,
                    note="'5 EUR' is read as text: numbers are written as 1234.5"),
    "units": File("k\n12 km\n9 km\n", ("string", ["12 km", "9 km"]), pandas=SAME,
                  note="'12 km' is read as text"),
    "minus_nan": File("k\n-nan\n1.5\n", ("float64", [None, "1.5"]), pandas=SAME, note="1 of 2 fields are null"),
    "utf_8_told_as_latin_1": File("k\nMalmö\n", options=["--encoding", "latin-1"],
                                  says="is UTF-8, but --encoding latin-1 holds for all files of the call"),
    "utf_16": File("k\nMalmö\n".encode("utf-16"), ("string", ["Malmö"]),
                   pandas={"encoding": "utf-16"}),
    "country_codes": File("k\nNA\nNO\n", ("string", ["NA", "NO"]),
                          pandas={"keep_default_na": False}),
    # Size.
    "million": File("k,x\n" + "".join(f"{i},a\n" for i in range(MILLION)),
                    ("int64", [str(i) for i in range(10)]), pandas=SAME),
    "late_text": File("k\n" + "7\n" * MILLION + "x\n", says=f"line {MILLION + 2}: 'x' is not a number"),
}


def as_shown(value, kind):
    """An element of pandas as `rtindex info` shows it."""
    if pandas.isna(value):
        return None
    if kind.startswith("timestamp"):
        return value.strftime("%Y-%m-%d")
    if kind in ("int64", "uint64"):
        return str(int(value))
    if kind == "bool":
        return str(value).lower()
    if kind == "float64":
        return f"{value:.16g}"
    return value


class UglyFiles(CommandTest):
    def info(self, file, name):
        self.write(f"{name}.csv", file.data)
        options = list(file.options)
        if "--csv-column" not in options:
            options += ["--csv-column", "k"]
        return json.loads(self.succeed("info", f"{name}.csv", *options, "--json").stdout)

    def test_every_file_gets_its_answer_or_its_message(self):
        self.assertGreaterEqual(len(FILES), 40)
        for name, file in FILES.items():
            with self.subTest(name):
                info = self.info(file, name)
                if file.says:
                    self.assertIn(f"{name}.csv", info["error"])
                    self.assertIn(file.says, info["error"])
                    continue
                self.assertNotIn("error", info)
                self.assertEqual((info["type"], info["first"]), file.reads)
                self.assertIn(file.note or "", info.get("note", ""))

    def test_a_message_is_the_same_from_every_verb(self):
        for name in "mixed", "above_2_to_53", "latin_1", "no_header", "semicolons":
            with self.subTest(name):
                self.write("a.csv", FILES[name].data)
                for verb in ["lookup", "--key", "1"], ["build", "-o", "a.rtindex"]:
                    self.reject(*verb, "--column", "a.csv", "--csv-column", "k",
                                says=["a.csv", FILES[name].says])

    def test_options(self):
        self.write("a.csv", "k\n1\n")
        for options, says in ((["--type", "k"], "expected COLUMN:TYPE"),
                              (["--type", "k:number"], "invalid --type k:number"),
                              (["--delimiter", "::"], "expected one character, or tab"),
                              (["--decimal", ";"], "invalid --decimal ;: expected . or ,"),
                              (["--encoding", "ebcdic"], "expected utf-8, latin-1 or utf-16"),
                              (["--header", "--no-header"], "pass one of them")):
            self.reject("lookup", "--column", "a.csv", "--key", "1", *options, says=says)

    def test_options_without_effect(self):
        self.write("a.csv", "zip, city,price\n02134,Oslo,1\n00501,Rome,2\n")
        self.write_npy("k.npy", "<i8", [501, 7])
        column = ["--column", "a.csv", "--csv-column", "zip"]
        lookup = ["lookup", *column, "--key", "501"]
        self.succeed("build", *column, "-o", "b.rtindex")
        for call, says in ((["lookup", *column, "--key", "501", "--type", "zpi:string"],
                            ["--type zpi: no CSV file", "did you mean 'zip'?"]),
                           (["info", "a.csv", "--type", "city:string"], ["did you mean ' city'?"]),
                           (["info", "a.csv", "--csv-column", "pric"], ["--csv-column pric", "did you mean 'price'?"]),
                           (["info", "b.rtindex", "--null", "x"], ["--null needs a CSV file"]),
                           ([*lookup, "--values-csv-column", "price"], ["--values-csv-column needs --values"]),
                           (["lookup", *column, "--keys", "k.npy", "--keys-csv-column", "nosuch"],
                            ["--keys-csv-column nosuch: no CSV file"]),
                           ([*lookup, "--keys-csv-column", "zip"], ["--keys-csv-column needs --keys FILE"]),
                           (["range", *column, "--range", "1:2", "--lower-csv-column", "zip"],
                            ["--lower-csv-column needs --lower FILE"]),
                           (["select", *column, "--rank", "1", "--ranks-csv-column", "zip"],
                            ["--ranks-csv-column needs --ranks FILE"]),
                           (["filter", *column[:2], "--csv-column", "nosuch", "--where", "price=1"], ["'nosuch'"]),
                           (["lookup", "--load", "b.rtindex", "--key", "501", "--csv-column", "nosuch"],
                            ["--csv-column needs a CSV file"]),
                           (["lookup", "--load", "b.rtindex", "--key", "501", "--delimiter", ";"],
                            ["--delimiter needs a CSV file"])):
            self.reject(*call, says=says)
        self.succeed(*lookup, "--type", "price:string")

    def test_keys_in_another_encoding(self):
        self.write("a.csv", "k,x\nKöln,1\n".encode("latin-1"))
        self.write("k.csv", "k\nKöln\n")
        call = ["lookup", "--column", "a.csv", "--csv-column", "k", "--keys", "k.csv", "--encoding", "latin-1"]
        self.reject(*call, says=["k.csv is UTF-8", "iconv"])

    def test_other_formats_name_their_conversion(self):
        self.write("a.csv.gz", gzip.compress(b"k\n1\n"))
        self.write("a.csv", gzip.compress(b"k\n1\n"))
        self.write("a.parquet", b"PAR1" + bytes(20) + b"PAR1")
        self.write("b.csv", b"PAR1")
        for name, says in (("a.csv.gz", "gunzip -k"), ("a.csv", "gunzip -k"), ("a.parquet", "duckdb -c"),
                           ("b.csv", "duckdb -c")):
            self.reject("lookup", "--column", name, "--key", "1", says=[name, says])

    def test_long_texts_are_cut(self):
        self.write("a.csv", "k\n" + "ä" * 100000 + "\n")
        self.assertLess(len(self.succeed("info", "a.csv").stdout), 500)

    def test_integers_as_pandas_writes_them_beside_nulls(self):
        self.write("a.csv", "k\n1\n2\n")
        self.write("k.csv", "k\n1.0\n2.0\n\n")
        self.assertEqual(self.succeed("lookup", "--column", "a.csv", "--keys", "k.csv", "-q", "-o", "-").stdout,
                         "key,any\n1,0\n2,1\n,\n")
        self.write("k.csv", "k\n1.5\n")
        self.reject("lookup", "--column", "a.csv", "--keys", "k.csv", says="expected int64")

    def test_keys_that_are_true_or_false(self):
        self.write("a.csv", "k,x\nTrue,1\nFALSE,2\n,3\n")
        column = ["--column", "a.csv", "--csv-column", "k", "-q"]
        self.assertEqual(self.succeed("lookup", *column, "--key", "TRUE", "--key", "0", "-o", "-").stdout,
                         "key,any\ntrue,0\nfalse,1\n")
        self.reject("lookup", *column, "--key", "maybe", says=["expected bool", "write true or false"])
        out = self.succeed("filter", "--column", "a.csv", "--where", "k=true", "-q", "-o", "-").stdout
        self.assertEqual(out, "filter,any\nk=true,0\n")

    def test_orders_of_numbers_over_text_are_rejected(self):
        self.write("a.csv", 'n,d,p\n"1,234",01/31/2024,$9.00\n"2,345,678",02/01/2023,$10.00\n999,03/01/2024,$8.00\n')
        for name, key, sample in (("n", "1000", "1,234"), ("d", "02/01/2024", "01/31/2024"), ("p", "$10", "$9.00")):
            column = ["--column", "a.csv", "--csv-column", name, "-q"]
            says = [f"column {name} of a.csv holds text, such as '{sample}'", f"or pass --type {name}:string"]
            for verb in (["nearest", "--key", key], ["rank", "--key", key], ["join", "--asof", "--key", key],
                         ["select", "--quantile", "1"], ["select", "--rank", "0"]):
                self.reject(*verb, *column, says=says)
                self.succeed(*verb, *column, "--type", f"{name}:string")
        self.write("b.csv", "k\nAnn\nBo\n")
        self.succeed("select", "--column", "b.csv", "--rank", "0", "-q")
        self.succeed("nearest", "--column", "b.csv", "--key", "Bea", "-q")

    def test_ranges_of_numbers_over_text_are_rejected(self):
        self.write("p.csv", "preis;ort\n9,50;Ulm\n12,00;Bonn\n")
        column = ["--column", "p.csv", "--delimiter", ";", "-q"]
        for verb in (["filter", "--where", "preis=9:20"], ["filter", "--where", "preis=:20"],
                     ["range", "--csv-column", "preis", "--range", "9:20"]):
            self.reject(*verb, *column, says=["column preis of p.csv holds text, such as '9,50'", "pass --decimal ,",
                                              "--type preis:string"])
        self.reject("filter", "--where", "ort=9:20", *column, says=["such as 'Ulm'", "9: pass --type ort:string"])
        self.assertIn("2\n", self.succeed("filter", "--where", "preis=9:20", *column, "--decimal", ",",
                                          "--answer", "count", "-o", "-").stdout)
        self.assertIn("0\n", self.succeed("filter", "--where", "preis=9:20", *column, "--type", "preis:string",
                                          "--answer", "count", "-o", "-").stdout)
        self.succeed("range", "--csv-column", "ort", "--range", "A:C", *column)
        self.succeed("lookup", "--csv-column", "preis", "--key", "9,50", *column)
        comma = [*column, "--decimal", ",", "--answer", "count", "-o", "-"]
        self.reject("filter", "--where", "preis=9,50", *comma, says=["preis=9,50", "with a point"])
        self.assertIn("1\n", self.succeed("filter", "--where", "preis=9.5", *comma).stdout)
        self.assertIn("1\n", self.succeed("filter", "--where", 'preis="9.5","3"', *comma).stdout)

    def test_columns_without_a_name(self):
        self.write("a.csv", "k,x,\n1,2,\n3,4,\n")
        text = self.succeed("info", "a.csv").stdout
        self.assertIn("column 3 of a.csv has no name in the first line", text)
        self.assertRegex(text, r"(?m)^x +int64 +2 ")
        self.assertIn("1\n", self.succeed("lookup", "--column", "a.csv", "--csv-column", "x", "--key", 4, "-q").stdout)

    def test_a_broken_line_is_named_once(self):
        self.write("a.csv", "k,x\n1,2\n3\n")
        self.reject("info", "a.csv", says=["line 3"])

    def test_keys_beside_a_decimal_comma(self):
        self.write("a.csv", "k;x\n1,5;1\n2,25;2\n")
        column = ["--column", "a.csv", "--csv-column", "k", "--delimiter", ";", "--decimal", ",", "-q"]
        self.reject("lookup", *column, "--key", "1,5", says=["invalid --key '1,5'", "write a number such as 1.5"])
        self.assertIn("1.5    0\n", self.succeed("lookup", *column, "--key", "1.5").stdout)
        self.write("b.csv", "k\n9007199254740993\n")
        self.reject("lookup", "--column", "b.csv", "--key", "9007199254740993", "--key", "1.5",
                    says=["--key: 9007199254740993 is not exact as float64", "because of 1.5: write integers only"])

        self.write("k.csv", "k\n9.50\n")
        self.reject("lookup", *column, "--keys", "k.csv", says=["such as '9.50'", "write its numbers with a comma"])

    def test_nulls_among_values_are_skipped(self):
        self.write("prices.csv", "id,price\n7,1.5\n7,NA\n8,N/A\n7,2\n")
        out = self.succeed("lookup", "--column", "prices.csv", "--csv-column", "id", "--values",
                           "prices.csv", "--values-csv-column", "price", "--key", 7, "--answer",
                           "sum,count")
        self.assertIn("7      3  3.5\n", out.stdout)
        self.assertIn("note     prices.csv: column price: 2 of 4 fields are null\n", out.stderr)

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_pandas_reads_the_same(self):
        for name, file in FILES.items():
            if file.pandas is None:
                continue
            with self.subTest(name):
                kind, first = file.reads
                frame = pandas.read_csv(io.BytesIO(file.data), **file.pandas)
                self.assertEqual([as_shown(value, kind) for value in frame["k"][:10]], first)
                info = self.info(file, name)
                self.assertEqual(info["rows"], len(frame))
                self.assertEqual(info["nulls"], int(frame["k"].isna().sum()))


if __name__ == "__main__":
    unittest.main()
