#include "engine/backend.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "engine/index_options.hpp"
#include "order/columns.hpp"

namespace rtindex {

Backend::Backend(std::string kind, std::string tracer, std::string device,
                 std::vector<SpecOption> options)
    : kind_(std::move(kind)),
      tracer_(std::move(tracer)),
      device_(std::move(device)),
      name_(kind_ + (tracer_.empty() ? "" : ":" + tracer_) + "@" + device_),
      options_(std::move(options)) {
  const std::vector<SpecOption> of_every_index = IndexOptions::declared(on_gpu());
  options_.insert(options_.end(), of_every_index.begin(), of_every_index.end());
}

bool Backend::matches(const Spec& spec) const {
  return (spec.kind() == "auto" || spec.kind() == kind_) &&
         (spec.tracer().empty() || spec.tracer() == tracer_) &&
         (spec.device().empty() || spec.device() == device_);
}

bool Backend::takes_options_of(const Spec& spec) const {
  return std::all_of(spec.options().begin(), spec.options().end(), [&](const auto& option) {
    return find_option(option.first, options_) != nullptr;
  });
}

Spec Backend::complete(const Spec& spec) const { return with_defaults(spec, name_, options_); }

LoadedStructure Backend::load(const Spec& spec, const FileReader& file, const KeyCodec& codec,
                              std::size_t rows, const std::shared_ptr<DeviceMemory>& memory) const {
  const KeyText key_text = [](std::uint32_t) { return "(of the file)"; };
  return {build(spec, load_column(file, rows, codec.span()), codec, key_text,
                {.device_memory = memory}),
          true};
}

OwnedColumn Backend::fetch(const Spec&, const ColumnView&) const { fail_without_gpu(); }

void Backend::wait_for(const Spec&, Stream) const { fail_without_gpu(); }

void Backend::fail_without_gpu() const {
  fail(ErrorKind::unsupported, "{} does not run on a GPU: use an index @cuda", name_);
}

}  // namespace rtindex
