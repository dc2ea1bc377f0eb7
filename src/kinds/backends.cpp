#include "kinds/backends.hpp"

#include <utility>

#include "base/error.hpp"
#include "kinds/cuda_options.hpp"
#include "kinds/embree/embree_options.hpp"
#include "kinds/grid/grid.hpp"
#include "kinds/optix/optix_options.hpp"

#if defined(RTINDEX_HAS_CUDA)
#include "kinds/cuda/cuda_backends.hpp"
#include "kinds/optix/optix_backend.hpp"
#endif
#if defined(RTINDEX_HAS_EMBREE)
#include "kinds/embree/embree_backend.hpp"
#endif

// The registration of all backends, and the only file that depends on what this build contains.

namespace rtindex {

namespace {

// A backend that this build does not contain. Its specs are parsed like those of others.
class AbsentBackend final : public Backend {
 public:
  AbsentBackend(std::string kind, std::string tracer, std::string device,
                std::vector<SpecOption> options, std::string reason)
      : Backend(std::move(kind), std::move(tracer), std::move(device), std::move(options)),
        reason_(std::move(reason)) {}

  [[nodiscard]] std::optional<std::string> unavailable() const override { return reason_; }
  [[nodiscard]] std::string describe() const override { return {}; }
  [[nodiscard]] std::unique_ptr<Structure> build(const Spec&, EncodedColumn, const KeyCodec&,
                                                 const KeyText&,
                                                 const BuildOptions&) const override {
    fail(ErrorKind::unavailable, "{} is not available: {}", name(), reason_);
  }

 private:
  std::string reason_;
};

#if defined(RTINDEX_HAS_CUDA)

std::vector<const Backend*> cuda_backends() { return cuda::device_backends(); }
const Backend& optix_backend() { return optix::optix_backend(); }

#else

constexpr const char* no_cuda =
    "this build has no CUDA: install the Python package rtindex-cu13, or build with nvcc on the "
    "PATH and RTINDEX_CUDA=ON (pip install . -C cmake.define.RTINDEX_CUDA=ON)";

std::vector<const Backend*> cuda_backends() {
  static const AbsentBackend native("rx", "native", "cuda", cuda::GridOptions::declared(), no_cuda);
  static const AbsentBackend sorted("sorted", "", "cuda", {cuda::gather_option}, no_cuda);
  static const AbsentBackend btree("btree", "", "cuda", cuda::TreeOptions::declared(), no_cuda);
  static const AbsentBackend hash("hash", "", "cuda", cuda::HashOptions::declared(), no_cuda);
  return {&native, &sorted, &btree, &hash};
}

const Backend& optix_backend() {
  static const AbsentBackend backend("rx", "optix", "cuda", optix::declared_options(), no_cuda);
  return backend;
}

#endif

#if !defined(RTINDEX_HAS_EMBREE)

const Backend& embree_backend() {
  static const AbsentBackend backend(
      "rx", "embree", "cpu", EmbreeOptions::declared(),
      "this build has no Embree: install libembree-dev (Debian) or Embree 4 and configure again");
  return backend;
}

#endif

}  // namespace

const std::vector<const Backend*>& backends() {
  static const std::vector<const Backend*> list = [] {
    std::vector<const Backend*> all = cuda_backends();
    for (const Backend* backend : {&native_backend(), &embree_backend(), &sorted_backend(),
                                   &btree_backend(), &hash_backend(), &optix_backend()})
      all.push_back(backend);
    return all;
  }();
  return list;
}

}  // namespace rtindex
