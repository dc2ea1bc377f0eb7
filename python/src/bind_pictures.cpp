#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "column.hpp"
#include "drawing/scene_model.hpp"
#include "drawing/scene_picture.hpp"
#include "without_gil.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

// One lookup; null as its upper end: a point.
using Lookup = std::pair<const Column*, const Column*>;

std::string draw(const Column& column, const std::vector<Lookup>& lookups, const std::string& spec,
                 const std::string& title, bool bvh) {
  const WithoutGil unlocked;
  const OwnedView keys = as_one_view(column);
  std::vector<OwnedView> held;
  std::vector<Query> queries;
  for (const auto& [lower, upper] : lookups) {
    held.push_back(as_one_view(*lower));
    const ColumnView low = held.back().view;
    if (upper == nullptr) {
      queries.push_back(Query::equal(low));
    } else {
      held.push_back(as_one_view(*upper));
      queries.push_back(Query::range(low, held.back().view));
    }
  }
  return scene_picture(make_scene_model(keys.view, queries, Spec(spec)), {title, bvh});
}

}  // namespace

void bind_pictures(nb::module_& module) {
  module.def("draw", draw, nb::arg("column"), nb::arg("lookups"), nb::arg("spec"), nb::arg("title"),
             nb::arg("bvh"), "The scene of a small column and the rays of lookups, as SVG.");
}

}  // namespace rtindex::python
