#include "core/report/paper_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "core/base/error.h"
#include "core/report/report.h"

namespace cospadi {

namespace {

struct Column {
    const char* key;    // of the published tables
    const char* title;  // as the paper heads it
};

constexpr std::array<Column, 8> kAccuracies = {{{"piqa", "PIQA"},
                                                {"hellaswag", "HellaSwag"},
                                                {"lambada_openai", "LAMBADA"},
                                                {"arc_easy", "ARC-e"},
                                                {"arc_challenge", "ARC-c"},
                                                {"sciq", "SciQ"},
                                                {"race", "RACE"},
                                                {"mmlu", "MMLU"}}};
constexpr std::array<Column, 2> kPerplexities = {
    {{"wikitext", "WikiText"}, {"lambada_openai:perplexity", "LAMBADA ppl"}}};

constexpr const char* kAccuracy = "accuracy, %";  // over them, where there are two lines
constexpr const char* kPerplexity = "perplexity";

// Which metric of a task stands in a column, the first that there is.
std::vector<std::string> metricsOf(const std::string& key) {
    if (key == "wikitext") {
        return {"word_perplexity"};
    }
    return key.ends_with(":perplexity") ? std::vector<std::string>{"perplexity"}
                                        : std::vector<std::string>{"acc_norm", "acc"};
}

const TaskResultRow* resultOf(const RunRow& run, const std::string& key) {
    const std::string task = key.substr(0, key.find(':'));
    for (const std::string& metric : metricsOf(key)) {
        for (const TaskResultRow& row : run.taskResults) {
            if (row.task == task && row.metric == metric) {
                return &row;
            }
        }
    }
    return nullptr;
}

// A line of the table before it is cells.
struct Line {
    std::string model, method, group;
    double cr = 0;
    bool baseline = false;
    bool published = false;
    std::map<std::string, double> values;  // accuracies in per cent
};

std::string modelName(const RunRow& run) {
    const std::filesystem::path path(run.model);
    const std::string extension = path.extension().string();
    return (extension == ".gguf" ? path.stem() : path.filename()).string();
}

class PaperTable {
  public:
    void addRuns(const std::vector<RunRow>& runs) {
        std::set<std::tuple<std::string, double, std::string>> seen;
        std::vector<RunRow> whole;
        std::copy_if(runs.begin(), runs.end(), std::back_inserter(whole), [](const RunRow& run) {
            const bool all = run.layers.empty() || run.layers == ".*" || run.method == "dense";
            return run.status == "finished" && all;
        });
        chooseMeasures(whole);
        for (RunRow& run : whole) {
            m_leftOut += std::erase_if(run.taskResults, [&](const TaskResultRow& row) {
                return !m_measures.at(row.task + "/" + row.metric).measuresSameAs(row);
            });
            Line line{modelName(run),
                      methodLabel(run),
                      "",
                      run.method == "dense" ? 0.0 : run.cr,
                      run.method == "dense",
                      false,
                      {}};
            for (const Column& column : kAccuracies) {
                if (const TaskResultRow* found = resultOf(run, column.key)) {
                    line.values[column.key] = 100 * found->value;
                }
            }
            for (const Column& column : kPerplexities) {
                if (const TaskResultRow* found = resultOf(run, column.key)) {
                    line.values[column.key] = found->value;
                }
            }
            if (!line.values.empty() && seen.emplace(line.model, line.cr, line.method).second) {
                m_lines.push_back(std::move(line));
            }
        }
    }

