// What is asked for one weight matrix: the method, and the settings of a specification that methods
// read, typed. Which of them a method reads is Method::settings().
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/dictionary/budget.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "core/methods/option.h"

namespace cospadi {

class Method;
const Method& usualMethod();  // cospadi

enum class Solver { Fast, Ksvd };

const char* name(Solver solver);
const char* name(DictionaryInit init);
const char* name(DictionaryUpdate update);
const char* name(Coder coder);
const char* name(DeadAtoms deadAtoms);
const char* name(CoefficientRounding rounding);
Solver solverFromName(const std::string& name);  // all throw Error listing the names
DictionaryInit dictionaryInitFromName(const std::string& name);  // random, gaussian, svd, weight
// ksvd, ksvd-exact, ksvd-randomized, mod, online
DictionaryUpdate dictionaryUpdateFromName(const std::string& name);
Coder coderFromName(const std::string& name);                              // omp, lasso
DeadAtoms deadAtomsFromName(const std::string& name);                      // replace, keep
CoefficientRounding coefficientRoundingFromName(const std::string& name);  // nearest, truncate
// auto (none), on, off
const char* refitName(std::optional<bool> refit);
std::optional<bool> refitFromName(const std::string& name);

struct MatrixOptions {
    const Method* method = &usualMethod();
    Solver solver = Solver::Fast;
    double cr = 0.2;
    double rho = 2;
    Accounting accounting = Accounting::Eq11;
    int coefficientBits = 0;  // 0: what the accounting implies
    int dictionaryBits = 0;   // of integers, or of a left factor of them; 0: the best on trial
    int iterations = 0;       // 0: the solver's own
    int powerIterations = 8;
    double tolerance = 0;
    // Factors are found in the metric of G + ridge · mean diagonal (G) · I, and measured in that of
    // G.
    double ridge = 0;
    std::uint64_t seed = 42;
    DictionaryInit init = DictionaryInit::RandomColumns;                     // ksvd
    DictionaryUpdate update = DictionaryUpdate::KsvdPower;                   // ksvd
    Coder coder = Coder::Omp;                                                // ksvd
    DeadAtoms deadAtoms = DeadAtoms::Replace;                                // ksvd
    CoefficientRounding coefficientRounding = CoefficientRounding::Nearest;  // ksvd
    std::optional<DictionarySide> side;  // none: the shorter side for fast, the input for ksvd
    std::optional<bool> refit;           // none: as usual (Method::usuallyRefits)
    std::optional<CoefficientFormat> coefficientFormat;  // none: as usual
    OptionValues own;  // what the method alone has (Method::ownOptions())
};

}  // namespace cospadi
