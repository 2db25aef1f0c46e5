#include "core/dictionary/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/ceil_divide.h"
#include "core/base/error.h"

namespace cospadi {

namespace {

constexpr double kBytesPerBf16 = 2;
constexpr std::array kAccountings{Accounting::Eq10,    Accounting::Eq11,     Accounting::Packed,
                                  Accounting::Packed8, Accounting::Remapped, Accounting::Integers};

void requireShape(std::int64_t d1, std::int64_t d2) {
    if (d1 < 1 || d2 < 1) {
        throw Error(fmt::format("{} x {} is not a matrix shape", d1, d2), "shape",
                    "give two positive sizes, e.g. 4096x12288");
    }
}

constexpr double kForgiven = 1e-12;

// ⌊x⌋ that forgives the last bits of a decimal fraction: 0.8·40 is 32, not 31.
std::int64_t floorOf(double x) {
    return static_cast<std::int64_t>(std::floor(x * (1 + kForgiven)));
}

// An atom, or a column of the left factor, in bf16 words: in eight bits with an exponent of its
// own.
double columnWords(double rows, int bits) { return bits == 16 ? rows : (rows + 1) / 2; }

double columnBytes(std::int64_t rows, std::int64_t count, int bits) {
    const auto entries = static_cast<double>(bits == 16 ? rows : rows + 1);
    return entries * static_cast<double>(count) * bits / 8.0;
}

// `count` columns of integers, with their scales.
double integerBytes(std::int64_t entries, std::int64_t count, int bits, std::int64_t run) {
    const std::int64_t runs = ceilDivide(entries, run);
    return static_cast<double>(count) *
           (static_cast<double>(entries) * bits / 8.0 + 2.0 * static_cast<double>(runs));
}

// The largest size whose bytes fit. They grow with it, but not evenly: a scale more every run.
template <typename Budget>
std::int64_t largestThatFits(double ratio, std::int64_t most, const Budget& ofSize) {
    std::int64_t fits = 0;
    for (std::int64_t above = most + 1; above - fits > 1;) {
        const std::int64_t middle = (fits + above) / 2;
        const auto budget = ofSize(middle);
        const bool isFit =
            budget.totalBytes() <= (1 - ratio) * budget.denseBytes() * (1 + kForgiven);
        (isFit ? fits : above) = middle;
    }
    return fits;
}

// Of one side (d, r) of remapped factors: `coded` bytes and a scale of 16 bits a column, the rest
// in 16 bits.
double remappedBytes(std::int64_t d, std::int64_t coded, std::int64_t rank) {
    return static_cast<double>(rank) * static_cast<double>(coded + 2 + 2 * (d - coded));
}

int columnBits(Accounting accounting) { return accounting == Accounting::Packed8 ? 8 : 16; }

// What an atom costs beside its entries, in bf16 words: a row of codes and of the mask.
double codeWordsPerAtom(Accounting accounting, double columns, double rho, int bits,
                        double maskBits) {
    if (accounting == Accounting::Eq11) {
        return columns / rho;
    }
    const int charged = accounting == Accounting::Eq10 ? 16 : bits;
    return columns / rho * charged / 16 + columns * maskBits / 16;
}

// Of the mask, an entry.
double maskBitsOf(const NmPattern& codes) {
    return codes.isGrouped() ? static_cast<double>(codes.choiceBits()) / codes.group : 1;
}

// Of the mask, a coefficient. Of groups a whole number: as a quotient of doubles, 9/14 · 14/3 is
// more than 3.
double maskBitsACoefficient(const NmPattern& codes, double rho) {
    return codes.isGrouped() ? static_cast<double>(ceilDivide(codes.choiceBits(), codes.kept))
                             : rho;
}

}  // namespace

void requireRatio(double cr) {
    if (!(cr > 0 && cr < 1)) {
        throw Error(fmt::format("compression ratio {} is out of range", cr), "cr",
                    "give a fraction between 0 and 1, e.g. 0.2 removes a fifth of the bytes");
    }
}

void requireRho(double rho) {
    if (!(rho >= 1 && rho <= 8)) {
        throw Error(fmt::format("ρ = k/s = {} is out of range", rho), "rho",
                    "give a value from 1 (every atom used) to 8; the paper uses 2");
    }
}

const char* name(Accounting accounting) {
    switch (accounting) {
        case Accounting::Eq10:
            return "eq10";
        case Accounting::Eq11:
            return "eq11";
        case Accounting::Packed:
            return "packed";
        case Accounting::Packed8:
            return "packed8";
        case Accounting::Remapped:
            return "remapped";
        case Accounting::Integers:
            return "integers";
    }
    return "unknown";
}

Accounting accountingFromName(const std::string& name) {
    for (const Accounting accounting : kAccountings) {
        if (name == cospadi::name(accounting)) {
            return accounting;
        }
    }
    throw Error(fmt::format("'{}' is not a storage convention", name), "accounting",
                "use eq10 (bf16 values and a bit mask), eq11 (shorter values compensate for the "
                "mask), packed (shorter values, more atoms), packed8 (also an 8-bit dictionary), "
                "integers (factors of few bits) or, for low rank only, remapped (8-bit factors)");
}

int impliedCoefficientBits(Accounting accounting, double cr, double rho) {
    switch (accounting) {
        case Accounting::Eq10:
        case Accounting::Remapped:
            return 16;
        case Accounting::Eq11:
            return 16 - static_cast<int>(std::ceil(rho));
        case Accounting::Packed:
            return cr < 0.25 ? 9 : 8;  // the greater the error, the less their digits matter
        case Accounting::Packed8:
            return cr < 0.3 ? 10 : cr < 0.45 ? 9 : 8;
        case Accounting::Integers:
            return kUsualIntegerBits;
    }
    return 16;
}

bool isPacked(Accounting accounting) {
    return accounting == Accounting::Packed || accounting == Accounting::Packed8 ||
           accounting == Accounting::Integers;
}

double SparseBudget::dictionaryBytes() const {
    return integerRun > 0 ? integerBytes(d1, k, dictionaryBits, integerRun)
                          : columnBytes(d1, k, dictionaryBits);
}
double SparseBudget::valueBytes() const {
    if (integerRun > 0) {
        return integerBytes(s, d2, coefficientBits, integerRun);
    }
    return static_cast<double>(d2) * static_cast<double>(s) * coefficientBits / 8.0;
}
double SparseBudget::maskBytes() const {
    return static_cast<double>(d2) * static_cast<double>(k) * maskBitsOf(codes) / 8.0;
}
double SparseBudget::totalBytes() const { return dictionaryBytes() + valueBytes() + maskBytes(); }
double SparseBudget::denseBytes() const {
    return kBytesPerBf16 * static_cast<double>(d1) * static_cast<double>(d2);
}
double SparseBudget::ratio() const { return 1 - totalBytes() / denseBytes(); }

double LowRankBudget::leftBytes() const {
    if (integerRun > 0) {
        return integerBytes(d1, rank, leftBits, integerRun);
    }
    return remapped ? remappedBytes(d1, std::min(d1, d2), rank) : columnBytes(d1, rank, leftBits);
}
double LowRankBudget::rightBytes() const {
    if (integerRun > 0) {
        return integerBytes(rank, d2, rightBits, integerRun);
    }
    if (remapped) {
        return remappedBytes(d2, std::min(d1, d2), rank);
    }
    return static_cast<double>(d2) * static_cast<double>(rank) * rightBits / 8.0;
}
double LowRankBudget::totalBytes() const { return leftBytes() + rightBytes(); }
double LowRankBudget::denseBytes() const {
    return kBytesPerBf16 * static_cast<double>(d1) * static_cast<double>(d2);
}
double LowRankBudget::ratio() const { return 1 - totalBytes() / denseBytes(); }

SparseBudget sparseBudget(std::int64_t d1, std::int64_t d2, double cr, double rho,
                          Accounting accounting, int coefficientBits, int dictionaryBits,
                          const NmPattern& codes) {
    requireShape(d1, d2);
    requireRatio(cr);
    if (codes.isGrouped()) {
        rho = static_cast<double>(codes.group) / codes.kept;
    }
    requireRho(rho);
    if (accounting == Accounting::Remapped) {
        throw Error("remapped factors are dense, but a dictionary's codes are sparse", "accounting",
                    "use packed8, or a low-rank method");
    }
    const auto rows = static_cast<double>(d1);
    const auto columns = static_cast<double>(d2);
    const double words = (1 - cr) * rows * columns;
    const double maskBits = maskBitsOf(codes);
    const int bits = coefficientBits > 0
                         ? coefficientBits
                         : impliedCoefficientBits(accounting, cr, maskBitsACoefficient(codes, rho));
    SparseBudget budget;
    budget.codes = codes;
    budget.d1 = d1;
    budget.d2 = d2;
    budget.coefficientBits = bits;
    budget.dictionaryBits = columnBits(accounting);
    if (accounting == Accounting::Integers) {
        budget.dictionaryBits = dictionaryBits > 0 ? dictionaryBits : kUsualIntegerBits;
        budget.integerRun = kIntegerRun;
        const auto ofAtoms = [&](std::int64_t k) {
            SparseBudget of = budget;
            of.k = k;
            of.s = floorOf(static_cast<double>(k) / rho);
            return of;
        };
        budget = ofAtoms(largestThatFits(cr, d1 * 8, ofAtoms));
    } else {
        const double wordsPerAtom = columnWords(rows, budget.dictionaryBits) +
                                    codeWordsPerAtom(accounting, columns, rho, bits, maskBits);
        budget.k = floorOf(words / wordsPerAtom);
        budget.k -= codes.isGrouped() ? budget.k % codes.group : 0;
        budget.s = floorOf(static_cast<double>(budget.k) / rho);
    }
    if (budget.k < 1 || budget.s < 1) {
        throw Error(fmt::format("a {} x {} matrix has no room for an atom at CR {} and ρ {}", d1,
                                d2, cr, rho),
                    "cr", "lower the compression ratio or exclude the layer");
    }
    return budget;
}

SparseBudget withAtMost(std::int64_t atoms, SparseBudget budget) {
    if (budget.k > atoms) {
        const double bytes = budget.totalBytes();
        const double perNonZero = budget.valueBytes() / static_cast<double>(budget.s);
        budget.k = atoms;
        budget.s = 0;
        budget.s =
            std::min(atoms, static_cast<std::int64_t>((bytes - budget.totalBytes()) / perNonZero));
        while (budget.s > 1 && budget.totalBytes() > bytes) {
            --budget.s;  // scales go by runs
        }
    }
    return budget;
}

LowRankBudget lowRankBudget(std::int64_t d1, std::int64_t d2, double cr, Accounting accounting,
                            int coefficientBits, int dictionaryBits) {
    requireShape(d1, d2);
    requireRatio(cr);
    LowRankBudget budget;
    budget.d1 = d1;
    budget.d2 = d2;
    if (isPacked(accounting)) {
        budget.leftBits = columnBits(accounting);
        budget.rightBits =
            coefficientBits > 0 ? coefficientBits : impliedCoefficientBits(accounting, cr, 1);
    }
    if (accounting == Accounting::Remapped) {
        budget.remapped = true;
        budget.leftBits = d1 <= d2 ? 8 : 16;
        budget.rightBits = d2 <= d1 ? 8 : 16;
    }
    const auto rows = static_cast<double>(d1);
    const auto columns = static_cast<double>(d2);
    const double wordsPerRank =
        budget.remapped ? std::max(rows, columns) + 2  // two bytes a word, and two scales
                        : columnWords(rows, budget.leftBits) + columns * budget.rightBits / 16;
    budget.rank = std::min({floorOf((1 - cr) * rows * columns / wordsPerRank), d1, d2});
    if (accounting == Accounting::Integers) {
        budget.integerRun = kIntegerRun;
        budget.leftBits = dictionaryBits > 0 ? dictionaryBits : kUsualIntegerBits;
        budget.rank = largestThatFits(cr, std::min(d1, d2), [&](std::int64_t rank) {
            LowRankBudget of = budget;
            of.rank = rank;
            return of;
        });
    }
    if (budget.rank < 1) {
        throw Error(fmt::format("a {} x {} matrix has no room for rank 1 at CR {}", d1, d2, cr),
                    "cr", "lower the compression ratio or exclude the layer");
    }
    return budget;
}

std::int64_t prunedBudget(std::int64_t d1, std::int64_t d2, double cr) {
    requireShape(d1, d2);
    requireRatio(cr);
    const double positions = static_cast<double>(d1) * static_cast<double>(d2);
    const double maskWords = std::ceil(positions / 8) / 2;
    const std::int64_t kept = floorOf((1 - cr) * positions - maskWords);
    if (kept < 1) {
        throw Error(fmt::format("a {} x {} matrix has no room for a weight at CR {}", d1, d2, cr),
                    "cr", "lower the compression ratio or exclude the layer");
    }
    return kept;
}

}  // namespace cospadi
