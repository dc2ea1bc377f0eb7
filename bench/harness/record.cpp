#include "harness/record.hpp"

#include <numeric>

#include <rtindex/error.hpp>

#include "harness/timing.hpp"

namespace rtindex::bench {

namespace {

void put(nlohmann::json& line, const char* name, const std::string& text) {
  if (!text.empty()) line[name] = text;
}

std::string text_in(const nlohmann::json& line, const char* name) {
  return line.value(name, std::string());
}

std::optional<double> number_in(const nlohmann::json& line, const char* name) {
  if (!line.contains(name)) return std::nullopt;
  return line.at(name).get<double>();
}

}  // namespace

double mean(const std::vector<double>& runs) {
  return std::accumulate(runs.begin(), runs.end(), 0.0) / static_cast<double>(runs.size());
}

std::string Record::point() const {
  const std::string position = x ? nlohmann::json(*x).dump() : category;
  return experiment + '\n' + series + '\n' + position + '\n' + scale;
}

nlohmann::json to_json(const Record& record) {
  nlohmann::json line = {{"experiment", record.experiment},
                         {"index", record.index},
                         {"metric", record.metric},
                         {"status", record.status}};
  put(line, "series", record.series);
  if (record.x) line["x"] = *record.x;
  put(line, "category", record.category);
  put(line, "reason", record.reason);
  if (record.value) line["value"] = *record.value;
  if (!record.runs.empty()) {
    line["median"] = Times{record.runs}.median();
    line["runs"] = record.runs;
  }
  put(line, "scale", record.scale);
  if (!record.workload.is_null()) line["workload"] = record.workload;
  if (record.elapsed_s) line["elapsed_s"] = *record.elapsed_s;
  if (!record.machine.is_null()) line["machine"] = record.machine;
  put(line, "date", record.date);
  put(line, "commit", record.commit);
  put(line, "version", record.version);
  put(line, "command", record.command);
  put(line, "source", record.source);
  return line;
}

Record record_from(const nlohmann::json& line) {
  try {
    Record record;
    record.experiment = line.at("experiment").get<std::string>();
    record.index = line.at("index").get<std::string>();
    record.series = line.value("series", record.index);
    record.x = number_in(line, "x");
    record.category = text_in(line, "category");
    record.metric = line.at("metric").get<std::string>();
    record.status = line.value("status", std::string("ok"));
    record.reason = text_in(line, "reason");
    record.value = number_in(line, "value");
    record.runs = line.value("runs", std::vector<double>());
    record.scale = text_in(line, "scale");
    record.workload = line.value("workload", nlohmann::json());
    record.elapsed_s = number_in(line, "elapsed_s");
    record.machine = line.value("machine", nlohmann::json());
    record.date = text_in(line, "date");
    record.commit = text_in(line, "commit");
    record.version = text_in(line, "version");
    record.command = text_in(line, "command");
    record.source = text_in(line, "source");
    return record;
  } catch (const nlohmann::json::exception& error) {
    throw Error(std::string("not a record: ") + error.what());
  }
}

}  // namespace rtindex::bench
