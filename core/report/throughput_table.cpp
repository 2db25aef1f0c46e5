#include "core/report/throughput_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "core/base/error.h"
#include "core/report/published_values.h"
#include "core/report/report.h"
#include "core/report/run_dimensions.h"
#include "core/report/throughput_rates.h"

namespace cospadi {

namespace {

constexpr std::int64_t kMeanOfPrompts = 0;  // in the place of a prompt length
constexpr double kMilliseconds = 1000;

// A column a value; rows are told apart by what stands before.
class RateTable {
  public:
    explicit RateTable(std::vector<ReportColumn> naming) { m_table.columns = std::move(naming); }

    // Columns stand in the order in which they are first asked for.
    void put(const std::vector<ReportCell>& naming, const std::string& group,
             const std::string& column, double value) {
        const auto [at, isNew] = m_columns.try_emplace(column, m_columns.size());
        if (isNew) {
            m_table.columns.push_back({column, ColumnKind::Number, 1, BestValue::Highest});
        }
        std::string key = group;
        for (const ReportCell& cell : naming) {
            key += " | " + settingText(cell);
        }
        const auto [row, begins] = m_rows.try_emplace(key, m_table.rows.size());
        if (begins) {
            m_table.rows.push_back({naming, group, false, group});
        }
        std::vector<ReportCell>& cells = m_table.rows[row->second].cells;
        cells.resize(std::max(cells.size(), naming.size() + at->second + 1));
        cells[naming.size() + at->second] = value;
    }

    ReportTable take() {
        for (ReportRow& row : m_table.rows) {
            row.cells.resize(m_table.columns.size());
        }
        return std::move(m_table);
    }

