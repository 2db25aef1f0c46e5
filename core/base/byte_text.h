// Bytes for people: "85.3 MB", in powers of ten as the paper's tables have them.
#pragma once

#include <string>

namespace cospadi {

std::string byteText(double bytes);

}  // namespace cospadi
