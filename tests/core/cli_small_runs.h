// Runs of a small model without a tokenizer by the command line, and what they hold.
#pragma once

#include <Eigen/Core>
#include <QStringList>
#include <algorithm>
#include <filesystem>
#include <vector>

#include "core/forms/matrix_file.h"

namespace cli_runs {

inline const QString kModel = COSPADI_TEST_DATA "/oracle/arch/a_llama_gqa";

inline QStringList compressArguments(const QString& out, const QStringList& more = {}) {
    return QStringList{"compress", kModel, "--method",   "cospadi-free",
                       "--out",    out,    "--no-model", "--json"} +
           more;
}

// The codes of all matrices of a run, by the names of their files.
inline std::vector<Eigen::MatrixXf> codesIn(const QString& run) {
    namespace fs = std::filesystem;
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator((run + "/matrices").toStdString())) {
        paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<Eigen::MatrixXf> codes;
    for (const fs::path& path : paths) {
        const auto stored = cospadi::readMatrixFile(path);
        codes.push_back(cospadi::sparseFactors(stored.weight)->codes);
    }
    return codes;
}

}  // namespace cli_runs
