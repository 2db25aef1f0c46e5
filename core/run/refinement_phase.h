// The last phase of a run that is refined (RunSpecification::refine): the factors of all layers, as
// they were solved, are moved by the predictions (core/refine), rounded as their form stores them,
// and measured. Supports, ranks and bytes stay.
//
// While it goes on the run's directory holds refinement.safetensors, what a later start goes on
// from, to the same bits; refinement.json tells the divergence of every step and on held-out text
// (docs/formats.md).
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/forms/matrix_record.h"
#include "core/model/model.h"
#include "core/refine/refinement.h"
#include "core/run/run_reporter.h"
#include "core/run/run_writer.h"
#include "core/run/source_units.h"
#include "core/store/run_specification.h"

namespace cospadi {

// What was gained: nats a token on the held-out sequences.
struct RefinementGain {
    double before = 0;
    double after = 0;  // of the weights as they are stored
};

// Of a finished run; throws Error where it has none.
RefinementGain refinementGainIn(const std::filesystem::path& run);

struct RefinementExecution {
    int threads = 0;  // 0 = all cores
    PauseGate* gate = nullptr;
    double saveSeconds = 180;  // between two files of state
};

class RefinementPhase {
  public:
    // model: with its own weights, unless errors go along the forward pass, as they are not
    // measured then. solved: the matrices that `records` tell of, all layers of the run in forward
    // order. The refined ones go into those of `writer`. All must outlive it.
    RefinementPhase(const RunSpecification& specification, const Model& model,
                    const MatrixFolder& solved, const std::vector<MatrixRecord>& records,
                    RunWriter& writer, RunReporter& report, const RefinementExecution& execution,
                    std::stop_token stop);

    // Records of the refined matrices, in the same order; nullopt when cancelled. Throws Error
    // where the held-out divergence of the weights as they would be stored did not fall: then
    // there are none, and a later start begins anew.
    std::optional<std::vector<MatrixRecord>> run();

    double seconds() const { return m_seconds; }  // of all starts

    // Of a run that is finished.
    static void removeState(const std::filesystem::path& run);

  private:
    std::vector<TrainableUnit> solvedUnits() const;
    bool move(Refinement& refinement);
    void requireGain() const;
    std::optional<std::vector<MatrixRecord>> store(const std::vector<TrainableUnit>& moved);
    void writeRecord() const;

    const RunSpecification& m_specification;
    const Model& m_model;
    const MatrixFolder& m_solved;
    const std::vector<MatrixRecord>& m_records;
    RunWriter& m_writer;
    RunReporter& m_report;
    RefinementExecution m_execution;
    std::stop_token m_stop;
    std::vector<SourceUnit> m_units;
    ThreadPool m_pool;
    double m_seconds = 0;
    nlohmann::json m_told;  // refinement.json
};

}  // namespace cospadi
