#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "bind.hpp"
#include "column.hpp"
#include "drawing/scene_picture.hpp"
#include "query.hpp"
#include "without_gil.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

std::string draw(const Column& column, const std::vector<const OwnedQuery*>& queries,
                 const std::string& spec, const std::string& title, bool bvh) {
  const WithoutGil unlocked;
  const OwnedView keys = as_one_view(column);
  std::vector<QuerySlice> held;
  std::vector<Query> drawn;
  held.reserve(queries.size());
  drawn.reserve(queries.size());
  for (const OwnedQuery* query : queries) drawn.push_back(held.emplace_back(query->whole()).query);
  return scene_picture(keys.view, drawn, Spec(spec), {title, bvh});
}

}  // namespace

void bind_pictures(nb::module_& module) {
  module.def("draw", draw, nb::arg("column"), nb::arg("queries"), nb::arg("spec"), nb::arg("title"),
             nb::arg("bvh"), "The scene of a small column and the rays of queries, as SVG.");
}

}  // namespace rtindex::python
