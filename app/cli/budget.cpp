#include <fmt/format.h>

#include <cmath>

#include "app/cli/session.h"
#include "core/base/error.h"
#include "core/dictionary/budget.h"

namespace cospadi::cli {

namespace {

struct BudgetOptions {
    std::string shape;
    double cr = 0.2;
    double rho = 2;
};

std::pair<std::int64_t, std::int64_t> parseShape(const std::string& shape) {
    const std::size_t cross = shape.find_first_of("xX");
    try {
        std::size_t used = 0;
        const std::int64_t d1 = std::stoll(shape, &used);
        if (cross != std::string::npos && used == cross) {
            const std::string rest = shape.substr(cross + 1);
            const std::int64_t d2 = std::stoll(rest, &used);
            if (used == rest.size()) {
                return {d1, d2};
            }
        }
    } catch (const std::exception&) {  // reported below, with the text that was given
    }
    throw Error(fmt::format("'{}' is not a shape", shape), "--shape",
                "write d1xd2, e.g. 4096x12288");
}

// Files have whole bytes: a last half-filled one counts.
std::int64_t whole(double bytes) { return static_cast<std::int64_t>(std::ceil(bytes)); }

nlohmann::json budgetJson(const SparseBudget& b) {
    return {{"k", b.k},
            {"s", b.s},
            {"coefficient_bits", b.coefficientBits},
            {"dictionary_bits", b.dictionaryBits},
            {"dictionary_bytes", whole(b.dictionaryBytes())},
            {"value_bytes", whole(b.valueBytes())},
            {"mask_bytes", whole(b.maskBytes())},
            {"total_bytes", whole(b.totalBytes())},
            {"cr", b.ratio()}};
}

nlohmann::json budgetJson(const LowRankBudget& b) {
    return {{"rank", b.rank},
            {"left_bits", b.leftBits},
            {"right_bits", b.rightBits},
            {"left_bytes", whole(b.leftBytes())},
            {"right_bytes", whole(b.rightBytes())},
            {"total_bytes", whole(b.totalBytes())},
            {"cr", b.ratio()}};
}

// Of a factor's entries; those of the longer one of two that are remapped differ.
std::string bitsOf(const LowRankBudget& b, int bits) {
    return b.remapped && bits == 16 ? "8/16" : std::to_string(bits);
}

int budget(const Session& session, const BudgetOptions& options) {
    const auto [d1, d2] = asUsage([&] { return parseShape(options.shape); });
    const auto lowRankUnder = [&, d1 = d1, d2 = d2](Accounting accounting) {
        return asUsage([&] { return lowRankBudget(d1, d2, options.cr, accounting); });
    };
    const LowRankBudget lowRank = lowRankUnder(Accounting::Eq11);
    const auto bytes = [](auto count) { return humanBytes(static_cast<double>(count)); };
    std::string text = fmt::format("W ({}, {}), CR {}, ρ {}: {} dense in bf16\n\n", d1, d2,
                                   options.cr, options.rho, bytes(lowRank.denseBytes()));
    text += fmt::format("{:<29} {:>7} {:>7} {:>5} {:>11} {:>9} {:>9} {:>9} {:>7}\n", "", "k", "s",
                        "bits", "dictionary", "values", "mask", "total", "CR");
    nlohmann::json record{{"d1", d1},
                          {"d2", d2},
                          {"cr", options.cr},
                          {"rho", options.rho},
                          {"dense_bytes", whole(lowRank.denseBytes())},
                          {"low_rank", budgetJson(lowRank)}};
    for (const auto& [label, accounting] :
         {std::pair{"sparse, eq 10 (bf16 values)", Accounting::Eq10},
          std::pair{"sparse, eq 11 (short values)", Accounting::Eq11},
          std::pair{"sparse, packed (more atoms)", Accounting::Packed},
          std::pair{"sparse, packed8 (8-bit atoms)", Accounting::Packed8},
          std::pair{"sparse, integers (few bits)", Accounting::Integers}}) {
        const SparseBudget b = asUsage([&, d1 = d1, d2 = d2, accounting = accounting] {
            return sparseBudget(d1, d2, options.cr, options.rho, accounting);
        });
        record[name(accounting)] = budgetJson(b);
        text +=
            fmt::format("{:<29} {:>7} {:>7} {:>5} {:>11} {:>9} {:>9} {:>9} {:>7.4f}\n", label, b.k,
                        b.s, b.coefficientBits, bytes(b.dictionaryBytes()), bytes(b.valueBytes()),
                        bytes(b.maskBytes()), bytes(b.totalBytes()), b.ratio());
    }
    text += fmt::format("\n{:<29} {:>7} {:>13} {:>11} {:>9} {:>9} {:>9} {:>7}\n", "", "rank",
                        "bits", "left", "right", "", "total", "CR");
    for (const auto& [label, accounting] :
         {std::pair{"low rank (bf16 factors)", Accounting::Eq11},
          std::pair{"low rank, packed (short right)", Accounting::Packed},
          std::pair{"low rank, packed8 (8-bit left)", Accounting::Packed8},
          std::pair{"low rank, integers (few bits)", Accounting::Integers},
          std::pair{"low rank, remapped (Dobi-SVD)", Accounting::Remapped}}) {
        const LowRankBudget b = lowRankUnder(accounting);
        if (accounting != Accounting::Eq11) {
            record[fmt::format("low_rank_{}", name(accounting))] = budgetJson(b);
        }
        text += fmt::format("{:<30} {:>6} {:>13} {:>11} {:>9} {:>9} {:>9} {:>7.4f}\n", label,
                            b.rank, bitsOf(b, b.leftBits) + " + " + bitsOf(b, b.rightBits),
                            bytes(b.leftBytes()), bytes(b.rightBytes()), "", bytes(b.totalBytes()),
                            b.ratio());
    }
    session.print(text, record);
    return kOk;
}

}  // namespace

void addBudget(Command app, Session& session) {
    const Command command = app.addCommand(
        "budget", "Show what a compression ratio allows for one matrix: k, s, rank, bytes");
    auto options = std::make_shared<BudgetOptions>();
    command.addOption("--shape", options->shape, "d1xd2 = in x out features, e.g. 4096x12288")
        .required();
    command.addOption("--cr", options->cr, "Compression ratio: the fraction of bytes removed")
        .showDefault();
    command.addOption("--rho", options->rho, "ρ = k/s, atoms per non-zero").showDefault();
    finishCommand(command, session, [&session, options] { return budget(session, *options); });
}

}  // namespace cospadi::cli
