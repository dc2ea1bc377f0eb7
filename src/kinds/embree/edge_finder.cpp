#include "kinds/embree/edge_finder.hpp"

#include "kinds/scene/edge_order.hpp"

namespace rtindex {

EdgeFinder::EdgeFinder(const Sources& sources, const LookupBatch& batch, Edge edge,
                       const RowBits& deleted, Counters* counters)
    : from_(sources), batch_(batch), edge_(edge), deleted_(deleted) {
  init_context(query_.base);
  query_.receiver = this;
  query_.counters = counters;
}

EdgeRow EdgeFinder::find(std::size_t lookup, Interval range, std::uint8_t checks) {
  lookup_ = lookup;
  range_ = range;
  checks_ = checks;
  found_ = {};
  const RxOptions& options = from_.options;
  const EdgeRays rays{options.coordinates, options.point, options.range,
                      options.row_rays == RowRays::all};
  static_cast<void>(find_edge(rays, from_.directory, range, edge_, *this));
  return found_;
}

bool EdgeFinder::closest(const Ray& ray, Interval keys, std::uint64_t& hit) {
  query_.ray_keys = keys;
  query_.on_hit = &EdgeFinder::on_closest;
  const std::uint32_t primitive = from_.scene.closest(ray, query_);
  rethrow();
  if (primitive == EmbreeScene::no_primitive) return false;
  hit = from_.column.keys[primitive];
  return true;
}

void EdgeFinder::add_all_hits(const Ray& ray, Interval keys) {
  query_.ray_keys = keys;
  query_.on_hit = &EdgeFinder::on_any;
  from_.scene.trace(ray, query_);
  rethrow();
}

bool EdgeFinder::counts(std::uint32_t primitive) const {
  const std::uint32_t row = from_.column.row(primitive);
  if (deleted_.has(row)) return false;
  return checks_ == check_none ||
         batch_.accepts(lookup_, range_, checks_, row, from_.column.keys[primitive]);
}

void EdgeFinder::add_hit(std::uint32_t primitive) {
  if (!counts(primitive)) return;
  const EdgeRow row{from_.column.row(primitive), from_.column.keys[primitive]};
  if (is_nearer(batch_, edge_, row, found_)) found_ = row;
}

bool EdgeFinder::on_closest(void* self, std::uint32_t primitive) {
  auto& finder = *static_cast<EdgeFinder*>(self);
  try {
    return finder.counts(primitive);
  } catch (...) {
    finder.error_ = std::current_exception();
    return true;
  }
}

bool EdgeFinder::on_any(void* self, std::uint32_t primitive) {
  auto& finder = *static_cast<EdgeFinder*>(self);
  try {
    finder.add_hit(primitive);
    return false;
  } catch (...) {
    finder.error_ = std::current_exception();
    return true;
  }
}

}  // namespace rtindex
