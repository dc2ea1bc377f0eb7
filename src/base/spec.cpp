#include <rtindex/spec.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/spec_vocabulary.hpp"

namespace rtindex {

namespace {

constexpr std::array<std::string_view, 2> devices = {"cpu", "cuda"};

constexpr std::string_view grammar = "kind[:tracer][@device[N]][,key=value]*";

template <class Range>
void require_one_of(const Range& choices, std::string_view word, std::string_view what,
                    std::string_view text) {
  if (std::find(choices.begin(), choices.end(), word) == choices.end())
    fail("unknown {} '{}' in the index spec '{}': expected one of {}", what, word, text,
         fmt::join(choices, ", "));
}

// The kind of this name; null for `auto`.
const SpecVocabulary::Kind* require_kind(std::string_view name, std::string_view text) {
  std::vector<std::string_view> names = {"auto"};
  for (const SpecVocabulary::Kind& kind : spec_vocabulary().kinds) {
    if (kind.name == name) return &kind;
    names.emplace_back(kind.name);
  }
  require_one_of(names, name, "index kind", text);
  return nullptr;
}

void require_tracer(const SpecVocabulary::Kind* kind, std::string_view tracer,
                    std::string_view text) {
  if (kind != nullptr && !kind->tracers.empty())
    return require_one_of(kind->tracers, tracer, "tracer", text);
  std::vector<std::string_view> with_tracers;
  for (const SpecVocabulary::Kind& other : spec_vocabulary().kinds)
    if (!other.tracers.empty()) with_tracers.emplace_back(other.name);
  fail("only {} has a tracer: write '{}' without ':{}'", fmt::join(with_tracers, ", "),
       kind == nullptr ? "auto" : kind->name, tracer);
}

// Cuts `text` at the first `separator` and returns the rest after it.
std::string_view cut_at(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + 1);
  text = text.substr(0, at);
  return rest;
}

}  // namespace

Spec::Spec(std::string_view text) {
  std::string_view head = text;
  std::string_view rest = cut_at(head, ',');
  const bool has_options = head.size() != text.size();
  std::string_view kind = head;
  const std::string_view device = cut_at(kind, '@');
  const bool has_device = kind.size() != head.size();
  const std::string_view before_device = kind;
  const std::string_view tracer = cut_at(kind, ':');
  const bool has_tracer = kind.size() != before_device.size();

  const SpecVocabulary::Kind* const known = require_kind(kind, text);
  kind_ = kind;
  if (has_tracer) {
    require_tracer(known, tracer, text);
    tracer_ = tracer;
  }
  if (has_device) {
    const std::size_t digits = std::min(device.find_first_of("0123456789"), device.size());
    require_one_of(devices, device.substr(0, digits), "device", text);
    device_ = device.substr(0, digits);
    if (digits != device.size()) {
      const auto [end, error] =
          std::from_chars(device.data() + digits, device.data() + device.size(), device_number_);
      if (error != std::errc() || end != device.data() + device.size())
        fail("invalid device number '{}' in the index spec '{}': expected {}0, {}1, ...",
             device.substr(digits), text, device_, device_);
    }
    if (device_ == "cpu" && device_number_ != 0)
      fail("there is one cpu: write '@cpu', and threads=N to limit its threads");
  }

  while (has_options) {
    std::string_view item = rest;
    const std::size_t length = std::min(rest.find(','), rest.size());
    item = rest.substr(0, length);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      fail("invalid option '{}' in the index spec '{}': expected {}", item, text, grammar);
    const std::string name(item.substr(0, equals));
    if (options_.contains(name)) fail("duplicate option {} in the index spec '{}'", name, text);
    *this = with(name, item.substr(equals + 1));
    if (length == rest.size()) break;
    rest = rest.substr(length + 1);
  }
}

Spec Spec::with(const std::string& name, std::string_view value) const {
  require_option(name, value, spec_vocabulary().options);
  Spec changed = *this;
  changed.options_[name] = value;
  return changed;
}

Spec Spec::at(std::string_view tracer, std::string_view device) const {
  Spec changed = *this;
  changed.tracer_ = tracer;
  changed.device_ = device;
  return changed;
}

std::string Spec::option(const std::string& name, std::string_view fallback) const {
  const auto found = options_.find(name);
  return found == options_.end() ? std::string(fallback) : found->second;
}

std::string Spec::text() const {
  std::string text = kind_;
  if (!tracer_.empty()) text += ":" + tracer_;
  if (!device_.empty()) text += "@" + device_;
  if (device_number_ != 0) text += std::to_string(device_number_);
  for (const OptionHelp& option : spec_options())
    if (const auto found = options_.find(option.name); found != options_.end())
      text += "," + found->first + "=" + found->second;
  return text;
}

}  // namespace rtindex
