#include "cli/command.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <rtindex/rtindex.h>
#include <rtindex/rtindex.hpp>

#include "cli/interrupt.hpp"
#include "cli/suggestion.hpp"
#include "cli/verbs.hpp"

namespace rtindex::cli {

namespace {

constexpr int our_bug = 1;
constexpr int bad_input = 2;
constexpr int interrupted = 128 + SIGINT;

// One line on stderr, even if the message quotes control characters.
int report(int code, std::string message) {
  for (char& c : message)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  message.erase(message.find_last_not_of(' ') + 1);
  fmt::print(stderr, "rtindex: {}\n", message);
  return code;
}

void describe(CLI::App& app) {
  app.get_formatter()->label("SUBCOMMAND", "VERB");
  app.require_subcommand(0, 1);  // parse_and_run() reports a missing verb
  app.set_help_flag("-h,--help", "Print this help");
  app.set_version_flag("--version", rtindex_build_text(), "Print the version and what is built in");
  app.footer(R"help(Examples:
  rtindex demo
      See it work.
  rtindex lookup --column keys.npy --key 42 --key 43 --answer rows
      Which rows hold these keys?
  rtindex range --column keys.npy --lower l.npy --upper u.npy --values v.npy --answer sum -o s.npy
      The sum of the values in every range of keys.
  rtindex nearest --column times.npy --key 2024-01-31T12:30 --answer any,key
      The last time at or before this one.
  rtindex contains --column prices.csv --start from --end to --ends "[)" --key 2024-01-31
      The row whose interval contains this day.
  rtindex build --column keys.npy -o keys.rtindex
      Keep the index; `lookup --load keys.rtindex` opens it at once.
  rtindex update keys.rtindex --insert new.npy
      Append rows to a saved index; erase and change others.
  rtindex indexes
      Which indexes are available on this machine, and their options.

`rtindex VERB --help` shows the options of a verb, with more examples.
Exit codes: 0 success, 1 internal error, 2 invalid input (one line on stderr says what),
130 interrupted by Ctrl-C (no output was written).)help");
}

// The help of the verb that was parsed.
std::string help_command(const CLI::App& app) {
  const auto verbs = app.get_subcommands();
  return verbs.empty() ? "rtindex --help" : "rtindex " + verbs.front()->get_name() + " --help";
}

std::vector<std::string> verbs_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return names;
}

std::string verb_names(const CLI::App& app) {
  return fmt::format("{}", fmt::join(verbs_of(app), ", "));
}

std::vector<std::string> options_of(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::string suggestion(const std::string& text, const std::vector<std::string>& words) {
  const std::string meant = closest_word(text, words);
  return meant.empty() ? "" : fmt::format("; did you mean {}?", meant);
}

std::string unknown_verb(const CLI::App& app, const std::string& text) {
  return fmt::format("unknown verb '{}': expected {}{}", text, verb_names(app),
                     suggestion(text, verbs_of(app)));
}

// The verbs that have an option.
std::vector<std::string> verbs_with(const CLI::App& app, const std::string& option) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::vector<std::string> options = options_of(*verb);
    if (std::find(options.begin(), options.end(), option) != options.end())
      names.push_back("rtindex " + verb->get_name());
  }
  return names;
}

std::string unknown_option(const CLI::App& verb, const std::string& text) {
  const std::string name = text.substr(0, text.find('='));
  if (const CLI::App* const app = verb.get_parent())
    if (const std::vector<std::string> others = verbs_with(*app, name); !others.empty())
      return fmt::format("'{}' is no option of rtindex {}, but of {}", name, verb.get_name(),
                         fmt::join(others, ", "));
  return fmt::format("unknown option or argument '{}'{}", text, suggestion(name, options_of(verb)));
}

const CLI::App& parsed_verb(const CLI::App& app) {
  const auto verbs = app.get_subcommands();
  return verbs.empty() ? app : *verbs.front();
}

