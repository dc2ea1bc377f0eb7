#include "column_files/text_values.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace rtindex {
namespace {

using Ticks = std::optional<std::int64_t>;

TEST(TextTime, ReadsDatesAndTimesOfDay) {
  EXPECT_EQ(parse_time("1970-01-01", "D"), Ticks(0));
  EXPECT_EQ(parse_time("2024-02-29", "D"), Ticks(19782));
  EXPECT_EQ(parse_time("1969-12-31", "D"), Ticks(-1));
  EXPECT_EQ(parse_time("1970-01-01T01:30", "m"), Ticks(90));
  EXPECT_EQ(parse_time("1970-01-02 00:00:01", "s"), Ticks(86401));
  EXPECT_EQ(parse_time("1970-01-01T00:00:01.25Z", "ms"), Ticks(1250));
  EXPECT_EQ(parse_time("1970-01-01T00:00:00.000000001", "ns"), Ticks(1));
  EXPECT_EQ(parse_time("2000-01-01", "h"), Ticks(262968));
  EXPECT_EQ(parse_time("1969-12-31T23:59:59", "us"), Ticks(-1'000'000));
}

TEST(TextTime, AcceptsEveryFormOfUtc) {
  for (const char* zone : {"", "Z", "+00", "+00:00", "-00:00"})
    EXPECT_EQ(parse_time(std::string("1970-01-01 00:00:05") + zone, "s"), Ticks(5)) << zone;
  for (const char* zone : {"+0", "+00:0", "+00:", "+00:00Z", "+24:00", "+01:60", "ZZ"})
    EXPECT_EQ(parse_time(std::string("1970-01-01 00:00:05") + zone, "s"), std::nullopt) << zone;
}

TEST(TextTime, ConvertsOffsetsToUtc) {
  EXPECT_EQ(parse_time("1970-01-01T02:00:05+02:00", "s"), Ticks(5));
  EXPECT_EQ(parse_time("1969-12-31T19:00:05-05", "s"), Ticks(5));
  EXPECT_EQ(parse_time("1970-01-01T05:30+0530", "m"), Ticks(0));
  EXPECT_EQ(parse_time("1970-01-01T00:00+01:00", "h"), Ticks(-1));
  EXPECT_EQ(parse_iso_time("2024-01-01T01:00+02:00")->nanoseconds, 23 * 3600 * 1'000'000'000LL);
}

TEST(TextTime, AcceptsTicksOfWhatHasNoOtherForm) {
  EXPECT_EQ(parse_time("77", "25s"), Ticks(77));
  EXPECT_EQ(parse_time(" -12 ", "months"), Ticks(-12));
  EXPECT_EQ(parse_time("-719529", "D"), Ticks(-719'529));
  for (const std::string unit : {"D", "s", "us", "ns"})
    for (const std::string number : {"0", "77", "-12", "2024", "+7"})
      EXPECT_EQ(parse_time(number, unit), std::nullopt) << number << unit;
  EXPECT_EQ(parse_time("20240131", "D"), std::nullopt) << "a date without its dashes";
  EXPECT_EQ(parse_time("20240131123000", "us"), std::nullopt);
}

TEST(TextTime, RejectsOtherText) {
  for (const char* text : {"", "today", "2024-13-01", "2023-02-29", "2024-1-1", "2024-01-01T",
                           "2024-01-01T24:00", "2024-01-01T12:60", "2024-01-01T12:00:60",
                           "2024-01-01T12:00:00.", "2024-01-01x", "2024-01-01T12:00:00.0000000001"})
    EXPECT_EQ(parse_time(text, "ns"), std::nullopt) << text;
}

TEST(TextTime, RejectsTimesBetweenTicks) {
  EXPECT_EQ(parse_time("2024-01-01T12:00", "D"), std::nullopt);
  EXPECT_EQ(parse_time("2024-01-01T00:00:00.5", "s"), std::nullopt);
  EXPECT_EQ(parse_time("2024-01-01", "Y"), std::nullopt) << "years have no fixed length";
  EXPECT_EQ(parse_time("9999-01-01", "ns"), std::nullopt) << "beyond int64";
}

TEST(TextTime, DistinguishesDatesFromTimesOfDay) {
  EXPECT_TRUE(parse_iso_time("2024-02-29")->is_date);
  EXPECT_FALSE(parse_iso_time("2024-02-29T00:00")->is_date);
  EXPECT_EQ(parse_iso_time(" 1970-01-02 00:00:01.5Z ")->days, 1);
  EXPECT_EQ(parse_iso_time(" 1970-01-02 00:00:01.5Z ")->nanoseconds, 1'500'000'000);
  EXPECT_FALSE(parse_iso_time("77")) << "a number of ticks is not a date";
}

TEST(TextTime, WritesWhatItCanRead) {
  EXPECT_EQ(time_text(19'753, "D"), "2024-01-31");
  EXPECT_EQ(time_text(-1, "D"), "1969-12-31");
  EXPECT_EQ(time_text(-1, "h"), "1969-12-31T23:00");
  EXPECT_EQ(time_text(0, "s"), "1970-01-01T00:00:00");
  EXPECT_EQ(time_text(1'706'704'205'250, "ms"), "2024-01-31T12:30:05.250");
  EXPECT_EQ(time_text(-1, "ns"), "1969-12-31T23:59:59.999999999");
  for (const std::string unit : {"D", "h", "m", "s", "ms", "us", "ns"})
    for (const std::int64_t ticks : {-719'528, -719'529, -1000, -1, 0, 1, 59, 2'932'896})
      EXPECT_EQ(parse_time(time_text(ticks, unit), unit), Ticks(ticks)) << ticks << unit;
  for (const std::int64_t ticks :
       {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(time_text(ticks, "us"), std::to_string(ticks)) << "no year of four digits";
    EXPECT_EQ(parse_time(time_text(ticks, "ns"), "ns"), Ticks(ticks));
  }
  EXPECT_EQ(time_text(-719'529, "D"), "-719529");
  EXPECT_EQ(time_text(7, "25s"), "7");
}

TEST(TextTime, ItsExamplesCanBeRead) {
  for (const std::string unit : {"D", "h", "m", "s", "ms", "us", "ns"}) {
    const std::string forms = time_forms(unit);
    const std::size_t begin = forms.find("2024");
    const std::string example = forms.substr(begin, forms.find(',') - begin);
    EXPECT_TRUE(parse_time(example, unit)) << unit << ": " << forms;
  }
  EXPECT_EQ(time_forms("25s").find("2024"), std::string::npos) << "only ticks can be read";
}

TEST(TextValues, NumbersAmountsTimesAndAddressesLookLikeValues) {
  for (const std::string text : {"10",
                                 "1,234.5",
                                 "-3",
                                 "(12)",
                                 "~12",
                                 "#10",
                                 "$9.50",
                                 "9,50 €",
                                 "12.50€",
                                 "€ 12",
                                 "12 EUR",
                                 "EUR 5",
                                 "USD12",
                                 "Fr. 12.-",
                                 "12 %",
                                 "12 km",
                                 "12kg",
                                 "10 MB",
                                 "1.5M",
                                 "-10 °C",
                                 "90 km/h",
                                 "\u221212",
                                 "1'000",
                                 "1\u00a0000",
                                 "31/01/2024",
                                 "31.01.2024",
                                 "9:30 AM",
                                 "10:00 Uhr",
                                 "10:00Z",
                                 "5-Jan-24",
                                 "Jan 5 2024",
                                 "Mai 2024",
                                 "March 3rd",
                                 "Mon 5 Feb",
                                 "2024-01-31T10",
                                 "10.0.0.1",
                                 "10.0.0.1:80",
                                 "::1",
                                 "2001:db8::1",
                                 "fe80::10/64",
                                 "2001:db8:0:0:0:0:0:1"})
    EXPECT_TRUE(looks_like_a_value(text)) << text;
}

TEST(TextValues, NamesAndCodesDoNot) {
  for (const std::string text :
       {"", "Oslo", "A12", "SKU100", "12 Main Street", "3x4", "7f3a9c", "B2B", "T1", "Monitor 5",
        "Marc 5", "Route 66", "00:1a:2b:3c:4d:5e", "00:1a:2b:3c:4d:5e:6f:70", "May", "EUR",
        "12ab34cd", "f47ac10b-58cc-4372-a567-0e02b2c3d479", "Straße 5"})
    EXPECT_FALSE(looks_like_a_value(text)) << text;
}

}  // namespace
}  // namespace rtindex
