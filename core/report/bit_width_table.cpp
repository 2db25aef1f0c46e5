#include "core/report/bit_width_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/error.h"
#include "core/report/mean_accuracy.h"
#include "core/report/run_labels.h"
#include "core/report/run_metrics.h"
#include "core/store/method_label.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

constexpr int kWholeCoefficient = 16;

// A run of a curve; `origin` is what it was made of, or itself.
struct BitWidthPoint {
    const RunRow* run;
    const RunRow* origin;
    std::string rounding;
    int bits = 0;  // 0: of an origin whose layers differ in them

    int atMost() const { return bits > 0 ? bits : kWholeCoefficient; }
};

class BitWidthTable {
  public:
    explicit BitWidthTable(const std::vector<RunRow>& runs) {
        std::map<std::string, const RunRow*> byId;
        for (const RunRow& run : runs) {
            byId[run.id] = &run;
        }
        for (const RunRow& run : runs) {
            const auto specification = specificationOf(run);
            if (!specification || !specification->derived ||
                !specification->derived->isRequantized()) {
                continue;
            }
            const auto origin = byId.find(specification->derived->from);
            if (origin == byId.end() || isRequantized(*origin->second)) {
                ++m_alone;
                continue;
            }
            const std::string rounding = name(specification->derived->rounding);
            m_points.push_back(
                {&run, origin->second, rounding, specification->derived->coefficientBits});
        }
        addOrigins();
    }

    bool empty() const { return m_points.empty(); }
    std::int64_t alone() const { return m_alone; }

    ReportTable build() {
        std::stable_sort(m_points.begin(), m_points.end(), [](const auto& a, const auto& b) {
            const auto key = [](const BitWidthPoint& point) {
                return std::tuple(curveOf(point), -point.atMost());
            };
            return key(a) < key(b);
        });
        // Of several that are the same but for what they were made of again, the newest.
        m_points.erase(std::unique(m_points.begin(), m_points.end(),
                                   [](const auto& a, const auto& b) {
                                       return curveOf(a) == curveOf(b) && a.bits == b.bits;
                                   }),
                       m_points.end());
        std::vector<RunRow> measured;
        for (const BitWidthPoint& point : m_points) {
            measured.push_back(*point.run);
        }
        const Measure perplexity = commonMeasure(measured);
        const MeanAccuracy accuracy(measured);
        ReportTable table;
        table.columns = {{"model"},
                         {"layers"},
                         {"method"},
                         {"cr", ColumnKind::Number, 2, BestValue::None, false, true},
                         {"rounding"},
                         {"bits", ColumnKind::Number, 0, BestValue::None, false, true},
                         {"bytes", ColumnKind::Bytes},
                         {"ratio", ColumnKind::Number, 4},
                         {"error", ColumnKind::Number, 4},
                         {"perplexity", ColumnKind::Number, 2},
                         {"accuracy", ColumnKind::Number, 4},
                         {"relative error", ColumnKind::Number, 4},
                         {"relative perplexity", ColumnKind::Number, 4},
                         {"relative accuracy", ColumnKind::Number, 4}};
        for (const BitWidthPoint& point : m_points) {
            const RunRow& run = *point.run;
            const RunRow& origin = *point.origin;
            const std::string curve = curveOf(point);
            ReportRow row;
            row.cells = {modelLabel(origin),
                         layersLabel(origin),
                         methodLabel(origin, {"coefficient_bits"}),
                         origin.cr,
                         point.rounding,
                         point.bits > 0 ? ReportCell(std::int64_t{point.bits}) : ReportCell(),
                         run.layerBytes,
                         run.measuredRatio()};
            const auto add = [&](const auto& value) {
                row.cells.emplace_back(value(run));
                m_relative.emplace_back(value(run) / value(origin));
            };
            m_relative.clear();
            add([](const RunRow& of) { return of.relativeError; });
            add([&](const RunRow& of) { return metricOf(of, "perplexity", perplexity); });
            add([&](const RunRow& of) { return accuracy.of(of); });
            row.cells.insert(row.cells.end(), m_relative.begin(), m_relative.end());
            row.group = curve;
            row.block = curve;
            table.rows.push_back(std::move(row));
        }
        table.notes = notes(accuracy, perplexityNotes(measured, perplexity));
        return table;
    }

  private:
    static bool isRequantized(const RunRow& run) {
        const auto specification = specificationOf(run);
        return specification && specification->derived && specification->derived->isRequantized();
    }

    static std::string curveOf(const BitWidthPoint& point) {
        const RunRow& origin = *point.origin;
        return fmt::format("{} {} {} {} {} {}", origin.model, layersLabel(origin),
                           methodLabel(origin), origin.cr, point.rounding, origin.id);
    }

    // The widest point of every curve.
    void addOrigins() {
        std::map<std::string, BitWidthPoint> origins;
        for (const BitWidthPoint& point : m_points) {
            BitWidthPoint origin = point;
            origin.run = point.origin;
            origin.bits = storedCoefficientBits(*specificationOf(*point.origin));
            origins.emplace(curveOf(point), origin);
        }
        for (auto& [curve, origin] : origins) {
            if (origin.bits > 0 && origin.bits < kWholeCoefficient) {
                ++m_shortOrigins;
            }
            m_points.push_back(std::move(origin));
        }
    }

    std::vector<std::string> notes(const MeanAccuracy& accuracy,
                                   const std::vector<std::string>& ofPerplexities) const {
        std::vector<std::string> notes;
        notes.emplace_back(
            "relative: to the run from which the others were derived, the first row of each curve; "
            "all have the same dictionaries");
        if (m_shortOrigins > 0) {
            notes.push_back(fmt::format(
                "{} of the curves begin with a run of fewer than 16 bits per coefficient, to which "
                "values are relative; compress --coefficient-bits 16 makes one with 16",
                m_shortOrigins));
        }
        notes.insert(notes.end(), ofPerplexities.begin(), ofPerplexities.end());
        if (!accuracy.metrics().empty()) {
            notes.push_back(
                fmt::format("accuracy: mean of {}", fmt::join(accuracy.metrics(), ", ")));
        }
        if (m_alone > 0) {
            notes.push_back(fmt::format(
                "{} runs are left out: the runs they were derived from are not among these",
                m_alone));
        }
        return notes;
    }

    std::vector<BitWidthPoint> m_points;
    std::vector<ReportCell> m_relative;
    std::int64_t m_alone = 0;
    std::int64_t m_shortOrigins = 0;
};

}  // namespace

ReportTable bitWidthTable(const std::vector<RunRow>& runs) {
    BitWidthTable table(runs);
    if (table.empty()) {
        throw Error(
            table.alone() > 0
                ? "the runs from which those with fewer bits were derived are not among the runs"
                : "no matching finished run has coefficients in fewer bits than solved",
            "coefficient-bits",
            table.alone() > 0
                ? "loosen the filters, or import these runs"
                : "make some with cospadi requantize RUN --coefficient-bits 15,14,13,12");
    }
    return table.build();
}

}  // namespace cospadi
