#pragma once

#include <cstddef>
#include <optional>

#include "base/call_control.hpp"

namespace rtindex {

// A loop over the rows or bytes of a file: reports its progress, and can be stopped.
class ReadProgress {
 public:
  explicit ReadProgress(std::size_t total) {
    if (CallControl* const control = CallControl::current())
      loop_.emplace(*control, total / block + 1);
  }

  // `done`: how many of them were read.
  void reach(std::size_t done) {
    if (!loop_ || done < next_) return;
    for (; next_ <= done; next_ += block) loop_->finish_block();
    check_stop();
  }

 private:
  static constexpr std::size_t block = std::size_t{1} << 14;
  std::optional<ProgressLoop> loop_;
  std::size_t next_ = block;
};

}  // namespace rtindex
