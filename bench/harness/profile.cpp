#include "harness/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include <rtindex/error.hpp>

namespace rtindex::bench {

namespace {

constexpr const char* marker = "profile_marker";
constexpr const char* duration = "gpu__time_duration.sum";

// How the kernels of a point are merged into one number.
enum class Merge : std::uint8_t { sum, mean_over_time };

struct HardwareCounter {
  const char* metric;    // in our records
  const char* profiler;  // in Nsight Compute
  Merge merge;
  double unit = 1;  // of the profiler's, in ours
};

// Caches are read in sectors.
constexpr double sector_bytes = 32;

constexpr std::array quantities = {
    HardwareCounter{"active_warps", "sm__warps_active.avg.per_cycle_active", Merge::mean_over_time},
    HardwareCounter{"bandwidth_percent", "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                    Merge::mean_over_time},
    HardwareCounter{"l1_hit_percent", "l1tex__t_sector_hit_rate.pct", Merge::mean_over_time},
    HardwareCounter{"l2_hit_percent", "lts__t_sector_hit_rate.pct", Merge::mean_over_time},
    HardwareCounter{"l1_read_bytes", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", Merge::sum,
                    sector_bytes},
    HardwareCounter{"l2_read_bytes", "lts__t_sectors_op_read.sum", Merge::sum, sector_bytes},
    HardwareCounter{"memory_read_bytes", "dram__bytes_read.sum", Merge::sum},
    HardwareCounter{"instructions", "smsp__inst_executed.sum", Merge::sum}};

// The cells of a line, in quotes or not; two quotes in a quoted cell are one.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else if (line[i] != '\r') {
      cells.back() += line[i];
    }
  }
  return cells;
}

// "1,234.5" is 1234.5, "n/a" is nothing.
std::optional<double> number_of(std::string text) {
  std::erase(text, ',');
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;
  return value;
}

// The columns that we read.
struct Header {
  std::size_t id, kernel, metric, value;

  static std::optional<Header> from(const std::vector<std::string>& cells) {
    const auto index_of = [&](const char* name) {
      return static_cast<std::size_t>(std::find(cells.begin(), cells.end(), name) - cells.begin());
    };
    const Header header{index_of("ID"), index_of("Kernel Name"), index_of("Metric Name"),
                        index_of("Metric Value")};
    const std::size_t last = std::max({header.id, header.kernel, header.metric, header.value});
    return last < cells.size() ? std::optional(header) : std::nullopt;
  }
};

using Kernels = std::vector<KernelProfile>;

std::optional<double> merged(const HardwareCounter& quantity, Kernels::const_iterator first,
                             Kernels::const_iterator end) {
  double sum = 0;
  double weights = 0;
  for (auto kernel = first; kernel != end; ++kernel) {
    const auto value = kernel->metrics.find(quantity.profiler);
    const auto time = kernel->metrics.find(duration);
    if (value == kernel->metrics.end() || time == kernel->metrics.end()) return std::nullopt;
    const double weight = quantity.merge == Merge::sum ? 1 : time->second;
    sum += value->second * quantity.unit * weight;
    weights += weight;
  }
  if (weights == 0) return std::nullopt;
  return quantity.merge == Merge::sum ? sum : sum / weights;
}

Record record_of(const Record& point, const HardwareCounter& quantity,
                 Kernels::const_iterator first, Kernels::const_iterator end) {
  Record record = point;
  record.metric = quantity.metric;
  record.workload["kernels"] = end - first;
  record.workload["profiler"] = "Nsight Compute";
  record.workload["profiler_metric"] = quantity.profiler;
  record.value = merged(quantity, first, end);
  record.runs.clear();
  if (record.value) {
    record.runs = {*record.value};
  } else {
    record.status = "unsupported";
    record.reason =
        fmt::format("Nsight Compute reported no {} for these kernels", quantity.profiler);
  }
  return record;
}

bool is_marker(const KernelProfile& kernel) {
  return kernel.kernel.find(marker) != std::string::npos;
}

}  // namespace

std::vector<KernelProfile> kernels_in(std::string_view csv) {
  std::vector<KernelProfile> kernels;
  std::optional<Header> header;
  std::string last_id;
  for (std::size_t start = 0; start < csv.size();) {
    const std::size_t end = std::min(csv.find('\n', start), csv.size());
    const std::vector<std::string> cells = cells_of(csv.substr(start, end - start));
    start = end + 1;
    if (!header) {
      header = Header::from(cells);
      continue;
    }
    if (cells.size() <= std::max({header->id, header->kernel, header->metric, header->value}))
      continue;
    if (kernels.empty() || cells[header->id] != last_id)
      kernels.push_back({.kernel = cells[header->kernel]});
    last_id = cells[header->id];
    if (const auto value = number_of(cells[header->value]))
      kernels.back().metrics[cells[header->metric]] = *value;
  }
  if (!header)
    throw Error(
        "not a table of Nsight Compute: expected the output of ncu --csv --print-units base");
  return kernels;
}

std::string profiler_metrics() {
  std::string names = duration;
  for (const HardwareCounter& quantity : quantities) names += std::string(",") + quantity.profiler;
  return names;
}

std::vector<Record> profile_records(const std::vector<Record>& points,
                                    const std::vector<KernelProfile>& kernels) {
  const auto markers = std::count_if(kernels.begin(), kernels.end(), is_marker);
  const auto measured =
      std::count_if(points.begin(), points.end(), [](const Record& point) { return point.ok(); });
  if (markers != measured)
    throw Error(
        fmt::format("the profile has {} points, but the records have {}: expected files of the "
                    "same run",
                    markers, measured));
  std::vector<Record> records;
  auto next = std::find_if(kernels.begin(), kernels.end(), is_marker);
  for (const Record& point : points) {
    if (!point.ok()) {
      records.push_back(point);
      continue;
    }
    const auto first = std::next(next);
    next = std::find_if(first, kernels.end(), is_marker);
    for (const HardwareCounter& quantity : quantities) {
      records.push_back(record_of(point, quantity, first, next));
      if (&quantity != &quantities.front()) records.back().elapsed_s.reset();
    }
  }
  return records;
}

}  // namespace rtindex::bench
