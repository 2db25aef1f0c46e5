// What tests of the verbs of Backend begin with: the backend of their program, opened, or the
// reason why there is none.
#pragma once

#include <QtTest>

#include "tests/core/backend_under_test.h"

class BackendFixture {
  protected:
    // Of initTestCase(): skips all tests where there is no backend.
    void requireBackend() const {
        if (m_backend == nullptr) {
            QSKIP(m_opened.reason.c_str());
        }
        qInfo("over %s", m_backend->description().c_str());
    }

    BackendUnderTest m_opened = openBackendUnderTest();
    cospadi::Backend* m_backend = m_opened.backend.get();
};
