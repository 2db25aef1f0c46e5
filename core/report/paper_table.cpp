#include "core/report/paper_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "core/base/error.h"
#include "core/report/average_accuracy.h"
#include "core/report/global_ratio.h"
#include "core/report/paper_results.h"
#include "core/report/run_labels.h"
#include "core/report/run_metrics.h"
#include "core/report/run_places.h"
#include "core/report/up_gate.h"
#include "core/store/method_label.h"
#include "core/store/stated_compression.h"

namespace cospadi {

namespace {

constexpr const char* kAverage = "average";
constexpr const char* kAccuracy = "accuracy, %";  // over them, where there are two lines
constexpr const char* kPerplexity = "perplexity";

// A line of the table before it is cells.
struct Line {
    std::string model, method, group;
    double cr = 0;
    bool baseline = false;
    bool published = false;
    bool upGate = false;  // cr is that of up and gate alone, unknown where it is not printed
    double global = 0;    // of all linear layers; as measured of an own run
    std::map<std::string, ReportCell> values;  // accuracies in per cent
};

std::string modelName(const RunRow& run) {
    const std::filesystem::path path(run.model);
    const std::string extension = path.extension().string();
    return (extension == ".gguf" ? path.stem() : path.filename()).string();
}

class PaperTable {
  public:
    explicit PaperTable(PaperLayout layout) : m_layout(layout) {}

    void addRuns(const std::vector<RunRow>& runs) {
        std::vector<std::string> models;  // newest first
        std::map<std::string, std::vector<RunRow>> byModel;
        for (const RunRow& run : runs) {
            if (run.status != "finished" || !hasPaperResults(run)) {
                continue;
            }
            const bool upGate = m_layout == PaperLayout::UpGate && isUpGate(run.layers);
            if (layersLabel(run) != "all" && run.method != "dense" && !upGate) {
                ++m_partial;
                continue;
            }
            auto& here = byModel[modelName(run)];
            if (here.empty()) {
                models.push_back(modelName(run));
            }
            here.push_back(run);
        }
        for (const std::string& model : models) {
            addModel(model, byModel[model]);
            if (models.size() > 1) {
                for (auto note = m_notes.begin() + m_ownNotes; note != m_notes.end(); ++note) {
                    *note = model + ": " + *note;
                }
            }
            m_ownNotes = static_cast<std::ptrdiff_t>(m_notes.size());
        }
    }

    // The rows of the paper's table of UG quality, of whatever model: there is one.
    void addPublishedUpGate(const std::vector<PublishedTable>& tables) {
        for (const PublishedTable& table : tables) {
            const bool shown =
                std::any_of(table.rows.begin(), table.rows.end(), [](const PublishedRow& row) {
                    return isUpGate(row) && row.values.contains("piqa");
                });
            for (const PublishedRow& row : table.rows) {
                if (!shown) {
                    break;
                }
                Line line{row.model,
                          fmt::format("{} (paper, table {})", row.methodText, table.number),
                          "",
                          row.cr.value_or(0),
                          row.method == "dense",
                          true,
                          isUpGate(row),
                          row.cr.value_or(0),
                          {row.values.begin(), row.values.end()}};
                if (line.upGate) {
                    line.cr = publishedUpGateRatio(row, tables).value_or(unknownNumber);
                }
                m_lines.push_back(std::move(line));
            }
        }
        m_notes.emplace_back(
            "paper: global cr as printed; the UG cr of table 14's rows is what table 6 prints of "
            "the same rows, which has a global CR of 0.27 where table 14 has 0.28");
    }

    void addPublished(const std::vector<PublishedTable>& tables) {
        if (m_layout == PaperLayout::UpGate) {
            addPublishedUpGate(tables);
            return;
        }
        std::set<std::string> models;
        for (const Line& line : m_lines) {
            models.insert(line.model);
        }
        for (const std::string& model : models) {
            std::set<std::tuple<double, std::string>> seen;
            for (const PublishedTable& table : tables) {
                for (const PublishedRow& row : table.rows) {
                    const bool some = std::any_of(
                        row.settings.begin(), row.settings.end(), [](const auto& setting) {
                            return setting.first == "layers" || setting.first == "grouping";
                        });
                    if (some || !sameModel(row.model, model) || !row.values.contains("piqa") ||
                        !seen.emplace(row.cr.value_or(0), row.methodText).second) {
                        continue;
                    }
                    Line line{model,
                              fmt::format("{} (paper, table {})", row.methodText, table.number),
                              "",
                              row.cr.value_or(0),
                              row.method == "dense",
                              true,
                              false,
                              row.cr.value_or(0),
                              {row.values.begin(), row.values.end()}};
                    m_lines.push_back(std::move(line));
                }
            }
        }
    }

