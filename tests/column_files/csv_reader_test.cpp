#include "column_files/csv_reader.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include <rtindex/control.hpp>

#include "column_files/text_column.hpp"
#include "scratch.hpp"

namespace rtindex {
namespace {

using testing::error_of;

class CsvReader : public testing::Scratch {
 protected:
  LoadedColumn load(std::string_view text, const std::string& column = "k",
                    const LoadedColumn* like = nullptr, const CsvFormat& format = {}) const {
    return read_csv(write("a.csv", text), {.name = column}, like, format);
  }
  std::string error_message(std::string_view text, const std::string& column = "k",
                            const CsvFormat& format = {}) const {
    const std::string sentence =
        error_of([&] { static_cast<void>(load(text, column, nullptr, format)); });
    EXPECT_SAYS(sentence, path("a.csv"));
    return sentence;
  }
  // Type and elements: "int64 1 null 3".
  static std::string shown(const LoadedColumn& column) {
    std::string text = column.type_text();
    for (std::size_t row = 0; row < column.size(); ++row) text += " " + column.view().text(row);
    return text;
  }
};

TEST_F(CsvReader, ChoosesTheNarrowestTypeOfTheEntireColumn) {
  EXPECT_EQ(shown(load("k\n1\n-2\n+3\n")), "int64 1 -2 3");
  EXPECT_EQ(shown(load("k\n1\n18446744073709551615\n")), "uint64 1 18446744073709551615");
  EXPECT_EQ(shown(load("k\n1\n2.5\n-1e3\n")), "float64 1 2.5 -1000");
  EXPECT_EQ(shown(load("k\n0x10\n")), "string \"0x10\"");
  EXPECT_EQ(shown(load("k\n1\ninf\n-inf\n")), "float64 1 inf -inf");
  EXPECT_EQ(shown(load("k\n1e-400\n")), "float64 0");
  EXPECT_SAYS(error_message("k\n1\n-1e400\n"), "line 3: -1e400 is beyond the range of float64");
  EXPECT_EQ(shown(load("k\nTrue\nFALSE\n\n")), "bool 1 0 null");
  EXPECT_EQ(shown(load("k\n 1\n2 \n")), "int64 1 2");
  EXPECT_EQ(shown(load("k\n+-1\n")), "string \"+-1\"");
  EXPECT_EQ(shown(load("k\n-9223372036854775808\n")), "int64 -9223372036854775808");
}

TEST_F(CsvReader, EmptyFieldsAreNulls) {
  EXPECT_EQ(shown(load("k,x\n1,a\n,b\n3,c\n")), "int64 1 null 3");
  EXPECT_EQ(shown(load("k,x\na,1\n,2\n\"\",3\n")), "string \"a\" null \"\"");
  EXPECT_EQ(shown(load("k,x\n1,1\n\"\",2\n")), "int64 1 null");
  EXPECT_EQ(shown(load("k,x\n,1\n,2\n")), "int64 null null");
  EXPECT_EQ(shown(load("k\n1\n\n3\n")), "int64 1 null 3") << "a file of one column";
  EXPECT_EQ(load("k,x\n1,a\n,b\n3,c\n").slice(1, 2).text(0), "null");
  EXPECT_EQ(load("k,x\n1,a\n,b\n3,c\n").slice(1, 2).text(1), "3");
}

TEST_F(CsvReader, ReadsQuotesAsRfc4180Says) {
  EXPECT_EQ(shown(load("k,x\n\"a,b\",1\n\"say \"\"hi\"\"\",2\n\"two\nlines\",3\n")),
            "string \"a,b\" \"say \"hi\"\" \"two\\x0alines\"");
  EXPECT_EQ(shown(load("x,k\n\"a,\"\"\n\",1\n,\"2\"\n")), "int64 1 2");
  EXPECT_EQ(shown(load("\"k\",\"a \"\"b\"\"\"\n1,2\n", "a \"b\"")), "int64 2");
  EXPECT_EQ(shown(load("k\n5\" pipe\n")), "string \"5\" pipe\"");
}

TEST_F(CsvReader, ReadsEveryEndOfLineAndOfFile) {
  EXPECT_EQ(shown(load("k,x\r\n1,2\r\n3,4\r\n")), "int64 1 3");
  EXPECT_EQ(shown(load("x,k\r\n1,\"2\"\r\n3,4")), "int64 2 4");
  EXPECT_EQ(shown(load("x,k\n1,2\n3,")), "int64 2 null");
  EXPECT_EQ(shown(load("x,k\n1,2\n\n\r\n3,4\n\n\n")), "int64 2 4");
  EXPECT_EQ(shown(load("\xef\xbb\xbfk,x\n1,2\n")), "int64 1");
  EXPECT_EQ(shown(load("k\n")), "int64");
  EXPECT_EQ(shown(load("k")), "int64");
}

TEST_F(CsvReader, FindsItsColumn) {
  EXPECT_EQ(shown(load("only\n4\n", "")), "int64 4");
  EXPECT_EQ(shown(read_csv(write("a.csv", "other\n4\n"), {.name = "k", .or_the_only_one = true})),
            "int64 4");
  EXPECT_SAYS(error_message("a,b,c\n1,2,3\n"),
              "no column 'k': choose one of a, b, c with --csv-column");
  EXPECT_SAYS(error_message("a,b\n1,2\n", ""), "has 2 columns: choose one of a, b");
  EXPECT_SAYS(error_message("other\n4\n"), "no column 'k'");
  EXPECT_SAYS(error_message("k,k\n1,2\n"), "two columns named 'k'");
}

TEST_F(CsvReader, ReportsTheLineOfAnError) {
  EXPECT_SAYS(error_message("k,x\n1,2\n3\n"),
              "line 3: expected 2 fields as in the first line, got 1");
  EXPECT_SAYS(error_message("k,x\n\n1,\"a\nb\"\n3,4,5\n"), "line 5: expected 2 fields");
  EXPECT_SAYS(error_message("k,x\n1,2\n3,\"4\n5,6\n"), "line 3: unclosed quoted field");
  EXPECT_SAYS(error_message("k,x\n1,\"2\"3\n"), "line 2: text after a closing quote");
}

TEST_F(CsvReader, RejectsFilesThatAreNotCsv) {
  EXPECT_SAYS(error_message(""), "is empty");
  EXPECT_SAYS(error_message("k\r1\r2\r"), "lines end in CR");
  EXPECT_EQ(load("k\r").size(), 0U);
  EXPECT_SAYS(error_message(std::string_view("\x93NUMPY\x01\x00v\x00", 10)), "is not a CSV file");
}

TEST_F(CsvReader, RejectsNumbersThatWouldBeRounded) {
  const LoadedColumn floats = LoadedColumn::numbers("floats", Type::f32, RawMemory(8), 0);
  // Compared as float64, no float32 is 16777217; 0.1 still means the float32 next to it.
  EXPECT_EQ(shown(load("k\n3\n16777217\n1e39\n0.1\n", "k", &floats)),
            "float64 3 16777217 1e+39 0.10000000149011612");
  const LoadedColumn doubles = LoadedColumn::numbers("doubles", Type::f64, RawMemory(8), 0);
  EXPECT_EQ(load("k\n18446744073709551616\n9007199254740992\n0.1\n-inf\n", "k", &doubles).size(),
            4U);
  for (const char* text :
       {"k\n1\n-9007199254740993\n", "k\n0\n18446744073709551615\n", "k\n2\n1e400\n"})
    for (const LoadedColumn* like : {&floats, &doubles})
      EXPECT_SAYS(error_of([&] { static_cast<void>(load(text, "k", like)); }),
                  "in row 1 (counted from 0) is not exact as float64");
}

TEST_F(CsvReader, NeverRoundsIntegers) {
  EXPECT_SAYS(error_message("k\n1\n99999999999999999999\n"),
              "line 3: no 64-bit type fits all integers, such as 99999999999999999999");
  EXPECT_SAYS(error_message("k\n-1\n18446744073709551615\n"), "no 64-bit type fits all");
  EXPECT_SAYS(
      error_message("k\n1.5\n9007199254740993\n"),
      "line 3: 9007199254740993 is not exact as float64, the type of column k because of 1.5");
  EXPECT_SAYS(error_message("k\n0.5\n99999999999999999999\n"), "--type k:float64 to round it");
  EXPECT_EQ(shown(load("k\n0.5\n9007199254740992\n100000000000000000000\n")),
            "float64 0.5 9007199254740992 1e+20");
  EXPECT_EQ(shown(load("k\n1.5\n9007199254740993\n", "k", nullptr, {.types = {{"k", "float64"}}})),
            "float64 1.5 9007199254740992");
}

TEST_F(CsvReader, FollowsTheTypeOfAnotherColumn) {
  TextColumn word;
  word.add("x");
  const LoadedColumn strings = std::move(word).finish({.name = "strings"});
  EXPECT_EQ(shown(load("k\n007\n", "k", &strings)), "string \"007\"");
  RawMemory memory(sizeof(float));
  const LoadedColumn floats = LoadedColumn::numbers("floats", Type::f32, std::move(memory), 0);
  EXPECT_EQ(shown(load("k\n0.1\n3\ninf\n", "k", &floats)), "float32 0.1 3 inf");
  EXPECT_EQ(shown(load("k\nword\n", "k", &floats)), "string \"word\"");
  LoadedColumn times = LoadedColumn::numbers("times", Type::timestamp64, RawMemory(8), 0);
  times.set_unit("s");
  EXPECT_EQ(shown(load("k\n1970-01-02T00:00:01\n1970-01-01\n\n", "k", &times)),
            "timestamp64[s] 1970-01-02T00:00:01 1970-01-01T00:00:00 null");
}

TEST_F(CsvReader, ReadsDatesAndTimes) {
  EXPECT_EQ(shown(load("k\n1970-01-02\n1969-12-31\n")), "timestamp64[D] 1970-01-02 1969-12-31");
  EXPECT_EQ(shown(load("k,x\n\"1970-01-02\",a\n,b\n\"\",c\n")),
            "timestamp64[D] 1970-01-02 null null");
  EXPECT_EQ(shown(load("k\n1970-01-01T00:00:01\n")), "timestamp64[us] 1970-01-01T00:00:01.000000");
  EXPECT_EQ(shown(load("k\n1970-01-01 00:00:00.25\n1970-01-02\n")),
            "timestamp64[us] 1970-01-01T00:00:00.250000 1970-01-02T00:00:00.000000")
      << "one time of day makes times of all dates";
  EXPECT_EQ(shown(load("k\n1970-01-01T00:00:00.000000001\n1970-01-01T00:00:00.5Z\n")),
            "timestamp64[ns] 1970-01-01T00:00:00.000000001 1970-01-01T00:00:00.500000000");
  EXPECT_EQ(shown(load("k\n1970-01-01T02:00:01+02:00\n")),
            "timestamp64[us] 1970-01-01T00:00:01.000000");
  EXPECT_EQ(shown(load("k\n9999-12-31T00:00\n")), "timestamp64[us] 9999-12-31T00:00:00.000000");
  EXPECT_SAYS(error_message("k\n1970-01-01T00:00:00.000000001\n9999-12-31\n"),
              "9999-12-31 does not fit 64-bit nanoseconds (1677 to 2262)");
}

TEST_F(CsvReader, RejectsOtherTextAmongNumbersAndTimes) {
  EXPECT_SAYS(error_message("k,x\n1,a\n2,\"b\nc\"\nn.a.,d\n"),
              "line 5: 'n.a.' is not a number, but 2 of 3 fields of column k are");
  EXPECT_SAYS(error_message("k\n1\nx\n"), "pass --null 'x'");
  EXPECT_SAYS(error_message("k\n2024-01-31\nsoon\n"), "'soon' is not a date or time in ISO 8601");
  EXPECT_SAYS(error_message("k\n2024-01-31\n2024-02-01\n77\n"), "line 4: '77' is not a date");
  EXPECT_SAYS(error_message("k\n77\n2024-01-31\n"), "'2024-01-31' is not a number");
  EXPECT_SAYS(error_message("k\n2024-01-31\ninfinity\n-inf\n"),
              "line 3: dates and times have no 'infinity', as in column k");
  EXPECT_SAYS(error_message("k\n2024-01-31T12:30\n2024-01-31T12:30 CET\n"), "CET' is not a");
  const LoadedColumn few = load("k\n12\nB7\nC9\n");
  EXPECT_EQ(shown(few), "string \"12\" \"B7\" \"C9\"");
  EXPECT_SAYS(few.remark(), "1 of 3 fields are numbers or times: column k is read as strings");
  EXPECT_EQ(shown(load("k\n2024-02-30\n")), "string \"2024-02-30\"");
  EXPECT_SAYS(load("k\n31/01/2024\n").remark(), "'31/01/2024' is read as text");
  EXPECT_SAYS(load("k\n02134\n").remark(), "'02134' is read as a number: --type k:string keeps");
}

TEST_F(CsvReader, ReadsWordsForMissingNumbersAsNulls) {
  const LoadedColumn numbers = load("k\n1\nNA\nN/A\nNULL\nnull\nNaN\n\n8\n");
  EXPECT_EQ(shown(numbers), "int64 1 null null null null null null 8");
  EXPECT_EQ(numbers.remark(), "column k: 6 of 8 fields are null");
  EXPECT_EQ(shown(load("k\n1970-01-02\nNA\n")), "timestamp64[D] 1970-01-02 null");
  EXPECT_EQ(shown(load("k\nNA\nNO\n\n")), "string \"NA\" \"NO\" null") << "country codes";
  EXPECT_EQ(shown(load("k\n1\n-\n", "k", nullptr, {.nulls = {"-"}})), "int64 1 null");
  EXPECT_EQ(shown(load("k\na\n-\n", "k", nullptr, {.nulls = {"-"}})), "string \"a\" null");
}

TEST_F(CsvReader, ReadsTheTypePassed) {
  const auto as = [&](std::string_view text, const std::string& type) {
    return shown(load(text, "k", nullptr, {.types = {{"k", type}, {"other", "bool"}}}));
  };
  EXPECT_EQ(as("k\n007\n1.5\nNA\n", "string"), "string \"007\" \"1.5\" \"NA\"");
  EXPECT_EQ(as("k\n7\nNA\n", "uint8"), "uint8 7 null");
  EXPECT_EQ(as("k\n7\n", "float32"), "float32 7");
  EXPECT_EQ(as("k\n1970-01-02\n", "date"), "timestamp64[D] 1970-01-02");
  EXPECT_EQ(as("k\n1970-01-02\n", "timestamp"), "timestamp64[us] 1970-01-02T00:00:00.000000");
  EXPECT_EQ(as("k\ntrue\n0\n", "bool"), "bool 1 0");
  EXPECT_SAYS(error_message("k\n7\n300\n", "k", {.types = {{"k", "uint8"}}}),
              "line 3: '300' is no uint8, the --type of column k");
  EXPECT_SAYS(error_message("k\n1970-01-02T12:00\n", "k", {.types = {{"k", "date"}}}),
              "is no date");
  EXPECT_SAYS(error_of([&] { static_cast<void>(as("k\n7\n", "number")); }),
              "invalid --type k:number");
}

TEST_F(CsvReader, ReadsFilesWithoutHeader) {
  EXPECT_SAYS(error_message("1,2\n3,4\n"), "has no header: its first line is 1,2");
  EXPECT_SAYS(error_message("2024-01-31,\n"), "pass --no-header");
  EXPECT_EQ(shown(load("1,2\n3,4\n", "2", nullptr, {.header = false})), "int64 2 4");
  EXPECT_EQ(shown(load("2019,2020\n3,4\n", "2020", nullptr, {.header = true})), "int64 4");
  EXPECT_SAYS(error_message("Oslo,3\nRio,4\n"), "pass --no-header if the first line is data");
}

TEST_F(CsvReader, ReadsOtherDelimiters) {
  EXPECT_EQ(shown(load("a;k\n1;\"2\"\n3;4\n", "k", nullptr, {.delimiter = ';'})), "int64 2 4");
  EXPECT_EQ(shown(read_csv(write("a.tsv", "a\tk\n1\t2\n"), {.name = "k"})), "int64 2");
  EXPECT_SAYS(error_message("a;k\n1;2\n"), "pass --delimiter ';'");
  EXPECT_SAYS(error_message("a\tk\n1\t2\n"), "pass --delimiter 'tab'");
}

TEST_F(CsvReader, ReportsTheByteThatIsNotUtf8) {
  EXPECT_SAYS(error_message("x,k\n1,Oslo\n2,Malm\xf6\n"),
              "line 3, column 7: byte 0xf6 is not UTF-8");
  EXPECT_SAYS(error_message("x\xff,k\n1,a\n"), "line 1, column 2");
  EXPECT_EQ(shown(load("x,k\nMalm\xf6,2\n")), "int64 2") << "a column that is not read";
  EXPECT_EQ(load("k\nMalm\xf6\n", "k", nullptr, {.encoding = "latin-1"}).view().string(0),
            "Malm\xc3\xb6");
  const std::string_view wide("\xff\xfek\0\n\0\xf6\0\x3d\xd8\0\xde", 12);
  EXPECT_EQ(load(wide).view().string(0), "\xc3\xb6\xf0\x9f\x98\x80");
  EXPECT_EQ(load(std::string_view("\xfe\xff\0k\0\n\0\x37", 8)).view().text(0), "7");
}

TEST_F(CsvReader, ReadsTimesInTheTicksOfAnotherColumn) {
  LoadedColumn days = LoadedColumn::numbers("days", Type::timestamp64, RawMemory(8), 0);
  days.set_unit("D");
  EXPECT_EQ(shown(load("k\n1970-01-03T00:00\n", "k", &days)), "timestamp64[D] 1970-01-03");
  const auto reject = [&](std::string_view text) {
    return error_of([&] { static_cast<void>(load(text, "k", &days)); });
  };
  EXPECT_SAYS(reject("k\n1970-01-03T12:00\n"),
              "1970-01-03T12:00 cannot be represented as timestamp64[D]");
  EXPECT_SAYS(reject("k\n1970-01-03T12:00\n"), "such as 2024-01-31");
  const LoadedColumn dates = LoadedColumn::numbers("dates", Type::date32, RawMemory(4), 0);
  EXPECT_EQ(shown(load("k\n1970-01-03\n1969-12-25\n\n", "k", &dates)),
            "date32 1970-01-03 1969-12-25 null");
  EXPECT_SAYS(error_of([&] { static_cast<void>(load("k\n1970-01-03\n77\n", "k", &dates)); }),
              "a.csv, line 3: 77 cannot be represented as date32");
  TextColumn word;
  word.add("x");
  const LoadedColumn strings = std::move(word).finish({.name = "strings"});
  EXPECT_EQ(shown(load("k\n2024-01-31\n", "k", &strings)), "string \"2024-01-31\"");
}

// Long enough for several blocks of bytes and rows.
std::string many_numbers() {
  std::string text = "k,x\n";
  for (int i = 0; i < 50'000; ++i) text += std::to_string(1'000'000 + i) + ",abc\n";
  return text;
}

TEST_F(CsvReader, ReportsTheShareThatWasRead) {
  std::vector<double> shares;
  const ControlledCalls controlled({.progress = [&](double share) { shares.push_back(share); },
                                    .interval = std::chrono::milliseconds(0)});
  EXPECT_EQ(load(many_numbers()).size(), 50'000U);
  ASSERT_GT(shares.size(), 10U);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_GT(shares[shares.size() / 2], 0.2);
  EXPECT_EQ(shares.back(), 1);
}

TEST_F(CsvReader, StopsWhereProgressThrows) {
  const std::string text = many_numbers();
  const ControlledCalls controlled({.progress =
                                        [](double share) {
                                          if (share > 0.1) throw std::runtime_error("enough");
                                        },
                                    .interval = std::chrono::milliseconds(0)});
  EXPECT_THROW(static_cast<void>(load(text)), std::runtime_error);
}

}  // namespace
}  // namespace rtindex
