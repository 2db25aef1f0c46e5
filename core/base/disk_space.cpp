#include "core/base/disk_space.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace cospadi {

void requireDiskSpace(const std::filesystem::path& folder, double bytes,
                      const std::filesystem::path& what, const std::string& hint) {
    std::error_code failed;
    const std::filesystem::space_info space = std::filesystem::space(folder, failed);
    const auto available = static_cast<double>(space.available);
    if (!failed && available < bytes) {
        throw Error(fmt::format("needs {:.1f} MB, but only {:.1f} MB are free", bytes / 1e6,
                                available / 1e6),
                    what.string(), hint);
    }
}

}  // namespace cospadi
