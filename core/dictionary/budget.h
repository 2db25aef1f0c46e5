// Storage budgets (paper §3.4, equations 9–11; appendix "Detailed storage breakdown").
//
// W is (d1, d2); a dense weight costs 2 d1 d2 bytes (bf16). CR γ is the fraction of storage
// removed.
//   low rank   r = ⌊(1−γ) d1 d2 / (d1 + d2)⌋                 bf16 factors, under eq 10 and eq 11
//     packed   r = ⌊(1−γ) d1 d2 / (d1 + (b/16) d2)⌋          the right one in b bits
//     packed8  r = ⌊(1−γ) d1 d2 / (½ (d1 + 1) + (b/16) d2)⌋  and the left one in bytes
//     remapped r = ⌊(1−γ) d1 d2 / (max(d1, d2) + 2)⌋         the first min(d1, d2) entries of every
//              column and row of a factor in bytes, with a 16-bit scale for each
//   eq 10      γ = 1 − (d1 k + s d2 + k d2/16) / (d1 d2)    bf16 values and one bit per mask entry
//   eq 11      γ = 1 − (d1 k + s d2) / (d1 d2)              ρ bits a coefficient pay for the mask
//   packed     γ = 1 − (d1 k + (b/16) s d2 + k d2/16) / (d1 d2)   eq 10 with b-bit coefficients
//   packed8    γ = 1 − (½ (d1 + 1) k + (b/16) s d2 + k d2/16) / (d1 d2)   and a dictionary of eight
//              bits, with an exponent of eight bits an atom
//   integers   γ = 1 − (k (b_D d1 + 16 ⌈d1/64⌉) + d2 (b_S s + 16 ⌈s/64⌉ + k)) / (16 d1 d2)   both
//   in
//              few bits with a 16-bit scale for a run of at most 64 entries; low rank:
//              γ = 1 − (r (b_D d1 + 16 ⌈d1/64⌉) + d2 (b_S r + 16 ⌈r/64⌉)) / (16 d1 d2)
//   pruned     γ = 1 − (n + d1 d2/16) / (d1 d2)             n kept weights in bf16, a bit a
//   position
// with s = k/ρ. Of codes with N of every M atoms (NmPattern) ρ is M/N, k a multiple of M, and a
// group has the number of its choice in the place of M bits: ⌈log2 C(M, N)⌉ for M in the bytes of a
// mask, and in eq 11 ⌈log2 C(M, N)⌉/N for the ρ bits that a coefficient pays. All cost the same
// bytes; they share them differently. What packed coefficients and dictionaries save buys atoms,
// which is worth far more than their last digits (docs/decisions/0008-packed-budget.md,
// 0009-dictionary-in-bytes.md).
#pragma once

#include <cstdint>
#include <string>

#include "core/base/nm_pattern.h"

namespace cospadi {

// Of integers (core/forms/integer_columns.h): a scale for as many entries, at most; and bits that
// are usual where none are given.
constexpr std::int64_t kIntegerRun = 64;
constexpr int kUsualIntegerBits = 3;

enum class Accounting { Eq10, Eq11, Packed, Packed8, Remapped, Integers };

const char* name(Accounting accounting);
Accounting accountingFromName(const std::string& name);  // throws Error listing them

// Throw Error naming the option: cr lies within (0, 1), ρ within 1 and 8.
void requireRatio(double cr);
void requireRho(double rho);

struct SparseBudget {
    std::int64_t d1 = 0;
    std::int64_t d2 = 0;
    std::int64_t k = 0;              // atoms
    std::int64_t s = 0;              // non-zeros per column
    int coefficientBits = 16;        // that a stored coefficient has
    int dictionaryBits = 16;         // that a stored entry of the dictionary has: 16, 8 or few
    std::int64_t integerRun = 0;     // entries with a scale in common, of integers; else 0
    NmPattern codes{};               // which atoms a column may use
    double dictionaryBytes() const;  // with the atoms' exponents or scales, where there are any
    double valueBytes() const;       // d2 s coefficients, with scales where there are any
    double maskBytes() const;        // k d2 bits, or the choices of all groups
    double totalBytes() const;
    double denseBytes() const;
    double ratio() const;  // the CR that these bytes are: 1 − total/dense
};

struct LowRankBudget {
    std::int64_t d1 = 0;
    std::int64_t d2 = 0;
    std::int64_t rank = 0;
    // That a stored entry of the left factor has, 16 or 8, and one of the right. Remapped: 8 of the
    // shorter one; 16 of the longer one, whose first entries, as many as the shorter has, have 8.
    int leftBits = 16;
    int rightBits = 16;
    bool remapped = false;
    std::int64_t integerRun = 0;  // entries with a scale in common, of integers; else 0
    double leftBytes() const;     // with the columns' exponents or scales, where there are any
    double rightBytes() const;
    double totalBytes() const;
    double denseBytes() const;
    double ratio() const;
};

// What an accounting implies, where a mask takes ρ bits a coefficient: 16; 16 − ⌈ρ⌉ under eq 11;
// packed 9, from CR 0.25 on 8; packed8 10, from CR 0.3 on 9, from 0.45 on 8; integers 3. Of a
// low-rank method's right factor: 16, under the latter two the same; 16 under remapped, whose bytes
// are no coefficients.
int impliedCoefficientBits(Accounting accounting, double cr, double rho);
// Packed, packed8 and integers: what coefficients of so many bits save buys more of them.
bool isPacked(Accounting accounting);

// coefficientBits: 0 for what the accounting implies. k and s, and the rank, depend on it under
// packed, packed8 and integers alone; low rank has 16 bits else, whatever it says. dictionaryBits:
// of integers, 0 for the usual 3 (a plan of bits left to trial: largestBudget() in
// methods/integer_factors); elsewhere it does not count. codes: rho does not count where they are
// grouped. A rank ends at the shorter side. Throw Error naming the option where cr or rho is out of
// range, a shape is not positive, or the budget leaves no atom, no non-zero or no rank; and
// sparseBudget() under remapped, which is of two dense factors.
SparseBudget sparseBudget(std::int64_t d1, std::int64_t d2, double cr, double rho,
                          Accounting accounting, int coefficientBits = 0, int dictionaryBits = 0,
                          const NmPattern& codes = {});
LowRankBudget lowRankBudget(std::int64_t d1, std::int64_t d2, double cr, Accounting accounting,
                            int coefficientBits = 0, int dictionaryBits = 0);

// Of a dictionary that can have no more than `atoms` of them: the bytes of the others go into more
// non-zeros a column, as far as there are atoms for them.
SparseBudget withAtMost(std::int64_t atoms, SparseBudget budget);

// Weights that a pruned layer may keep: n = ⌊(1−γ) d1 d2 − ½ ⌈d1 d2/8⌉⌋. Throws Error as the others
// do, and where none is left.
std::int64_t prunedBudget(std::int64_t d1, std::int64_t d2, double cr);

}  // namespace cospadi
