// Runs of one matrix whose dictionary and codes are written by hand, for tests of the Pattern page.
#pragma once

#include <Eigen/Core>
#include <QTemporaryDir>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/forms/matrix_file.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "core/store/run_row.h"

namespace cospadi::ui {

// Orthogonal atoms; D's columns of `atoms` in that order, each a unit vector.
inline SparseDictionaryFactors handWrittenFactors(const std::vector<int>& atoms,
                                                  const std::vector<std::vector<float>>& codes) {
    SparseDictionaryFactors factors;
    factors.dictionary = Eigen::MatrixXf::Zero(8, static_cast<Eigen::Index>(atoms.size()));
    factors.codes = Eigen::MatrixXf::Zero(static_cast<Eigen::Index>(atoms.size()),
                                          static_cast<Eigen::Index>(codes[0].size()));
    for (std::size_t i = 0; i < atoms.size(); ++i) {
        factors.dictionary(atoms[i], static_cast<Eigen::Index>(i)) = 1;
        for (std::size_t j = 0; j < codes[i].size(); ++j) {
            factors.codes(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = codes[i][j];
        }
    }
    factors.s = factors.codes.rows();
    return factors;
}

// A run in a folder of its own below `folder`, of one layer that has these factors.
inline RunRow writePatternRun(const QTemporaryDir& folder, const char* id,
                              const SparseDictionaryFactors& factors) {
    RunRow run;
    run.id = id;
    run.directory = folder.filePath(id).toStdString();
    run.method = "cospadi";
    run.matrices = 1;
    std::filesystem::create_directories(run.directory + "/matrices");
    MatrixRecord record;
    record.name = "blk.0.attn_q";
    record.kind = "attn_q";
    record.d1 = factors.dictionary.rows();
    record.d2 = factors.codes.cols();
    record.k = factors.codes.rows();
    record.s = factors.s;
    writeMatrixFile(run.directory + "/matrices/blk.0.attn_q.safetensors", *storedWeight(factors),
                    record);
    return run;
}

}  // namespace cospadi::ui