  private:
    ReportTable m_table;
    std::map<std::string, std::size_t> m_columns;
    std::map<std::string, std::size_t> m_rows;
};

ReportCell ratioCell(const RateCell& cell) {
    return cell.isDense() ? ReportCell() : ReportCell(cell.cr);
}

const ReportColumn kRatioColumn{"cr", ColumnKind::Number, 2, BestValue::None, false, true};

ReportColumn countColumn(const char* name) {
    return {name, ColumnKind::Number, 0, BestValue::None, false, true};
}

// Dense first, then by ratio; one's own before the paper's.
void sortRates(std::vector<RateCell>& cells) {
    std::stable_sort(cells.begin(), cells.end(), [](const RateCell& a, const RateCell& b) {
        const auto key = [](const RateCell& cell) {
            return std::tuple(cell.published, cell.model, cell.isDense() ? 0 : cell.cr, cell.layers,
                              methodRank(cell.method), cell.method, cell.users, cell.prompt);
        };
        return key(a) < key(b);
    });
}

// The mean over the prompts of each method at each ratio, where it has all that are in the block.
std::vector<RateCell> meansOverPrompts(const std::vector<RateCell>& cells) {
    std::map<std::string, std::pair<RateCell, std::vector<double>>> sums;
    std::map<std::string, std::set<std::int64_t>> prompts;
    const auto blockOf = [](const RateCell& cell) {
        return fmt::format("{} {} {}", cell.model, cell.layers, cell.cr);
    };
    for (const RateCell& cell : cells) {
        auto& [mean, rates] = sums[blockOf(cell) + cell.method];
        mean = cell;
        rates.push_back(cell.rate);
        prompts[blockOf(cell)].insert(cell.prompt);
    }
    std::vector<RateCell> means;
    for (auto& [key, sum] : sums) {
        auto& [mean, rates] = sum;
        if (rates.size() == prompts[blockOf(mean)].size()) {
            double total = 0;
            for (const double rate : rates) {
                total += rate;
            }
            mean.rate = total / static_cast<double>(rates.size());
            mean.prompt = kMeanOfPrompts;
            means.push_back(mean);
        }
    }
    return means;
}

// Where own runs of a method have one label, its column is the method's, as the paper's rows have
// it, and a note tells the label.
std::vector<std::string> shortenMethods(std::vector<RateCell>& cells) {
    std::map<std::string, std::set<std::string>> labels;
    const auto nameIn = [](const std::string& label) { return label.substr(0, label.find(' ')); };
    for (const RateCell& cell : cells) {
        if (!cell.published) {
            labels[nameIn(cell.method)].insert(cell.method);
        }
    }
    std::vector<std::string> notes;
    for (const auto& [name, all] : labels) {
        if (all.size() == 1 && *all.begin() != name) {
            notes.push_back(fmt::format("{} of own rows: {}", name, *all.begin()));
        }
    }
    for (RateCell& cell : cells) {
        const auto known = labels.find(nameIn(cell.method));
        if (known != labels.end() && known->second.size() == 1) {
            cell.method = known->first;
        }
    }
    return notes;
}

ReportTable promptTable(std::vector<RateCell> cells) {
    std::vector<std::string> notes = shortenMethods(cells);
    std::vector<RateCell> means = meansOverPrompts(cells);
    sortRates(means);
    RateTable table({{"model"}, {"layers"}, kRatioColumn, {"prompt"}});
    const auto put = [&](const RateCell& cell, const ReportCell& prompt) {
        table.put({cell.model, cell.layers, ratioCell(cell), prompt},
                  fmt::format("{} {} {}", cell.model, cell.layers, cell.cr), cell.method,
                  cell.rate);
    };
    const auto isOfBlock = [](const RateCell& a, const RateCell& b) {
        return std::tuple(a.model, a.layers, a.isDense() ? 0 : a.cr) ==
               std::tuple(b.model, b.layers, b.isDense() ? 0 : b.cr);
    };
    for (std::size_t i = 0; i < cells.size(); ++i) {
        put(cells[i], std::to_string(cells[i].prompt));
        if (i + 1 == cells.size() || !isOfBlock(cells[i], cells[i + 1])) {
            for (const RateCell& mean : means) {
                if (isOfBlock(mean, cells[i])) {
                    put(mean, "mean");
                }
            }
        }
    }
    ReportTable made = table.take();
    made.bestAlong = BestAlong::Row;
    made.notes = std::move(notes);
    return made;
}

// Rows of a block by prompt, and not method after method.
void sortByPrompt(std::vector<RateCell>& cells) {
    std::stable_sort(cells.begin(), cells.end(), [](const RateCell& a, const RateCell& b) {
        const auto key = [](const RateCell& cell) {
            return std::tuple(cell.published, cell.model, cell.isDense() ? 0 : cell.cr, cell.layers,
                              cell.prompt);
        };
        return key(a) < key(b);
    });
}

ReportTable usersTable(const std::vector<RateCell>& cells) {
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
    for (const RateCell& cell : cells) {
        shortest = cell.published ? shortest : std::min(shortest, cell.prompt);
    }
    RateTable table({{"model"}, {"method"}, {"layers"}, kRatioColumn});
    for (const RateCell& cell : cells) {
        if (cell.prompt == shortest) {
            table.put({cell.model, cell.method, cell.layers, ratioCell(cell)}, cell.model,
                      fmt::format("{} {}", cell.users, cell.users == 1 ? "user" : "users"),
                      cell.rate);
        }
    }
    ReportTable made = table.take();
    made.notes.push_back(fmt::format("prompts of {} token{}", shortest, shortest == 1 ? "" : "s"));
    return made;
}

ReportTable gridTable(const std::vector<RateCell>& cells) {
    RateTable table({{"model"}, {"method"}, {"layers"}, kRatioColumn, countColumn("users")});
    for (const RateCell& cell : cells) {
        table.put({cell.model, cell.method, cell.layers, ratioCell(cell), cell.users},
                  fmt::format("{} {} {} {}", cell.model, cell.method, cell.layers, cell.cr),
                  fmt::format("prompt {}", cell.prompt), cell.rate);
    }
    ReportTable made = table.take();
    for (ReportColumn& column : made.columns) {
        column.best = BestValue::None;  // that more users have more tokens is no finding
    }
    return made;
}

ReportTable latencyTable(const std::vector<RateCell>& cells) {
    ReportTable table;
    table.columns = {{"model"},
                     {"method"},
                     {"layers"},
                     kRatioColumn,
                     {"mode"},
                     countColumn("users"),
                     countColumn("prompt"),
                     {"tokens/s", ColumnKind::Number, 1, BestValue::None}};
    for (const char* what : {"first token", "per token", "request"}) {
        for (const char* share : {"p50", "p90", "p99"}) {
            table.columns.push_back({fmt::format("{} {} (ms)", what, share), ColumnKind::Number, 1,
                                     BestValue::Lowest, false, false, std::string(what) + ", ms",
                                     share});
        }
    }
    for (const RateCell& cell : cells) {
        ReportRow row;
        row.cells = {
            cell.model, cell.method, cell.layers, ratioCell(cell), std::string(name(cell.mode)),
            cell.users, cell.prompt, cell.rate};
        for (const Percentiles& times :
             {cell.point.firstToken, cell.point.perToken, cell.point.request}) {
            for (const double seconds : {times.p50, times.p90, times.p99}) {
                row.cells.emplace_back(kMilliseconds * seconds);
            }
        }
        row.group =
            fmt::format("{} {} {} {}", cell.model, name(cell.mode), cell.users, cell.prompt);
        row.block = fmt::format("{} {}", cell.model, cell.method);
        table.rows.push_back(std::move(row));
    }
    return table;
}

void appendRates(std::vector<RateCell>& to, const std::vector<RateCell>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

ReportTable throughputTable(const std::vector<RunRow>& runs, ThroughputLayout layout) {
    const RunThroughput measured(runs);
    const RunRates alone(measured, ThroughputMode::Synchronous);
    const RunRates served(measured, ThroughputMode::Asynchronous);
    const bool wantsAlone =
        layout == ThroughputLayout::Prompts || layout == ThroughputLayout::Latency;
    const bool wantsServed = layout != ThroughputLayout::Prompts;
    std::vector<RateCell> cells;
    if (wantsAlone) {
        appendRates(cells, alone.cells());
    }
    if (wantsServed) {
        appendRates(cells, served.cells());
    }
    if (cells.empty()) {
        throw Error("no matching finished run has been measured", "throughput",
                    wantsAlone ? "measure one with cospadi bench serving RUN"
                               : "measure one with cospadi bench serving RUN --users 1,4,8,16");
    }
    if (layout == ThroughputLayout::Prompts) {
        appendRates(cells, publishedRates("deployment-sync-throughput"));
    } else if (layout == ThroughputLayout::Users) {
        appendRates(cells, publishedRates("deployment-async-prompt1"));
    } else if (layout == ThroughputLayout::Grid) {
        appendRates(cells, publishedRates("deployment-async-grid"));
    }
    sortRates(cells);
    ReportTable table;
    switch (layout) {
        case ThroughputLayout::Prompts:
            sortByPrompt(cells);
            table = promptTable(std::move(cells));
            break;
        case ThroughputLayout::Users:
            table = usersTable(cells);
            break;
        case ThroughputLayout::Grid:
            table = gridTable(cells);
            break;
        case ThroughputLayout::Latency:
            table = latencyTable(cells);
            break;
    }
    if (wantsAlone) {
        alone.addNotes(table.notes);
    }
    if (wantsServed) {
        served.addNotes(table.notes);
    }
    table.notes.insert(table.notes.end(), measured.notes().begin(), measured.notes().end());
    if (layout == ThroughputLayout::Latency) {
        table.notes.emplace_back(
            "percentiles over requests, by nearest rank; per token: from the first to the last "
            "token of a request");
    } else {
        table.notes.push_back(
            fmt::format("tokens/s: generated tokens per second of wall time, including that of "
                        "prompts; rows of the paper: {}",
                        kPaperSource));
    }
    return table;
}

}  // namespace cospadi
