#include "cli/csv_options.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "cli/batch.hpp"
#include "cli/suggestion.hpp"
#include "column_files/text_values.hpp"

namespace rtindex::cli {

void CsvOptions::add_to(CLI::App& verb) {
  verb.add_flag("--no-header", no_header,
                "CSV files have no line of names, as .bed files; columns are\n"
                "numbered from 1: --csv-column 2")
      ->group(csv_group);
  verb.add_flag("--header", header, "The first line holds names, even if all are numbers")
      ->group(csv_group);
  verb.add_option("--delimiter", delimiter,
                  "The character between fields, or tab (a comma; in .tsv\n"
                  "and .bed files a tab; that of a first line sep=;)")
      ->type_name("C")
      ->group(csv_group);
  verb.add_option("--null", nulls,
                  "A text that means that there is no value; repeatable.\n"
                  "Empty fields are null, and among numbers and times\n"
                  "NULL, NA, N/A, null and NaN are too")
      ->allow_extra_args(false)
      ->type_name("TEXT")
      ->group(csv_group);
  verb.add_option("--type", types,
                  "The type of a CSV column, instead of the one that fits all\n"
                  "fields; repeatable: int64, uint32, float64, bool, date,\n"
                  "timestamp, string, ...")
      ->allow_extra_args(false)
      ->type_name("COLUMN:TYPE")
      ->group(csv_group);
  verb.add_option("--decimal", decimal,
                  "The decimal point of numbers in CSV files: . or , (.).\n"
                  "Numbers on the command line have a point")
      ->type_name("C")
      ->group(csv_group);
  verb.add_option("--encoding", encoding, "utf-8, latin-1 (also windows-1252) or utf-16 (utf-8)")
      ->type_name("NAME")
      ->group(csv_group);
}

CsvFormat CsvOptions::format() const {
  CsvFormat format{.nulls = nulls, .names_read = names_read};
  if (header && no_header) fail("conflicting --header and --no-header: pass one of them");
  if (header || no_header) format.header = header;
  if (!delimiter.empty()) {
    const std::string text = delimiter == "tab" || delimiter == "\\t" ? "\t" : delimiter;
    if (text.size() != 1 || text == "\"" || text == "\n")
      fail("invalid --delimiter {}: expected one character, or tab", delimiter);
    format.delimiter = text.front();
  }
  for (const std::string& text : types) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos)
      fail("invalid --type {}: expected COLUMN:TYPE, such as city:string", text);
    format.types[text.substr(0, colon)] = text.substr(colon + 1);
  }
  if (encoding != "utf-8" && encoding != "latin-1" && encoding != "utf-16")
    fail("invalid --encoding {}: expected utf-8, latin-1 or utf-16", encoding);
  format.encoding = encoding;
  if (decimal != "." && decimal != ",") fail("invalid --decimal {}: expected . or ,", decimal);
  format.decimal = decimal.front();
  return format;
}

void CsvOptions::require_effect() const {
  if (names_read->empty())
    for (const auto& [is_set, option] : {std::pair{!types.empty(), "--type"},
                                         {!delimiter.empty(), "--delimiter"},
                                         {!nulls.empty(), "--null"},
                                         {no_header, "--no-header"},
                                         {header, "--header"},
                                         {decimal != ".", "--decimal"},
                                         {encoding != "utf-8", "--encoding"}})
      if (is_set) fail("{} needs a CSV file: remove it, as no file of this call is one", option);
  for (const std::string& text : types)
    require_columns("--type", {text.substr(0, text.rfind(':'))});
}

namespace {

// The name in a file that was probably meant.
std::string meant_by(const std::string& name, const std::vector<std::string>& known) {
  const auto same = std::find_if(known.begin(), known.end(), [&](const std::string& other) {
    return trimmed(other) == trimmed(name);
  });
  return same != known.end() ? *same : closest_word(name, known);
}

}  // namespace

void CsvOptions::require_columns(const std::string& option,
                                 const std::vector<std::string>& names) const {
  const std::vector<std::string> known(names_read->begin(), names_read->end());
  for (const std::string& name : names) {
    if (name.empty() || names_read->contains(name)) continue;
    if (known.empty())
      fail("{} needs a CSV file: remove it, as no file of this call is one", option);
    const std::string meant = meant_by(name, known);
    fail("{} {}: no CSV file of this call has such a column{}", option, name,
         meant.empty() ? fmt::format(": choose one of {}", fmt::join(known, ", "))
                       : fmt::format("; did you mean '{}'?", meant));
  }
}

}  // namespace rtindex::cli
