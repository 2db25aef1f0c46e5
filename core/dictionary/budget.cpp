#include "core/dictionary/budget.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/error.h"

namespace cospadi {

namespace {

constexpr double kBytesPerBf16 = 2;

void requireShape(std::int64_t d1, std::int64_t d2) {
    if (d1 < 1 || d2 < 1) {
        throw Error(fmt::format("{} x {} is not a matrix shape", d1, d2), "shape",
                    "give two positive sizes, e.g. 4096x12288");
    }
}

void requireRatio(double cr) {
    if (!(cr > 0 && cr < 1)) {
        throw Error(fmt::format("compression ratio {} is out of range", cr), "cr",
                    "give a fraction between 0 and 1, e.g. 0.2 removes a fifth of the bytes");
    }
}

// ⌊x⌋ that forgives the last bits of a decimal fraction: 0.8·40 is 32, not 31.
std::int64_t floorOf(double x) { return static_cast<std::int64_t>(std::floor(x * (1 + 1e-12))); }

}  // namespace

const char* name(Accounting accounting) { return accounting == Accounting::Eq10 ? "eq10" : "eq11"; }

Accounting accountingFromName(const std::string& name) {
    if (name == "eq10") {
        return Accounting::Eq10;
    }
    if (name == "eq11") {
        return Accounting::Eq11;
    }
    throw Error(fmt::format("'{}' is not a storage convention", name), "accounting",
                "use eq10 (bf16 values and a bit mask) or eq11 (shorter values pay for the mask)");
}

double SparseBudget::dictionaryBytes() const {
    return kBytesPerBf16 * static_cast<double>(d1) * static_cast<double>(k);
}
double SparseBudget::valueBytes() const {
    return static_cast<double>(d2) * static_cast<double>(s) * coefficientBits / 8.0;
}
double SparseBudget::maskBytes() const {
    return static_cast<double>(d2) * static_cast<double>(k) / 8.0;
}
double SparseBudget::totalBytes() const { return dictionaryBytes() + valueBytes() + maskBytes(); }
double SparseBudget::denseBytes() const {
    return kBytesPerBf16 * static_cast<double>(d1) * static_cast<double>(d2);
}
double SparseBudget::ratio() const { return 1 - totalBytes() / denseBytes(); }

double LowRankBudget::totalBytes() const {
    return kBytesPerBf16 * static_cast<double>(rank) * static_cast<double>(d1 + d2);
}
double LowRankBudget::denseBytes() const {
    return kBytesPerBf16 * static_cast<double>(d1) * static_cast<double>(d2);
}
double LowRankBudget::ratio() const { return 1 - totalBytes() / denseBytes(); }

SparseBudget sparseBudget(std::int64_t d1, std::int64_t d2, double cr, double rho,
                          Accounting accounting) {
    requireShape(d1, d2);
    requireRatio(cr);
    if (!(rho >= 1 && rho <= 8)) {
        throw Error(fmt::format("ρ = k/s = {} is out of range", rho), "rho",
                    "give a value from 1 (every atom used) to 8; the paper uses 2");
    }
    const auto rows = static_cast<double>(d1);
    const auto columns = static_cast<double>(d2);
    const double words = (1 - cr) * rows * columns;
    const double wordsPerAtom =
        rows + columns / rho + (accounting == Accounting::Eq10 ? columns / 16 : 0);
    SparseBudget budget;
    budget.d1 = d1;
    budget.d2 = d2;
    budget.k = floorOf(words / wordsPerAtom);
    budget.s = floorOf(static_cast<double>(budget.k) / rho);
    budget.coefficientBits =
        accounting == Accounting::Eq10 ? 16 : 16 - static_cast<int>(std::ceil(rho));
    if (budget.k < 1 || budget.s < 1) {
        throw Error(fmt::format("a {} x {} matrix has no room for an atom at CR {} and ρ {}", d1,
                                d2, cr, rho),
                    "cr", "lower the compression ratio or leave the layer out");
    }
    return budget;
}

LowRankBudget lowRankBudget(std::int64_t d1, std::int64_t d2, double cr) {
    requireShape(d1, d2);
    requireRatio(cr);
    LowRankBudget budget;
    budget.d1 = d1;
    budget.d2 = d2;
    budget.rank = floorOf((1 - cr) * static_cast<double>(d1) * static_cast<double>(d2) /
                          static_cast<double>(d1 + d2));
    if (budget.rank < 1) {
        throw Error(fmt::format("a {} x {} matrix has no room for rank 1 at CR {}", d1, d2, cr),
                    "cr", "lower the compression ratio or leave the layer out");
    }
    return budget;
}

}  // namespace cospadi
