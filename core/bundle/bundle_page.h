// README.md of a bundle: how its table was made, of what, on what, and how it is made again.
#pragma once

#include <string>
#include <vector>

#include "core/bundle/bundle.h"

namespace cospadi {

// No paths of this machine but those that commands have to name.
std::string bundlePage(const BundleContent& content, const std::vector<std::string>& pictures,
                       const RunStore& store);

}  // namespace cospadi
