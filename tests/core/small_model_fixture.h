// What tests of whole runs begin with: a folder of their own with the small model in it, and in
// which all else that they leave behind lies: caches and runs.
#pragma once

#include <QtTest>
#include <filesystem>

#include "tests/core/own_folder.h"
#include "tests/gpu/small_model.h"

class SmallModelFixture : public OwnFolder {
  protected:
    void makeModel() {
        QVERIFY(m_folder.isValid());
        qputenv("XDG_CACHE_HOME", place("cache").c_str());
        qputenv("COSPADI_RUNS", place("runs").c_str());
        m_model = makeSmallModel(place("model"));
    }

    std::filesystem::path m_model;
};
