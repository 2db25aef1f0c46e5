#include "app/cli/matrix_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "app/cli/result_json.h"
#include "core/base/json_text.h"

namespace cospadi::cli {

namespace {

nlohmann::json factsOf(const MatrixRow& matrix) {
    return matrix.facts.empty() ? nlohmann::json::object()
                                : nlohmann::json::parse(matrix.facts, nullptr, false);
}

struct FactorBits {
    int left = 0;  // of an entry of the dictionary, or of the left factor
    int right = 0;
};

// Of factors in integers, whose bits may be chosen matrix by matrix.
std::optional<FactorBits> integerBits(const MatrixRow& matrix) {
    const nlohmann::json facts = factsOf(matrix);
    if (!facts.contains("integer_run")) {
        return std::nullopt;
    }
    const auto bitsOf = [&](const char* sparse, const char* lowRank) {
        return facts.value(sparse, facts.value(lowRank, 0));
    };
    return FactorBits{bitsOf("dictionary_bits", "left_bits"),
                      bitsOf("coefficient_bits", "right_bits")};
}

using Facts = std::map<std::string, std::string>;

// What forms tell beyond the columns that many of them share.
Facts furtherFacts(const MatrixRow& matrix) {
    static const std::set<std::string> kColumns = {"k", "s", "rank", "active_atoms", "unit"};
    const bool hasBits = integerBits(matrix).has_value();
    Facts facts{{"form", matrix.form}};
    const nlohmann::json told = factsOf(matrix);
    for (const auto& [name, value] : told.items()) {
        if (!kColumns.contains(name) && !(hasBits && name.ends_with("_bits"))) {
            facts[name] = plainText(value);
        }
    }
    return facts;
}

// Those that all matrices agree in.
Facts commonFacts(const std::vector<MatrixRow>& matrices) {
    Facts common = matrices.empty() ? Facts() : furtherFacts(matrices.front());
    for (const MatrixRow& matrix : matrices) {
        const Facts own = furtherFacts(matrix);
        std::erase_if(common, [&](const auto& fact) {
            const auto same = own.find(fact.first);
            return same == own.end() || same->second != fact.second;
        });
    }
    return common;
}

std::string factsText(const Facts& facts, const Facts& but = {}) {
    std::string text;
    for (const auto& [name, value] : facts) {
        if (!but.contains(name) && !value.empty()) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
        }
    }
    return text;
}

}  // namespace

ReportTable tableOfMatrices(const std::vector<MatrixRow>& matrices) {
    const auto any = [&](std::int64_t MatrixRow::*field) {
        return std::any_of(matrices.begin(), matrices.end(),
                           [field](const MatrixRow& m) { return m.*field != 0; });
    };
    ReportTable table;
    table.columns = {{"matrix"}};
    std::vector<std::int64_t MatrixRow::*> counts;
    const auto count = [&](const char* name, std::int64_t MatrixRow::*field) {
        if (any(field)) {
            table.columns.push_back({name, ColumnKind::Number, 0});
            counts.push_back(field);
        }
    };
    count("k", &MatrixRow::k);
    count("s", &MatrixRow::s);
    count("active", &MatrixRow::activeAtoms);
    count("rank", &MatrixRow::rank);
    const std::size_t beforeBits = table.columns.size();
    const bool haveBits = std::any_of(matrices.begin(), matrices.end(), [](const MatrixRow& m) {
        return integerBits(m).has_value();
    });
    if (haveBits) {
        table.columns.push_back({"bits"});
    }
    count("iterations", &MatrixRow::iterations);
    count("mults a token", &MatrixRow::multiplications);
    const bool heldOut = std::any_of(matrices.begin(), matrices.end(), [](const MatrixRow& m) {
        return std::isfinite(m.heldOutError);
    });
    table.columns.insert(table.columns.end(),
                         {{"bytes", ColumnKind::Bytes}, {"error", ColumnKind::Number, 4}});
    if (heldOut) {
        table.columns.push_back({"held-out error", ColumnKind::Number, 4});
    }
    table.columns.push_back({"seconds", ColumnKind::Number, 2});
    const Facts common = commonFacts(matrices);
    const bool hasFacts = std::any_of(matrices.begin(), matrices.end(), [&](const MatrixRow& m) {
        return !factsText(furtherFacts(m), common).empty();
    });
    if (hasFacts) {
        table.columns.push_back({"facts"});
    }
    for (const MatrixRow& m : matrices) {
        ReportRow row;
        row.cells = {m.name};
        for (const auto field : counts) {
            row.cells.emplace_back(m.*field);
        }
        if (haveBits) {
            const auto bits = integerBits(m);
            row.cells.insert(row.cells.begin() + static_cast<std::ptrdiff_t>(beforeBits),
                             bits ? fmt::format("{} + {}", bits->left, bits->right) : "");
        }
        row.cells.insert(row.cells.end(), {m.bytes, m.relativeError});
        if (heldOut) {
            row.cells.emplace_back(m.heldOutError);
        }
        row.cells.emplace_back(m.seconds);
        if (hasFacts) {
            row.cells.emplace_back(factsText(furtherFacts(m), common));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string commonFactsText(const std::vector<MatrixRow>& matrices) {
    return factsText(commonFacts(matrices));
}

nlohmann::json matricesJson(const std::vector<MatrixRow>& rows) {
    nlohmann::json matrices = nlohmann::json::array();
    for (const MatrixRow& m : rows) {
        matrices.push_back({{"name", m.name},
                            {"kind", m.kind},
                            {"block", m.block},
                            {"d1", m.d1},
                            {"d2", m.d2},
                            {"form", m.form},
                            {"facts", factsOf(m)},
                            {"k", m.k},
                            {"s", m.s},
                            {"rank", m.rank},
                            {"bytes", m.bytes},
                            {"source_type", m.sourceType},
                            {"source_bytes", m.sourceBytes},
                            {"dense_bytes", m.denseBytes},
                            {"relative_error", numberOrNull(m.relativeError)},
                            {"held_out_error", numberOrNull(m.heldOutError)},
                            {"gram_shift", numberOrNull(m.gramShift)},
                            {"replaced_atoms", m.replacedAtoms},
                            {"iterations", m.iterations},
                            {"seconds", numberOrNull(m.seconds)},
                            {"core_seconds", numberOrNull(m.coreSeconds)},
                            {"coding_seconds", numberOrNull(m.codingSeconds)},
                            {"dictionary_seconds", numberOrNull(m.dictionarySeconds)},
                            {"active_atoms", m.activeAtoms},
                            {"multiplications", m.multiplications}});
        if (const auto bits = integerBits(m)) {
            matrices.back()["dictionary_bits"] = bits->left;
            matrices.back()["coefficient_bits"] = bits->right;
        }
    }
    return matrices;
}

}  // namespace cospadi::cli
