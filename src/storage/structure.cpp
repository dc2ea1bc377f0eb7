#include "storage/structure.hpp"

#include "storage/saved_column.hpp"

namespace rtindex {

void Structure::save(FileWriter file) const { save_column(file, column()); }

}  // namespace rtindex
