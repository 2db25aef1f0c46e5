#pragma once

#include <string>

namespace cospadi {

// Of the sources that this program was built from, ending in -dirty where they have uncommitted
// changes; empty where they are not known.
std::string programRevision();

}  // namespace cospadi
