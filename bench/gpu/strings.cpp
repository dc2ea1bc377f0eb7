#include "gpu/strings.hpp"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/cuda/runtime.hpp"
#include "workload/string_columns.hpp"

namespace rtindex::bench {

namespace {

// A column of strings in device memory.
class StringsOnGpu {
 public:
  explicit StringsOnGpu(const StringColumn& column)
      : size_(column.size()),
        offsets_(column.offsets.size() * sizeof(std::int64_t)),
        bytes_(column.bytes.size()) {
    cuda::check(cudaMemcpy(offsets_.data(), column.offsets.data(), offsets_.bytes(),
                           cudaMemcpyHostToDevice),
                "copying");
    cuda::check(
        cudaMemcpy(bytes_.data(), column.bytes.data(), bytes_.bytes(), cudaMemcpyHostToDevice),
        "copying");
  }

  [[nodiscard]] ColumnView view() const {
    return ColumnView::strings(std::span(offsets_.as<const std::int64_t>(), size_ + 1),
                               bytes_.as<const char>())
        .on_device();
  }

 private:
  std::size_t size_;
  DeviceBuffer offsets_, bytes_;
};

class StringQuestions {
 public:
  StringQuestions(GpuReport& report, const StringKind& kind, int key_bits)
      : report_(report),
        kind_(kind.name),
        key_bits_(key_bits),
        column_(string_column(kind, std::size_t{1} << key_bits, 1)),
        rows_(random_rows(column_.size(), column_.size(), 2)) {
    for (const std::uint32_t row : rows_) lookups_.add(column_[row]);
  }

  void run(const std::string& spec) {
    const StringsOnGpu keys(column_);
    const StringsOnGpu lookups(lookups_);
    std::optional<Index> index;
    const auto rebuild = [&](const ColumnView& column) {
      return report_.time([&] { index.reset(); }, [&] { index.emplace(build(column, spec)); });
    };
    add(spec, "build", "build_ms", rebuild(keys.view()), 0);
    report_.add_number(
        spec, kind_ + ", memory", "bytes_per_key",
        static_cast<double>(index->memory_usage().resident) / static_cast<double>(column_.size()),
        workload());

    const DeviceBuffer found(rows_.size() * sizeof(std::uint32_t));
    Outputs outputs;
    outputs.any = found.as<std::uint32_t>();
    outputs.memory_space = MemorySpace::device;
    const Times times =
        report_.time(found, [&] { index->answer_into(Query::equal(lookups.view()), {}, outputs); });
    std::vector<std::uint32_t> on_host(rows_.size());
    cuda::check(cudaMemcpy(on_host.data(), found.data(), found.bytes(), cudaMemcpyDeviceToHost),
                "copying");
    add(spec, "any", "lookup_ms", times, wrong_in(on_host));

    const Times from_host = report_.time(
        [&] { std::memset(on_host.data(), 0xa5, on_host.size() * sizeof(std::uint32_t)); },
        [&] { index->answer_into(Query::equal(lookups_.view()), {}, {.any = on_host.data()}); });
    add(spec, "any, host memory", "lookup_ms", from_host, wrong_in(on_host));
    add(spec, "build, host memory", "build_ms", rebuild(column_.view()), 0);
  }

 private:
  [[nodiscard]] std::uint64_t wrong_in(const std::vector<std::uint32_t>& rows) const {
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) wrong += rows[i] != rows_[i] ? 1 : 0;
    return wrong;
  }
  [[nodiscard]] nlohmann::json workload() const {
    return {{"keys", kind_}, {"keys_log2", key_bits_}, {"lookups_log2", key_bits_}};
  }
  void add(const std::string& spec, const std::string& question, const std::string& metric,
           const Times& times, std::uint64_t wrong) {
    report_.add(spec, fmt::format("{}, {}", kind_, question), metric, times, wrong, workload());
  }

  GpuReport& report_;
  std::string kind_;
  int key_bits_;
  StringColumn column_;
  std::vector<std::uint32_t> rows_;
  StringColumn lookups_;
};

}  // namespace

void measure_strings(GpuReport& report, const std::vector<std::string>& indexes, int key_bits) {
  fmt::print("\n2^{} strings, as many lookups\n", key_bits);
  for (const StringKind& kind : string_kinds()) {
    StringQuestions questions(report, kind, key_bits);
    for (const std::string& spec : indexes) questions.run(spec);
  }
}

}  // namespace rtindex::bench
