#include "core/base/error.h"
#include "gpu/device/compute_devices.h"
#include "tests/core/backend_under_test.h"

BackendUnderTest openBackendUnderTest() {
    try {
        return {cospadi::computeDevice("cuda").open(1), {}};
    } catch (const cospadi::DeviceError& error) {
        return {nullptr, error.problem()};
    }
}