    void addPublished(const std::vector<PublishedTable>& tables) {
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
                              row.values};
                    m_lines.push_back(std::move(line));
                }
            }
        }
    }

    ReportTable build() {
        std::stable_sort(m_lines.begin(), m_lines.end(), [](const Line& a, const Line& b) {
            const auto key = [](const Line& line) {
                return std::tuple(line.model, line.cr, line.published, methodRank(line.method));
            };
            return key(a) < key(b);
        });
        ReportTable table;
        table.markSecond = true;
        table.columns = {
            {"model"}, {"cr", ColumnKind::Number, 2, BestValue::None, false, true}, {"method"}};
        for (const Column& column : kAccuracies) {
            table.columns.push_back({column.title, ColumnKind::Number, 1, BestValue::Highest, false,
                                     false, kAccuracy, column.title});
        }
        table.columns.push_back({"average", ColumnKind::Number, 1, BestValue::Highest, false, false,
                                 kAccuracy, "average"});
        for (const Column& column : kPerplexities) {
            const std::string title = column.title;
            table.columns.push_back({title, ColumnKind::Number, 2, BestValue::Lowest, false, false,
                                     kPerplexity, title.substr(0, title.find(" ppl"))});
        }
        for (const Line& line : m_lines) {
            table.rows.push_back(rowOf(line));
        }
        if (m_leftOut > 0) {
            table.notes.push_back(
                fmt::format("{} results with other samples, shots, data or task versions than "
                            "most runs have are left out",
                            m_leftOut));
        }
        return table;
    }

    bool empty() const { return m_lines.empty(); }

  private:
    // Of each task and metric the measure (version, shots, samples, data) that most runs have; of
    // equals the one with more samples.
    void chooseMeasures(const std::vector<RunRow>& runs) {
        std::map<std::string, std::vector<std::pair<TaskResultRow, int>>> counts;
        for (const RunRow& run : runs) {
            for (const TaskResultRow& row : run.taskResults) {
                auto& measures = counts[row.task + "/" + row.metric];
                const auto known = std::find_if(
                    measures.begin(), measures.end(),
                    [&](const auto& measure) { return measure.first.measuresSameAs(row); });
                if (known == measures.end()) {
                    measures.emplace_back(row, 1);
                } else {
                    ++known->second;
                }
            }
        }
        for (const auto& [key, measures] : counts) {
            const auto most = std::max_element(measures.begin(), measures.end(),
                                               [](const auto& x, const auto& y) {
                                                   return std::pair(x.second, x.first.samples) <
                                                          std::pair(y.second, y.first.samples);
                                               });
            m_measures.emplace(key, most->first);
        }
    }

    static ReportRow rowOf(const Line& line) {
        ReportRow row;
        row.group = fmt::format("{} {} {}", line.model, line.cr, line.published);
        row.baseline = line.baseline;
        row.block = fmt::format("{} {}", line.model, line.cr);
        row.cells = {line.model, line.baseline ? ReportCell() : ReportCell(line.cr), line.method};
        const auto cell = [&](const char* key) {
            const auto found = line.values.find(key);
            return found == line.values.end() ? ReportCell() : ReportCell(found->second);
        };
        double sum = 0;
        std::size_t count = 0;
        for (const Column& column : kAccuracies) {
            row.cells.push_back(cell(column.key));
            const double value = numberIn(row.cells.back());
            count += std::isnan(value) ? 0 : 1;
            sum += std::isnan(value) ? 0 : value;
        }
        row.cells.push_back(count == kAccuracies.size()
                                ? ReportCell(sum / static_cast<double>(count))
                                : ReportCell());
        for (const Column& column : kPerplexities) {
            row.cells.push_back(cell(column.key));
        }
        return row;
    }

    std::vector<Line> m_lines;
    std::map<std::string, TaskResultRow> m_measures;
    std::size_t m_leftOut = 0;
};

}  // namespace

ReportTable paperTable(const std::vector<RunRow>& runs,
                       const std::vector<PublishedTable>& published) {
    PaperTable table;
    table.addRuns(runs);
    if (table.empty()) {
        throw Error("no finished run has results of lm-eval's tasks", "paper-main",
                    "measure one first: cospadi lm-eval RUN --tasks piqa,arc_easy");
    }
    table.addPublished(published);
    return table.build();
}

}  // namespace cospadi
