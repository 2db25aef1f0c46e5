// Runs on a small random model, and what it computes.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/forms/matrix_file.h"
#include "core/forms/matrix_record.h"
#include "core/methods/method.h"
#include "core/model/forward.h"
#include "core/store/run_file.h"
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

// What result.json tells of every matrix, by name.
inline std::map<std::string, cospadi::MatrixRecord> recordsOf(const std::filesystem::path& run) {
    std::map<std::string, cospadi::MatrixRecord> records;
    const nlohmann::json result = cospadi::readRunJson(run / "result.json", "");
    for (const nlohmann::json& matrix : result.at("matrices")) {
        const cospadi::MatrixRecord record = cospadi::matrixRecordFromJson(matrix);
        records[record.name] = record;
    }
    return records;
}

inline cospadi::StoredMatrix matrixOf(const std::filesystem::path& run, const std::string& name) {
    return cospadi::readMatrixFile(run / "matrices" / (name + ".safetensors"));
}

// Of the files in a folder.
inline std::int64_t bytesIn(const std::filesystem::path& folder) {
    std::int64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        bytes += static_cast<std::int64_t>(entry.file_size());
    }
    return bytes;
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
