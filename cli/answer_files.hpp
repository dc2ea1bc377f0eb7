#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include <rtindex/answer.hpp>

#include "io/npy_writer.hpp"

namespace rtindex::cli {

// The .npy files that answers go to, filled batch by batch. They appear all together on `commit`.
class AnswerFiles {
 public:
  // `output` or `matched` may be empty: not wanted. Names that cannot be written to, that stand
  // twice or that are one of `inputs` are an Error.
  AnswerFiles(AnswerSet answers, const std::string& output, const std::string& matched,
              const std::vector<std::string>& inputs);

  // The smallest and largest of times are times; their tick is NumPy's name for it ("us").
  void set_tick(std::string tick) { tick_ = std::move(tick); }
  void append(const Answers& answers);
  void commit();
  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  template <class T>
  void append_to(const std::string& part, std::span<const T> elements,
                 std::string_view descr = npy_descr<T>());
  void append_values(const std::string& part, const Aggregates& values);
  void append_rows(const Answers& answers);
  void append_matched(const Answers& answers);

  AnswerSet answers_;
  std::string tick_;
  std::map<std::string, std::string> paths_;  // by part: "sum", "offsets", "matched", ...
  std::map<std::string, NpyWriter> writers_;
  std::uint64_t rows_ = 0;
  bool first_batch_ = true;
};

}  // namespace rtindex::cli
