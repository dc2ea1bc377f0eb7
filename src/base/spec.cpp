#include <rtindex/spec.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "base/error.hpp"

namespace rtindex {

namespace {

constexpr std::array<std::string_view, 5> kinds = {"auto", "rx", "sorted", "btree", "hash"};
constexpr std::array<std::string_view, 3> tracers = {"native", "embree", "optix"};
constexpr std::array<std::string_view, 2> devices = {"cpu", "cuda"};

constexpr std::string_view grammar = "kind[:tracer][@device[N]][,key=value]*";

template <class Range>
std::string list(const Range& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

template <class Range>
void require_one_of(const Range& choices, std::string_view word, std::string_view what,
                    std::string_view text) {
  if (std::find(choices.begin(), choices.end(), word) == choices.end())
    fail("unknown {} '{}' in the index spec '{}': choose one of {}", what, word, text,
         list(choices));
}

// Cuts `text` at the first `mark`; what is behind it (without the mark) is returned.
std::string_view cut_at(std::string_view& text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  const std::string_view behind = text.substr(at + 1);
  text = text.substr(0, at);
  return behind;
}

const OptionHelp* find_option(std::string_view name) {
  const std::vector<OptionHelp>& options = spec_options();
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const OptionHelp& option) { return option.name == name; });
  return found == options.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<OptionHelp>& spec_options() {
  static const std::vector<OptionHelp> options = {
      {"mode", "naive | extended | 3d", "how a key becomes coordinates (default 3d)"},
      {"bits", "X+Y+Z", "3d mode: bits of the key on each axis, at most 23 each (23+23+18)"},
      {"scale", "2^N", "all coordinates times a power of two, N from -30 to 30 (2^0)"},
      {"primitive", "triangle | sphere | aabb", "what a key becomes in the scene (triangle)"},
      {"point", "perpendicular | offset | zero", "the ray of a point lookup (perpendicular)"},
      {"range", "offset | zero", "where the ray of a range lookup starts (offset)"},
      {"compact", "on | off",
       "a smaller acceleration structure (off on embree: lookups slow down)"},
      {"update", "rebuild | refit", "how updates reach the structure (rebuild)"},
      {"row_rays", "occupied | all",
       "rows that a range of 3d mode casts rays along: those with keys, or all (occupied)"},
      {"bucket", "N",
       "on embree and optix, sorted keys that share one primitive (each key has its own)"},
      {"drop", "auto | N",
       "with buckets, low bits of keys that the scene leaves out (auto: those it does not need)"},
      {"split", "N", "on optix, the keys of one acceleration structure (as many as it holds)"},
      {"order", "auto | on | off",
       "large batches answered in key order: where measured to be quicker, always, never (auto)"},
      {"gather", "auto | on | off",
       "on a GPU, values put into key order once per batch of ranges (auto: where that is "
       "quicker)"},
      {"group", "N", "on a GPU, threads that search a node or a bucket together (btree 1, hash 2)"},
      {"cell", "N",
       "on a GPU, keys in a cell of the native tracer's grid, on average, 1 to 16 (12)"},
      {"load", "N", "on a GPU, the share of a hash table's slots that is in use (0.8)"},
      {"threads", "all | N", "threads that build and look up (all)"},
  };
  return options;
}

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

  require_one_of(kinds, kind, "index kind", text);
  kind_ = kind;
  if (has_tracer) {
    if (kind != "rx") fail("only rx has a tracer: write '{}' without ':{}'", kind, tracer);
    require_one_of(tracers, tracer, "tracer", text);
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
        fail("'{}' in the index spec '{}' is no device number: write {}0, {}1, ...",
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
      fail("'{}' in the index spec '{}' is no option: write {}", item, text, grammar);
    const std::string name(item.substr(0, equals));
    if (options_.contains(name))
      fail("the option {} stands twice in the index spec '{}'", name, text);
    *this = with(name, item.substr(equals + 1));
    if (length == rest.size()) break;
    rest = rest.substr(length + 1);
  }
}

Spec Spec::with(const std::string& name, std::string_view value) const {
  const OptionHelp* option = find_option(name);
  if (option == nullptr) {
    std::vector<std::string> names;
    for (const OptionHelp& known : spec_options()) names.push_back(known.name);
    fail("unknown option '{}' in an index spec: choose one of {}", name, list(names));
  }
  // Choices in lower case are the whole choice; a capital letter stands for a number or text.
  if (option->choices.find_first_of("NXYZ") == std::string::npos) {
    std::vector<std::string_view> choices;
    std::string_view left = option->choices;
    for (;;) {
      const std::size_t length = std::min(left.find(" | "), left.size());
      choices.push_back(left.substr(0, length));
      if (length == left.size()) break;
      left = left.substr(length + 3);
    }
    if (std::find(choices.begin(), choices.end(), value) == choices.end())
      fail("{}={} is not possible: choose {}", name, value, option->choices);
  } else if (value.empty()) {
    fail("the option {} has no value: write {}={}", name, name, option->choices);
  }
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
