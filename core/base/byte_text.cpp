#include "core/base/byte_text.h"

#include <fmt/format.h>

namespace cospadi {

std::string byteText(double bytes) {
    if (bytes >= 1e9) {
        return fmt::format("{:.2f} GB", bytes / 1e9);
    }
    if (bytes >= 1e6) {
        return fmt::format("{:.1f} MB", bytes / 1e6);
    }
    return bytes >= 1e3 ? fmt::format("{:.1f} kB", bytes / 1e3) : fmt::format("{:.0f} B", bytes);
}

}  // namespace cospadi