// The first argument that is no verb, or no option of its verb. Empty: none.
std::string typo_in(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* verb = &app;
  for (const std::string& text : arguments) {
    if (verb == &app && !text.starts_with('-')) {
      const std::vector<std::string> verbs = verbs_of(app);
      if (std::find(verbs.begin(), verbs.end(), text) == verbs.end())
        return unknown_verb(app, text);
      verb = app.get_subcommand(text);
    }
    if (!text.starts_with("--")) continue;
    const std::vector<std::string> known = options_of(*verb);
    if (std::find(known.begin(), known.end(), text.substr(0, text.find('='))) == known.end())
      return unknown_option(*verb, text);
  }
  return "";
}

// CLI11 says "The following arguments were not expected: X Y", in no useful order.
std::string what_is_unknown(const CLI::App& app, const std::string& message,
                            const std::vector<std::string>& arguments) {
  std::string typo = typo_in(app, arguments);
  if (!typo.empty()) return typo;
  const std::string what = message.substr(message.find(": ") + 2);
  return unknown_option(parsed_verb(app), what.substr(0, what.find(' ')));
}

// CLI11 says "Could not convert: --limit = -1".
std::string invalid_number(const CLI::App& app, const std::string& message) {
  constexpr std::string_view before = "Could not convert: ";
  const std::size_t equals = message.find(" = ");
  if (!message.starts_with(before) || equals == std::string::npos) return message;
  const std::string name = message.substr(before.size(), equals - before.size());
  const std::string text = message.substr(equals + 3);
  const CLI::Option* const option = parsed_verb(app).get_option_no_throw(name);
  const bool is_count = option != nullptr && option->get_type_name() == "N";
  return fmt::format("invalid {} {}: expected {}", name, text,
                     is_count ? "an integer from 0 to 4294967295" : "a number");
}

int explain(const CLI::App& app, const CLI::ParseError& error,
            const std::vector<std::string>& arguments) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    // CLI11 prints the help whatever stands beside --help.
    const std::string typo = typo_in(app, arguments);
    if (typo.empty()) return app.exit(error);
    return report(bad_input, fmt::format("{}; see `{}`", typo, help_command(app)));
  }
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ConversionError))
    return report(bad_input, fmt::format("{}; see `{}`", invalid_number(app, error.what()),
                                         help_command(app)));
  const bool is_unknown = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  return report(bad_input, fmt::format("{}; see `{}`",
                                       is_unknown ? what_is_unknown(app, error.what(), arguments)
                                                  : error.what(),
                                       help_command(app)));
}

void parse_and_run(CLI::App& app, int argc, char** argv) {
  app.parse(argc, argv);
  if (app.get_subcommands().empty())
    throw Error(fmt::format("missing verb: expected {}; see `rtindex --help`", verb_names(app)));
}

constexpr const char* no_output =
    "the output cannot be written: is the disk full, or the output closed?";

}  // namespace

int run_command(int argc, char** argv) {
  // A file beyond its size limit is an error to report, not a signal that ends the program.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app("Database column indexes answered by ray tracing.", "rtindex");
  describe(app);
  add_demo(app);
  add_build(app);
  add_lookup(app);
  add_range(app);
  add_nearest(app);
  add_contains(app);
  add_overlaps(app);
  add_within(app);
  add_covers(app);
  add_filter(app);
  add_join(app);
  add_rank(app);
  add_select(app);
  add_nulls(app);
  add_update(app);
  add_info(app);
  add_indexes(app);
  add_draw(app);
  add_bench(app);
  for (CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    verb->group("Verbs");
  try {
    try {
      parse_and_run(app, argc, argv);
    } catch (const CLI::ParseError& error) {
      if (const int status = explain(app, error, {argv + 1, argv + argc}); status != 0)
        return status;
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return report(bad_input, no_output);
    return 0;
  } catch (const Error& error) {
    return report(bad_input, error.what());
  } catch (const Interrupted& error) {
    return report(interrupted, error.what());
  } catch (const std::bad_alloc&) {
    return report(bad_input, "out of memory: free memory, or use smaller files");
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return report(bad_input, no_output);
    return report(our_bug, fmt::format("internal error: {}; please report it", error.what()));
  }
}

}  // namespace rtindex::cli
