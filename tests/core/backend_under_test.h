// Which backend tst_backend.cpp runs over: each program made of it links one definition of this.
#pragma once

#include <memory>
#include <string>

#include "core/linalg/backend.h"

struct BackendUnderTest {
    std::unique_ptr<cospadi::Backend> backend;
    std::string reason;  // in words, why there is none here
};

BackendUnderTest openBackendUnderTest();
