#include "core/report/pareto_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/base/error.h"
#include "core/report/mean_accuracy.h"
#include "core/report/pareto_front.h"
#include "core/report/run_dimensions.h"
#include "core/report/run_labels.h"
#include "core/report/run_metrics.h"
#include "core/report/run_places.h"
#include "core/store/method_label.h"
#include "core/store/run_settings.h"
#include "core/store/stated_compression.h"

namespace cospadi {

namespace {

constexpr const char* kBits = "bits";  // of rtn and gptq: what their lines run over

// Between the 5 bits of Q4_1 and the 5.5 of Q5_0.
constexpr double kMostBitsOfFour = 5.25;

// Both unknown where the dense bytes are.
double shareOfDense(double bytes, std::int64_t denseBytes) {
    return denseBytes > 0 ? bytes / static_cast<double>(denseBytes) : unknownNumber;
}

double bitsAWeight(double bytes, std::int64_t denseBytes) {
    return 16 * shareOfDense(bytes, denseBytes);  // bf16
}

std::string groupOf(const RunRow& run) { return modelIdentity(run) + " " + layersLabel(run); }

struct Row {
    const RunRow* run = nullptr;  // the newest; of a source form any that tells its bytes
    std::string line, setting;
    bool isSource = false;
    double bytes = 0;
    ReportCell perplexity, accuracy;
};

class ParetoTable {
  public:
    explicit ParetoTable(const std::vector<RunRow>& runs)
        : m_measure(commonMeasure(runs)), m_accuracy(runs) {
        std::map<std::string, std::set<double>> rhos;
        for (const RunRow& run : runs) {
            const bool measured = std::isfinite(perplexityOf(run));
            if (run.method == "dense") {
                measured ? void(m_dense.try_emplace(modelIdentity(run), run)) : void();
            } else if (const auto stated = statedCompressionOf(run); stated && stated->bytes) {
                addStated(run, *stated);
            } else if (run.layerBytes > 0 && run.denseBytes > 0) {
                measured ? m_runs.push_back(run) : void(++m_unmeasured);
                if (measured && isSparse(run)) {
                    rhos[groupOf(run)].insert(run.rho);
                }
            }
        }
        for (const auto& [group, values] : rhos) {
            if (values.size() > 1) {
                m_tellRho.insert(group);
            }
        }
        weighStated();
    }

    bool empty() const { return m_runs.empty(); }

    ReportTable build() {
        addRuns();
        addSources();
        std::stable_sort(m_rows.begin(), m_rows.end(), [](const Row& a, const Row& b) {
            const auto key = [](const Row& row) {
                return std::tuple(modelLabel(*row.run), groupOf(*row.run), !row.isSource,
                                  methodRank(row.line), row.line, row.bytes);
            };
            return key(a) < key(b);
        });
        std::set<std::string> groups;
        for (const Row& row : m_rows) {
            groups.insert(groupOf(*row.run));
        }
        ReportTable table;
        table.columns = columns(groups.size() > 1);
        const std::vector<bool> front = frontOfRows();
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            table.rows.push_back(rowOf(m_rows[i], front[i], groups.size() > 1));
        }
        table.notes = notes();
        return table;
    }

  private:
    double perplexityOf(const RunRow& run) const { return metricOf(run, "perplexity", m_measure); }

    // What another program made: by the bytes that are stated of it, and with no perplexity here.
    void addStated(RunRow run, const StatedCompression& stated) {
        run.layerBytes = stated.bytes.value();
        run.denseBytes = stated.denseBytes;
        m_runs.push_back(std::move(run));
    }

    // Where the model's headers were not there to be read, an own run of its layers has read them.
    void weighStated() {
        std::map<std::string, std::int64_t> denseBytes;
        for (const RunRow& run : m_runs) {
            if (run.denseBytes > 0) {
                denseBytes.try_emplace(groupOf(run), run.denseBytes);
            }
        }
        for (RunRow& run : m_runs) {
            const auto known = denseBytes.find(groupOf(run));
            if (run.denseBytes == 0 && known != denseBytes.end()) {
                run.denseBytes = known->second;
            }
        }
    }

