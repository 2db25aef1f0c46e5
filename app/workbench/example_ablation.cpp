#include "app/workbench/example_ablation.h"

#include <algorithm>

#include "core/methods/method.h"
#include "core/store/run_condition.h"
#include "ui/models/runs_table_model.h"

namespace cospadi::app {

namespace {

constexpr int kIterations = 4;  // of K-SVD: so few that the seed still tells
const char* const kSweepName = "attention";
const char* const kRivalMethod = "svd-llm";
constexpr double kComparedRatio = 0.2;
constexpr int kComparedSeed = 1;

}  // namespace

// Early and middle blocks: what lies behind the last one need not be calibrated.
QString ExampleAblation::layers() {
    return QStringLiteral("^blk\\.(0|8|16)\\.(attn_q|attn_k|attn_v|attn_output)$");
}

QString ExampleAblation::oneMatrix() { return QStringLiteral("blk.0.attn_q"); }

RunSpecification ExampleAblation::usualPlan() {
    RunSpecification plan;
    plan.calibration.sequences = 4;
    plan.calibration.length = 256;
    return plan;
}

RunSpecification ExampleAblation::plan() {
    RunSpecification plan = usualPlan();
    plan.solver = Solver::Ksvd;
    plan.iterations = kIterations;
    return plan;
}

ui::SweepText ExampleAblation::lists() {
    return {QStringLiteral("0.2 0.3"),
            QStringLiteral("1.5 2 3"),
            {},
            QStringLiteral("1 2"),
            QString::fromLatin1(kSweepName)};
}

RunSpecification ExampleAblation::rivalPlan() {
    RunSpecification plan = usualPlan();
    plan.method = &methodFromName(kRivalMethod);
    return plan;
}

std::vector<RunRow> ExampleAblation::finished(
    const std::function<bool(const RunRow&)>& fits) const {
    std::vector<RunRow> found;
    for (const RunRow& run : m_runs->runs()) {
        if (run.status == "finished" && fits(run)) {
            found.push_back(run);
        }
    }
    return found;
}

std::vector<RunRow> ExampleAblation::runs() const {
    return finished([tag = std::string(kSweepTag) + kSweepName](const RunRow& run) {
        return std::find(run.tags.begin(), run.tags.end(), tag) != run.tags.end();
    });
}

std::optional<RunRow> ExampleAblation::rival() const {
    const auto found = finished([](const RunRow& run) { return run.method == kRivalMethod; });
    return found.empty() ? std::nullopt : std::optional(found.front());
}

RunRow ExampleAblation::ofRho(double rho) const {
    for (const RunRow& run : runs()) {
        if (run.cr == kComparedRatio && run.rho == rho && run.seed == kComparedSeed) {
            return run;
        }
    }
    qFatal("the ablation has no run of ρ %g", rho);
}

std::vector<RunRow> ExampleAblation::compared() const {
    return {rival().value(), ofRho(1.5), ofRho(2), ofRho(3)};
}

QStringList idsOf(const std::vector<RunRow>& runs) {
    QStringList ids;
    for (const RunRow& run : runs) {
        ids << QString::fromStdString(run.id);
    }
    return ids;
}

QString directoryOf(const RunRow& run) { return QString::fromStdString(run.directory); }

}  // namespace cospadi::app
