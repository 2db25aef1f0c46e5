// What an Error says that is expected of an action, and which file, field or option it names.
#pragma once

#include <functional>
#include <string>

#include "core/base/error.h"

namespace cospadi {

inline std::string messageOf(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

inline std::string whereOf(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.where();
    }
    return "no error";
}

}  // namespace cospadi