    // A method with everything but what moves along its line.
    std::string lineOf(const RunRow& run) const {
        const std::string label = methodLabel(run, {kBits});  // which tells of an automatic ρ
        return isSparse(run) && !run.hasAutoRho() && m_tellRho.contains(groupOf(run))
                   ? fmt::format("{}, rho {}", label, run.rho)
                   : label;
    }

    static std::string settingText(const RunRow& run) {
        const std::map<std::string, std::string> settings = settingsOf(run);
        if (const auto bits = settings.find(kBits); bits != settings.end()) {
            return bits->second + " bits";
        }
        const auto ratio = settings.find("cr");
        const std::string text = ratio == settings.end() ? std::string() : "cr " + ratio->second;
        return run.method == kExternalMethod ? text + (text.empty() ? "" : ", ") + "bytes as stated"
                                             : text;
    }

    void addRuns() {
        std::set<std::string> told = labelledSettings();
        told.insert({"cr", "rho", "layers", "model"});
        told.insert(statedFields().begin(), statedFields().end());
        RunPlaces places(
            m_runs,
            [this](const RunRow& run) {
                return groupOf(run) + " " + lineOf(run) + " " + settingText(run) + " " +
                       statedWords(run);
            },
            std::move(told));
        for (const RunPlace& place : places.places()) {
            const RunRow& newest = *place.runs.front();
            const auto perplexity = [this](const RunRow& run) { return perplexityOf(run); };
            const auto accuracy = [this](const RunRow& run) { return m_accuracy.of(run); };
            m_rows.push_back({&newest, lineOf(newest), settingText(newest), false,
                              static_cast<double>(newest.layerBytes),
                              places.mean(place, perplexity),
                              places.mean(place, accuracy, [this](const RunRow& run) {
                                  return m_accuracy.standardErrorOf(run);
                              })});
        }
        m_placeNotes = places.notes();
    }

    void addSources() {
        std::map<std::string, const RunRow*> sources;  // of each group
        for (const RunRow& run : m_runs) {
            const RunRow*& known = sources[groupOf(run)];
            known =
                known == nullptr || (known->sourceBytes == 0 && run.sourceBytes > 0) ? &run : known;
        }
        for (const auto& [group, run] : sources) {
            const bool told = run->sourceBytes > 0;
            if (!told && run->denseBytes == 0) {
                continue;  // of a model that was never here
            }
            Row row;
            row.run = run;
            row.line = told ? fmt::format("source form ({})", run->sourceType) : "dense, as bf16";
            row.isSource = true;
            row.bytes = static_cast<double>(told ? run->sourceBytes : run->denseBytes);
            if (const auto dense = m_dense.find(modelIdentity(*run)); dense != m_dense.end()) {
                row.perplexity = perplexityOf(dense->second);
                row.accuracy = m_accuracy.of(dense->second);
            }
            m_rows.push_back(std::move(row));
        }
    }

