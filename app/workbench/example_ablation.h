// What pictures of the window show: an ablation of ρ, CR and seeds on the attention of three blocks
// of the default model, and SVD-LLM beside it. How it is planned, and which of the stored runs are
// which.
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <optional>
#include <vector>

#include "core/store/run_row.h"
#include "core/store/run_specification.h"
#include "ui/models/sweep.h"

namespace cospadi::ui {
class RunsTableModel;
}

namespace cospadi::app {

class ExampleAblation {
  public:
    static constexpr int kBlocks = 3;
    static constexpr int kMatrices = kBlocks * 4;
    static constexpr int kRhos = 3;
    static constexpr int kRatios = 2;
    static constexpr int kSeeds = 2;
    static constexpr int kRuns = kRhos * kRatios * kSeeds;

    static QString layers();     // a regular expression
    static QString oneMatrix();  // of them
    static RunSpecification usualPlan();
    static RunSpecification plan();
    static ui::SweepText lists();
    static RunSpecification rivalPlan();

    // runs: of the window; outlives it.
    explicit ExampleAblation(const ui::RunsTableModel* runs) : m_runs(runs) {}

    std::vector<RunRow> runs() const;     // the finished ones of the ablation
    std::optional<RunRow> rival() const;  // once it is finished
    // Precondition of these: all are finished. Of one CR and one seed.
    RunRow ofRho(double rho) const;
    std::vector<RunRow> compared() const;  // the rival and one of every ρ

  private:
    std::vector<RunRow> finished(const std::function<bool(const RunRow&)>& fits) const;

    const ui::RunsTableModel* m_runs;
};

QStringList idsOf(const std::vector<RunRow>& runs);
QString directoryOf(const RunRow& run);

}  // namespace cospadi::app
