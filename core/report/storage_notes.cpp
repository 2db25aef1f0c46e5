#include "core/report/storage_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/dictionary/budget.h"
#include "core/forms/dense/dense_weight.h"
#include "core/forms/group_quantised/group_quantised_weight.h"
#include "core/forms/pruned/pruned_weight.h"
#include "core/methods/method.h"
#include "core/report/run_dimensions.h"
#include "core/report/run_labels.h"
#include "core/report/source_note.h"
#include "core/store/idle_settings.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

constexpr double kSameRatio = 0.002;  // of the dense bytes: whole atoms and file headers
constexpr std::size_t kMostNamed = 8;

// Label and ρ as far as they tell the runs apart.
std::string nameAmong(const RunRow& run, bool byLabel, bool byRho) {
    const bool tellsRho = byRho && isSparse(run) && !run.hasAutoRho();  // which the label tells
    const std::string rho = tellsRho ? fmt::format("rho {}", run.rho) : "";
    const std::string label = byLabel || rho.empty() ? methodLabel(run) : "";
    return label + (label.empty() || rho.empty() ? "" : ", ") + rho;
}

// "14-bit coefficients".
std::string inBits(const RunSpecification& used, const char* what) {
    return used.coefficientBits > 0    ? fmt::format("{}-bit {}", used.coefficientBits, what)
           : isPacked(used.accounting) ? fmt::format("8- to 10-bit {}", what)
                                       : fmt::format("{} in bits by the matrix", what);
}

using NamedRatios = std::vector<std::pair<double, std::string>>;

// As measured: ascending, those that read alike once.
NamedRatios measuredRatios(const std::vector<const RunRow*>& runs) {
    std::set<std::string> labels;
    std::set<double> rhos;
    for (const RunRow* run : runs) {
        labels.insert(methodLabel(*run));
        if (isSparse(*run)) {
            rhos.insert(run->rho);
        }
    }
    NamedRatios named;
    for (const RunRow* run : runs) {
        const double ratio = run->measuredRatio();
        const std::string name = nameAmong(*run, labels.size() > 1, rhos.size() > 1);
        std::isfinite(ratio)
            ? named.emplace_back(ratio, fmt::format("{} {:.4f}", name, ratio))
            : named.emplace_back(std::numeric_limits<double>::infinity(), name + " unknown");
    }
    std::sort(named.begin(), named.end());
    named.erase(std::unique(named.begin(), named.end(),
                            [](const auto& a, const auto& b) { return a.second == b.second; }),
                named.end());
    return named;
}

std::string listOf(const NamedRatios& ratios) {
    std::string list;
    for (const auto& [ratio, text] : ratios) {
        list += (list.empty() ? "" : "; ") + text;
    }
    return list;
}

std::string ratioNote(const std::string& cr, const std::vector<const RunRow*>& runs) {
    const NamedRatios ratios = measuredRatios(runs);
    if (ratios.back().first - ratios.front().first <= kSameRatio) {
        return "";
    }
    return fmt::format("bytes are not the same at cr {}: as measured {}", cr,
                       ratios.size() <= kMostNamed
                           ? listOf(ratios)
                           : ratios.front().second + " to " + ratios.back().second);
}

}  // namespace

std::string numberFormat(const RunRow& run) {
    const std::optional<RunSpecification> specification = specificationOf(run);
    if (!specification || run.method == "dense") {
        return "";
    }
    RunSpecification used = effective(*specification);
    const bool isShortened = used.derived && used.derived->isRequantized();
    if (isShortened) {
        used.coefficientBits = used.derived->coefficientBits;
        used.coefficientFormat = CoefficientFormat::ShortMantissa;
    }
    const std::string form = methodOf(used).formUnder(used);
    if (form == GroupQuantisedWeight::kForm) {
        return "integers with 16-bit scales";
    }
    if (form == PrunedWeight::kForm) {
        return "16-bit weights where they are kept";
    }
    if (form == DenseWeight::kForm) {
        return "16-bit weights in the blocks that are kept";
    }
    if (!isSparse(run) && !isPacked(used.accounting) && !isShortened) {
        return used.accounting == Accounting::Remapped ? "remapped 8- and 16-bit factors"
                                                       : "16-bit factors";
    }
    if (used.accounting == Accounting::Integers && !isShortened) {
        const auto width = [](int b) { return b > 0 ? fmt::format("{}-bit", b) : "few-bit"; };
        const std::string left = width(used.dictionaryBits);
        const std::string right = width(used.coefficientBits);
        return isSparse(run)
                   ? fmt::format("{} dictionary, {} coefficients, 16-bit scales", left, right)
                   : fmt::format("{} left factor, {} right factor, 16-bit scales", left, right);
    }
    if (used.coefficientBits == 0 && !isPacked(used.accounting)) {
        used.coefficientBits = impliedCoefficientBits(used);  // whatever ratio a layer has
    }
    const std::string format = used.coefficientBits == 16
                                   ? ""
                                   : fmt::format(" (short {}s)", name(coefficientFormatOf(used)));
    const int columnBits = used.accounting == Accounting::Packed8 ? 8 : 16;
    return isSparse(run) ? fmt::format("{}-bit dictionary, {}{}", columnBits,
                                       inBits(used, "coefficients"), format)
                         : fmt::format("{}-bit left factor, {}{}", columnBits,
                                       inBits(used, "right factor"), format);
}

std::string withoutRatioNote(const std::vector<const RunRow*>& runs) {
    return fmt::format("without a requested cr, and so not ranked: as measured {}",
                       listOf(measuredRatios(runs)));
}

std::vector<std::string> storageNotes(const std::vector<const RunRow*>& runs) {
    std::map<std::string, std::vector<const RunRow*>> byRatio;
    std::map<std::string, std::set<std::string>> byFormat;
    for (const RunRow* run : runs) {
        const std::string format = numberFormat(*run);
        if (format.empty()) {
            continue;
        }
        byFormat[format].insert(methodLabel(*run));
        if (std::isfinite(run->measuredRatio())) {
            byRatio[fmt::format("{}", run->cr)].push_back(run);
        }
    }
    std::vector<std::string> notes;
    for (const auto& [cr, group] : byRatio) {
        if (std::string note = ratioNote(cr, group); !note.empty()) {
            notes.push_back(std::move(note));
        }
    }
    if (byFormat.size() > 1) {
        std::string list;
        for (const auto& [format, labels] : byFormat) {
            list +=
                fmt::format("{}{}: {}", list.empty() ? "" : "; ", fmt::join(labels, ", "), format);
        }
        notes.push_back("rows of different number formats are compared: " + list);
    }
    std::vector<RunRow> rows;
    for (const RunRow* run : runs) {
        rows.push_back(*run);
    }
    const std::vector<std::string> sources = sourceNotes(rows);
    notes.insert(notes.end(), sources.begin(), sources.end());
    return notes;
}

}  // namespace cospadi
