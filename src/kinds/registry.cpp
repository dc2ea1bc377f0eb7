#include "kinds/registry.hpp"

#include <utility>

#include "engine/index_options.hpp"
#include "kinds/btree/btree_options.hpp"
#include "kinds/embree/embree_options.hpp"
#include "kinds/grid/grid_options.hpp"
#include "kinds/hash/hash_options.hpp"
#include "kinds/optix/optix_options.hpp"

// The list of all kinds. No other file depends on which kinds this build contains.

namespace rtindex {

namespace {

#if defined(RTINDEX_HAS_CUDA)

std::vector<Kind> cuda_kinds() {
  return {cuda::grid_kind(), cuda::sorted_kind(), cuda::btree_kind(), cuda::hash_kind()};
}
Kind optix_kind() { return optix::optix_kind(); }

#else

constexpr const char* no_cuda =
    "this build has no CUDA: install the Python package rtindex-cu13, or build with nvcc on the "
    "PATH and RTINDEX_CUDA=ON (pip install . -C cmake.define.RTINDEX_CUDA=ON)";

Kind without_cuda(std::string kind, std::string tracer, std::vector<SpecOption> options) {
  return absent({.kind = std::move(kind),
                 .tracer = std::move(tracer),
                 .device = "cuda",
                 .options = std::move(options)},
                no_cuda);
}

std::vector<Kind> cuda_kinds() {
  return {without_cuda("rx", "native", cuda::GridOptions::declared()),
          without_cuda("sorted", "", {cuda::gather_option}),
          without_cuda("btree", "", cuda::TreeOptions::declared()),
          without_cuda("hash", "", cuda::HashOptions::declared())};
}
Kind optix_kind() { return without_cuda("rx", "optix", optix::declared_options()); }

#endif

}  // namespace

#if !defined(RTINDEX_HAS_EMBREE)

Kind embree_kind() {
  return absent(
      {.kind = "rx", .tracer = "embree", .device = "cpu", .options = EmbreeOptions::declared()},
      "this build has no Embree: install libembree-dev (Debian) or Embree 4 and configure again");
}

#endif

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> list = [] {
    std::vector<Kind> all = cuda_kinds();
    for (Kind& kind : std::vector<Kind>{grid_kind(), embree_kind(), sorted_kind(), btree_kind(),
                                        hash_kind(), optix_kind()})
      all.push_back(std::move(kind));
    for (Kind& kind : all)
      for (const SpecOption& option : IndexOptions::declared(kind.on_gpu()))
        kind.options.push_back(option);
    return all;
  }();
  return list;
}

}  // namespace rtindex
