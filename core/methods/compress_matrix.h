// One weight matrix in, its stored factors out: the methods of the comparison tables.
//
//   svd           truncated SVD of W                                     (data-free baseline)
//   svd-llm       truncated SVD of W_L = L W, mapped back with L⁻¹       (Wang et al. 2025)
//   cospadi-free  dictionary learning on W itself                        (CoSpaDi†, table 3)
//   cospadi       dictionary learning on W_L, D_a = L⁻¹ D                (the paper, Algorithm 1)
// The solver fast may also put the dictionary on the output side (DictionarySide).
// Factors come back rounded as they are stored, and the error is theirs.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/dictionary/budget.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "core/linalg/whitening.h"

namespace cospadi {

enum class Method { Dense, Svd, SvdLlm, CospadiFree, Cospadi };
enum class Solver { Fast, Ksvd };

const char* name(Method method);
const char* name(Solver solver);
const char* name(DictionaryInit init);
const char* name(DictionaryUpdate update);
const char* name(DeadAtoms deadAtoms);
const char* name(CoefficientRounding rounding);
Method methodFromName(const std::string& name);  // throw Error listing the names
Solver solverFromName(const std::string& name);
DictionaryInit dictionaryInitFromName(const std::string& name);  // random, gaussian, svd, weight
DictionaryUpdate dictionaryUpdateFromName(const std::string& name);        // ksvd, ksvd-exact, mod
DeadAtoms deadAtomsFromName(const std::string& name);                      // replace, keep
CoefficientRounding coefficientRoundingFromName(const std::string& name);  // nearest, truncate
bool needsCalibration(Method method);
bool isSparse(Method method);

struct MatrixOptions {
    Method method = Method::Cospadi;
    Solver solver = Solver::Fast;
    double cr = 0.2;
    double rho = 2;
    Accounting accounting = Accounting::Eq11;
    int coefficientBits = 0;  // 0: what the accounting implies
    int iterations = 0;       // 0: the solver's own
    int powerIterations = 8;
    double tolerance = 0;
    // Factors are found in the metric of G + ridge · mean diagonal (G) · I, and measured in that of
    // G.
    double ridge = 0;
    std::uint64_t seed = 42;
    DictionaryInit init = DictionaryInit::RandomColumns;                     // ksvd
    DictionaryUpdate update = DictionaryUpdate::KsvdPower;                   // ksvd
    DeadAtoms deadAtoms = DeadAtoms::Replace;                                // ksvd
    CoefficientRounding coefficientRounding = CoefficientRounding::Nearest;  // ksvd
    std::optional<DictionarySide> side;  // none: the shorter side for fast, the input for ksvd
    std::optional<bool> refit;           // none: as usual (usuallyRefits)
    std::optional<CoefficientFormat> coefficientFormat;  // none: as usual
};

// Whether what a rounded factor is multiplied by, codes or a right factor, is fitted to it once
// more before it is rounded itself: min ‖W_L − L B C‖ over C, of codes on their support. Never
// raises the error before that rounding. Usual with fast; with ksvd and low rank, which are
// published without, only where the factor has eight bits (ksvd) or what is saved buys rank.
bool usuallyRefits(Method method, Solver solver, Accounting accounting);
bool refits(const MatrixOptions& options);

// Of codes, and of a right factor of fewer than 16 bits: short mantissas of ksvd, as published,
// else short exponents.
CoefficientFormat usualCoefficientFormat(Method method, Solver solver);
CoefficientFormat coefficientFormatOf(const MatrixOptions& options);

// The side that the options mean for a layer, and its budget there: k, s and bytes. Throw Error as
// sparseBudget() does, and where ksvd shall work on the output side with calibration, which it
// cannot: the metric of the inputs then couples the columns of S.
DictionarySide sideOf(const MatrixOptions& options, std::int64_t d1, std::int64_t d2);
SparseBudget sparseBudgetOf(const MatrixOptions& options, std::int64_t d1, std::int64_t d2);
LowRankBudget lowRankBudgetOf(const MatrixOptions& options, std::int64_t d1, std::int64_t d2);
// Of the factors of whichever method it is.
double budgetBytes(const MatrixOptions& options, std::int64_t d1, std::int64_t d2);

// Whether the coefficients of this budget have a form: with short mantissas they keep all eight
// bits of bfloat16's exponent, and so need nine. False also where the budget leaves no atom.
bool isStorable(const MatrixOptions& options, std::int64_t d1, std::int64_t d2);
int fewestCoefficientBits(CoefficientFormat format);

struct CompressedMatrix {
    StoredWeightPtr weight;  // rounded to what is stored
    std::int64_t k = 0, s = 0, rank = 0;
    double relativeError = 0;  // ‖W_L − W̃_L‖_F / ‖W_L‖_F of the stored factors; plain W where
                               // there is no whitening
    double solvedError = 0;  // of the solver's factors, before they were rounded; 0 where unknown
    std::int64_t replacedAtoms = 0;
    int iterations = 0;
    Termination termination = Termination::Failed;
    DictionarySide side = DictionarySide::Input;
};

// w (d1, d2). whitening: nullptr for plain error; the error is whitened where it is given, also for
// the data-free methods, so that all methods are reported on the same scale.
CompressedMatrix compressMatrix(Backend& backend, const Eigen::MatrixXf& w,
                                const Whitening* whitening, const MatrixOptions& options,
                                const IterationCallback& callback = {},
                                const std::stop_token& stop = {});

// ‖L (W − W̃)‖_F / ‖L W‖_F, without whitening ‖W − W̃‖_F / ‖W‖_F: the error that is reported for
// every method.
double storedError(Backend& backend, const Eigen::MatrixXf& w, const Whitening* whitening,
                   const StoredWeight& stored);

// How near factors that were found under other options come under these, in the time of an
// iteration: the k atoms of most weight with the s largest of their codes in every column, fitted
// in a few steps. An upper bound in practice of what solving anew gives, not rounded. nullopt where
// the dictionary stands on the other side.
std::optional<double> errorOfCarriedOver(Backend& backend, const Eigen::MatrixXf& w,
                                         const Whitening* whitening,
                                         const SparseDictionaryFactors& known,
                                         const MatrixOptions& options);

// The errors that compressMatrix() reports for a low-rank method under these options, by one
// decomposition of the largest rank. whitening: as there; with it the method is svd-llm, else svd,
// whatever the options say.
std::vector<double> lowRankErrors(Backend& backend, const Eigen::MatrixXf& w,
                                  const Whitening* whitening,
                                  const std::vector<MatrixOptions>& options);

}  // namespace cospadi
