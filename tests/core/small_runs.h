// Runs on a small random model, and what it computes.
#pragma once

#include <Eigen/Core>
#include <filesystem>

#include "core/methods/method.h"
#include "core/model/forward.h"
#include "core/store/run_specification.h"
#include "tests/core/oracle_data.h"

namespace small_runs {

inline const std::filesystem::path kModel = COSPADI_TEST_DATA "/oracle/arch/a_llama_gqa";

inline cospadi::RunSpecification specification(const char* method = "cospadi-free") {
    cospadi::RunSpecification s;
    s.model = kModel.string();
    s.method = &cospadi::methodFromName(method);
    return s;
}

// Calibration on the beginning of a text that is always there.
inline cospadi::CalibrationSpecification onText(std::int64_t sequences, std::int64_t length) {
    cospadi::CalibrationSpecification calibration;
    calibration.text = oracle::file("GPL-3.txt").string();
    calibration.sequences = sequences;
    calibration.length = length;
    return calibration;
}

// After 24 tokens that are always the same.
inline Eigen::MatrixXf logitsOf(const cospadi::Model& model) {
    cospadi::ThreadPool pool(2);
    cospadi::ForwardPass forward(model, pool);
    std::vector<std::int32_t> ids;
    for (int i = 0; i < 24; ++i) {
        ids.push_back((i * 37 + 11) % 500);
    }
    return forward.logits(forward.hiddenStates(ids, 24));
}

}  // namespace small_runs
