#include "c/device.hpp"

#include "c/guard.hpp"

#if !defined(RTINDEX_HAS_CUDA)

namespace rtindex::c {

namespace {

[[noreturn]] void fail_without_cuda() {
  fail(ErrorKind::unavailable,
       "the Arrow array is in the memory of a GPU and this build has no CUDA: copy it to host "
       "memory, or put nvcc of the CUDA toolkit on the PATH and configure again");
}

}  // namespace

void wait_on_device(std::int64_t, const void*, Stream) { fail_without_cuda(); }
void wait_on_host(const void*) { fail_without_cuda(); }
void export_answers_on_device(const rtindex_index&, AnswerCall&, ArrowSchema*, ArrowDeviceArray&) {
  fail_without_cuda();
}
void export_join_on_device(const rtindex_index&, const JoinCall&, ArrowSchema*, ArrowDeviceArray&) {
  fail_without_cuda();
}
void join_batches_on_device(const rtindex_index&, const JoinCall&, std::size_t, PassBatch) {
  fail_without_cuda();
}

}  // namespace rtindex::c

#endif
