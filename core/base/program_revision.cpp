#include "core/base/program_revision.h"

#include "cospadi_revision.h"

namespace cospadi {

std::string programRevision() { return COSPADI_REVISION; }

}  // namespace cospadi
