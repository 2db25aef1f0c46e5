// What the tests over the emulated device share.
#pragma once

#include <QString>
#include <exception>

#include "gpu/emulation/emulated_cuda.h"

namespace cospadi::emulation {

// As it was before any test: there, with all its memory, threads in their order, the first
// device current.
inline void restoreDevice() {
    setThreadOrder(ThreadOrder::Forwards);
    failAllocationsAbove(0);
    keepInPool(0);
    needForCode(0);
    loseDevice(false);
    cudaSetDevice(0);
}

// What `action` throws says; empty where it throws nothing.
template <typename Action>
QString messageOf(const Action& action) {
    try {
        action();
    } catch (const std::exception& error) {
        return error.what();
    }
    return {};
}

}  // namespace cospadi::emulation
