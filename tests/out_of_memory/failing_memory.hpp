#pragma once

namespace rtindex::test {

// Makes one allocation of this thread fail, the first for `after` = 0, as long as it lives.
class FailingMemory {
 public:
  explicit FailingMemory(long after);
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;
};

}  // namespace rtindex::test
