// What tests of sweeps begin with: a small random model, grids over one kind of its layers, and a
// folder for the runs of each test.
#pragma once

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/sweep/sweep.h"
#include "core/sweep/sweep_grid.h"
#include "small_runs.h"

namespace cospadi::sweep_fixture {

namespace fs = std::filesystem;
using nlohmann::json;

using small_runs::kModel;

inline std::vector<RunSpecification> smallGrid(json more = json::object()) {
    json grid{{"model", kModel.string()},
              {"method", {"svd", "cospadi-free"}},
              {"cr", {0.2, 0.4}},
              {"layers", "attn_k"}};
    grid.update(more);
    return expandGrid(grid);
}

class SweepFixture {
  protected:
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_runs;

    void openFolder() {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
        m_runs = place("runs");
    }
    fs::path place(const char* name) const {
        return fs::path(m_folder->path().toStdString()) / name;
    }
    static std::vector<JobOutcome> runJobs(const std::vector<SweepJob>& jobs,
                                           const std::stop_token& stop = {}) {
        SweepOptions options;
        options.execution.writeModel = false;
        return runSweep(jobs, options, stop);
    }
};

}  // namespace cospadi::sweep_fixture
