#include "gpu/cuda_backend.h"
#include "tests/core/backend_under_test.h"

BackendUnderTest openBackendUnderTest() {
    return {std::make_unique<cospadi::CudaBackend>("CUDA emulated on the host"), {}};
}
