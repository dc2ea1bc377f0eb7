#include "harness/published.hpp"

#include "harness/records.hpp"

namespace rtindex::bench {

const std::vector<Record>& published_records() {
  static const std::vector<Record> records = records_in(published_text(), "results/paper");
  return records;
}

}  // namespace rtindex::bench