    ReportTable build() {
        std::stable_sort(m_lines.begin(), m_lines.end(), [](const Line& a, const Line& b) {
            const auto key = [](const Line& line) {
                const double global = std::isfinite(line.global) ? line.global : 1;  // unknown last
                return std::tuple(line.model, global, line.published, line.upGate,
                                  methodRank(line.method));
            };
            return key(a) < key(b);
        });
        ReportTable table;
        table.markSecond = true;
        const ReportColumn ratio{"cr", ColumnKind::Number, 2, BestValue::None, false, true};
        table.columns = {{"model"}, ratio, {"method"}};
        if (m_layout == PaperLayout::UpGate) {
            ReportColumn global = ratio;
            global.name = "global cr";
            table.columns[1].name = "UG cr";
            table.columns.insert(table.columns.begin() + 2, global);
        }
        for (const PaperTask& column : kPaperTasks) {
            table.columns.push_back({column.title, ColumnKind::Number, 1, BestValue::Highest, false,
                                     false, kAccuracy, column.title});
        }
        table.columns.push_back({"average", ColumnKind::Number, 1, BestValue::Highest, false, false,
                                 kAccuracy, "average"});
        for (const PaperColumn& column : kPaperPerplexities) {
            const std::string title = column.title;
            table.columns.push_back({title, ColumnKind::Number, 2, BestValue::Lowest, false, false,
                                     kPerplexity, title.substr(0, title.find(" ppl"))});
        }
        for (const Line& line : m_lines) {
            table.rows.push_back(rowOf(line));
        }
        table.notes = m_notes;
        if (m_partial > 0) {
            table.notes.push_back(fmt::format(
                "{} runs with results are left out: they compress {}", m_partial,
                m_layout == PaperLayout::UpGate ? "some layers, but not just up and gate"
                                                : "some layers only"));
        }
        if (m_layout == PaperLayout::UpGate) {
            table.notes.emplace_back(
                "global cr: of all linear layers, untouched ones as bf16, as measured; UG cr: of "
                "up and gate alone, as requested; rows with all linear layers have no UG cr");
        }
        return table;
    }

    bool empty() const { return m_lines.empty(); }
    bool hasUpGate() const {
        return std::any_of(m_lines.begin(), m_lines.end(),
                           [](const Line& line) { return line.upGate; });
    }

