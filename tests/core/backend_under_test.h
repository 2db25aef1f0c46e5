// Which backend tst_backend.cpp and tst_backend_codes.cpp run over: each program made of them links
// one definition of this.
#pragma once

#include <memory>
#include <string>

#include "core/linalg/backend.h"

struct BackendUnderTest {
    std::unique_ptr<cospadi::Backend> backend;
    std::string reason;  // in words, why there is none here
};

BackendUnderTest openBackendUnderTest();
