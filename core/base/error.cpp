#include "core/base/error.h"

#include <utility>

namespace cospadi {

namespace {

std::string sentence(const std::string& what, const std::string& where, const std::string& hint) {
    std::string text = where.empty() ? what : where + ": " + what;
    if (!hint.empty()) {
        text += " (" + hint + ")";
    }
    return text;
}

}  // namespace

Error::Error(std::string what, std::string where, std::string hint)
    : std::runtime_error(sentence(what, where, hint)),
      m_problem(std::move(what)),
      m_where(std::move(where)),
      m_hint(std::move(hint)) {}

OutOfDeviceMemory::OutOfDeviceMemory(const std::string& what)
    : DeviceError("not enough memory on the device for " + what, "device memory",
                  "close other programs that use the device, or use --device cpu") {}

}  // namespace cospadi