    std::vector<bool> frontOfRows() const {
        std::vector<ParetoPoint> points;
        std::vector<std::size_t> rows;
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            const double perplexity = numberIn(m_rows[i].perplexity);
            if (std::isfinite(perplexity)) {
                points.push_back({groupOf(*m_rows[i].run), m_rows[i].bytes, perplexity});
                rows.push_back(i);
            }
        }
        const std::vector<bool> front = paretoFront(points);
        std::vector<bool> marked(m_rows.size(), false);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            marked[rows[i]] = front[i];
        }
        return marked;
    }

    // Nothing is set bold: the best perplexity of all sizes is that of the largest.
    std::vector<ReportColumn> columns(bool severalGroups) const {
        std::vector<ReportColumn> columns;
        if (severalGroups) {
            columns = {{"model"}, {"layers"}};
        }
        columns.insert(columns.end(), {{"method"},
                                       {"setting"},
                                       {"bits a weight", ColumnKind::Number, 2},
                                       {"bytes", ColumnKind::Bytes},
                                       {"share of bf16", ColumnKind::Number, 3},
                                       {"perplexity", ColumnKind::Number, 2},
                                       // no column of text, as these tell rows apart
                                       {"front", ColumnKind::Number, 0}});
        if (!m_accuracy.metrics().empty()) {
            columns.push_back({"accuracy", ColumnKind::Number, 4});
        }
        return columns;
    }

    ReportRow rowOf(const Row& row, bool onFront, bool severalGroups) const {
        ReportRow made;
        if (severalGroups) {
            made.cells = {modelLabel(*row.run), layersLabel(*row.run)};
        }
        made.cells.insert(
            made.cells.end(),
            {row.line, row.setting, bitsAWeight(row.bytes, row.run->denseBytes),
             static_cast<std::int64_t>(row.bytes), shareOfDense(row.bytes, row.run->denseBytes),
             row.perplexity, onFront ? ReportCell("yes") : ReportCell()});
        if (!m_accuracy.metrics().empty()) {
            made.cells.push_back(row.accuracy);
        }
        made.group = groupOf(*row.run);
        made.baseline = row.isSource;
        made.block = made.group + " " + row.line;
        return made;
    }

    std::vector<std::string> notes() const {
        std::vector<std::string> notes = {
            "perplexity: " + inEnglish(m_measure.label),
            "front: no other row of the same model and layers has fewer bytes at no higher "
            "perplexity, or a lower perplexity at no more bytes"};
        if (const auto metrics = m_accuracy.metrics(); !metrics.empty()) {
            notes.push_back(fmt::format("accuracy: mean of {}", fmt::join(metrics, ", ")));
        }
        if (m_unmeasured > 0) {
            notes.push_back(
                fmt::format("{} runs without this perplexity are left out: cospadi evaluate RUN",
                            m_unmeasured));
        }
        for (const Row& row : m_rows) {
            if (row.isSource && !std::isfinite(numberIn(row.perplexity))) {
                notes.push_back(
                    fmt::format("{}: no dense run has this perplexity; to place the source form, "
                                "run cospadi evaluate MODEL or loosen the filters",
                                modelLabel(*row.run)));
            }
        }
        notes.insert(notes.end(), m_placeNotes.begin(), m_placeNotes.end());
        std::vector<const RunRow*> shown;
        for (const Row& row : m_rows) {
            shown.push_back(row.run);
        }
        if (const std::vector<std::string> imported = importedNotes(shown); !imported.empty()) {
            notes.push_back(imported.front());
            notes.push_back(
                "imported rows have no perplexity: lm-eval's is per word and cannot be compared "
                "with those per token; rows without one are never on the front");
        }
        for (const Row& row : m_rows) {
            const double bits = bitsAWeight(row.bytes, row.run->denseBytes);
            if (row.isSource && bits < kMostBitsOfFour) {
                notes.push_back(fmt::format(
                    "{}, layers {}: the model itself has 4 bits ({}, {:.2f} bits per weight), so "
                    "that rows of 4 bits are nearly lossless here; this says nothing about a model "
                    "in bf16",
                    modelLabel(*row.run), layersLabel(*row.run), row.run->sourceType, bits));
            }
        }
        return notes;
    }

    Measure m_measure;
    MeanAccuracy m_accuracy;
    std::vector<RunRow> m_runs;             // compressed, newest first: measured, or as stated
    std::map<std::string, RunRow> m_dense;  // by model: the newest measured
    std::set<std::string> m_tellRho;        // groups with several ρ
    std::int64_t m_unmeasured = 0;
    std::vector<Row> m_rows;
    std::vector<std::string> m_placeNotes;
};

}  // namespace

ReportTable paretoTable(const std::vector<RunRow>& runs) {
    ParetoTable table(runs);
    if (table.empty()) {
        throw Error("no matching compressed run has a perplexity", "pareto-bytes",
                    "make some with cospadi sweep resources/sweeps/pareto-bytes.yaml");
    }
    return table.build();
}

}  // namespace cospadi