  private:
    void addModel(const std::string& model, std::vector<RunRow>& runs) {
        const std::size_t leftOut = keepUsualMeasures(runs);
        std::erase_if(runs, [](const RunRow& run) { return !hasPaperResults(run); });
        const auto ratioOf = [](const RunRow& run) {
            return run.method == "dense" || !std::isfinite(run.cr) ? 0.0 : run.cr;
        };
        std::set<std::string> told = labelledSettings();
        told.insert("cr");
        if (m_layout == PaperLayout::UpGate) {
            told.insert("layers");  // all, or these two
        }
        told.insert(statedFields().begin(), statedFields().end());
        RunPlaces places(
            runs,
            [&](const RunRow& run) {
                return fmt::format("{} {} {} {}", isUpGate(run.layers), ratioOf(run),
                                   methodLabel(run), statedWords(run));
            },
            std::move(told));
        const Measure average = commonMeasure(runs, kAverageAccuracy);
        std::vector<const RunRow*> shown;
        for (const RunPlace& place : places.places()) {
            const RunRow& newest = *place.runs.front();
            shown.push_back(&newest);
            Line line{model,
                      methodLabel(newest),
                      "",
                      ratioOf(newest),
                      newest.method == "dense",
                      false,
                      isUpGate(newest.layers),
                      ratioOf(newest),
                      {}};
            if (m_layout == PaperLayout::UpGate && !line.baseline) {
                line.global =
                    newest.method == kExternalMethod ? line.cr : globalRatioOf(newest).ratio;
                line.method += line.upGate ? " UG" : "";
            }
            const auto add = [&](const std::string& key) {
                line.values[key] = places.mean(
                    place, [&](const RunRow& run) { return paperValue(run, key); },
                    [&](const RunRow& run) { return paperStandardError(run, key); });
            };
            for (const PaperTask& column : kPaperTasks) {
                add(column.task);
            }
            for (const PaperColumn& column : kPaperPerplexities) {
                add(column.key);
            }
            line.values[kAverage] = places.mean(
                place, [&](const RunRow& run) { return 100 * averageOf(run, average.tasks); },
                [&](const RunRow& run) { return 100 * averageErrorOf(run, average.tasks); });
            m_lines.push_back(std::move(line));
        }
        const std::vector<std::string> notes = places.notes();
        m_notes.insert(m_notes.end(), notes.begin(), notes.end());
        for (std::string& note : importedNotes(shown)) {
            m_notes.push_back(std::move(note));
        }
        if (leftOut > 0) {
            m_notes.push_back(
                fmt::format("{} results with other samples, shots, data or task versions than "
                            "most runs have are left out",
                            leftOut));
        }
    }

    ReportRow rowOf(const Line& line) const {
        ReportRow row;
        row.group = fmt::format("{} {} {} {}", line.model, line.cr, line.published, line.upGate);
        row.baseline = line.baseline;
        row.block = fmt::format("{} {} {}", line.model, line.cr, line.upGate);
        const ReportCell ratio = line.baseline ? ReportCell() : ReportCell(line.cr);
        row.cells = {line.model, ratio, line.method};
        if (m_layout == PaperLayout::UpGate) {
            row.cells[1] = line.upGate ? ratio : ReportCell();
            row.cells.insert(row.cells.begin() + 2,
                             line.baseline ? ReportCell() : ReportCell(line.global));
        }
        const auto cell = [&](const char* key) {
            const auto found = line.values.find(key);
            return found == line.values.end() ? ReportCell() : found->second;
        };
        for (const PaperTask& column : kPaperTasks) {
            row.cells.push_back(cell(column.task));
        }
        row.cells.push_back(line.published ? publishedAverage(line) : cell(kAverage));
        for (const PaperColumn& column : kPaperPerplexities) {
            row.cells.push_back(cell(column.key));
        }
        return row;
    }

    static ReportCell publishedAverage(const Line& line) {
        double sum = 0;
        for (const PaperTask& column : kPaperTasks) {
            const auto found = line.values.find(column.task);
            sum += found == line.values.end() ? unknownNumber : numberIn(found->second);
        }
        return std::isfinite(sum) ? ReportCell(sum / static_cast<double>(kPaperTasks.size()))
                                  : ReportCell();
    }

    PaperLayout m_layout;
    std::vector<Line> m_lines;
    std::vector<std::string> m_notes;
    std::ptrdiff_t m_ownNotes = 0;  // those of the models before
    std::int64_t m_partial = 0;
};

}  // namespace

ReportTable paperTable(const std::vector<RunRow>& runs,
                       const std::vector<PublishedTable>& published, PaperLayout layout) {
    PaperTable table(layout);
    table.addRuns(runs);
    const bool upGate = layout == PaperLayout::UpGate;
    if (table.empty()) {
        throw Error("no finished run has results of lm-eval's tasks",
                    upGate ? "paper-ug" : "paper-main",
                    "measure one first: cospadi lm-eval RUN --tasks piqa,arc_easy");
    }
    if (upGate && !table.hasUpGate()) {
        throw Error(
            "no finished run of up and gate alone has results of lm-eval's tasks", "paper-ug",
            "make one from a run of all layers with cospadi runs slice RUN --layers "
            "'ffn_(up|gate)', then measure it with cospadi lm-eval RUN --tasks piqa,arc_easy");
    }
    table.addPublished(published);
    return table.build();
}

}  // namespace cospadi
