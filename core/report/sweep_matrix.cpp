#include "core/report/sweep_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/report/measured_value.h"
#include "core/report/name_list.h"
#include "core/report/run_dimensions.h"
#include "core/report/run_kinds.h"
#include "core/report/run_names.h"
#include "core/store/run_condition.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

// Hashes in a run, still words or paths in what waits.
const char* const kResolved[] = {"model", "calibration.text"};

const std::vector<std::string> kUsuallySwept = {"cr", "rho", "method", "solver", "iterations"};

struct SweepEntry {
    const RunRow* run;
    RunSettings settings;
};

using SettingValue = std::optional<std::string>;

std::set<std::string> variedAmong(const std::vector<SweepEntry>& entries) {
    std::vector<const RunSettings*> settings;
    for (const SweepEntry& entry : entries) {
        settings.push_back(&entry.settings);
    }
    return unequalSettings(settings);
}

// By what is swept most often, then by the alphabet.
void putUsualFirst(std::vector<std::string>& settings) {
    const auto place = [](const std::string& name) {
        return std::find(kUsuallySwept.begin(), kUsuallySwept.end(), name) - kUsuallySwept.begin();
    };
    std::stable_sort(
        settings.begin(), settings.end(),
        [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
}

// The larger, the more it tells.
int tellsOf(const std::string& status) {
    return status == "finished"                        ? 3
           : status == "running" || status == "paused" ? 2
           : status == kWaitingStatus                  ? 1
                                                       : 0;
}

class SweepFilling {
  public:
    SweepFilling(const std::vector<RunRow>& runs, const SweepAxes& axes,
                 const SettingWording& wording)
        : m_wording(wording) {
        for (const RunRow& run : runs) {
            m_entries.push_back({&run, settingsOf(run)});
        }
        forgetPathsOfWaiting();
        const std::set<std::string> varied = variedAmong(m_entries);
        m_matrix.settings.assign(varied.begin(), varied.end());
        putUsualFirst(m_matrix.settings);
        m_matrix.columns = chosen(axes.columns, {});
        m_matrix.rows = chosen(axes.rows == m_matrix.columns ? "" : axes.rows, m_matrix.columns);
        findOthers();
    }

    SweepMatrix filled(const MeasuredValue& value) {
        std::map<std::vector<SettingValue>, const SweepEntry*> rows;
        std::map<SettingValue, const SweepEntry*> columns;
        for (const SweepEntry& entry : m_entries) {
            rows.try_emplace(rowOf(entry), &entry);
            columns.try_emplace(settingIn(entry.settings, m_matrix.columns), &entry);
        }
        std::vector<std::vector<SettingValue>> rowKeys;
        for (const auto& [key, entry] : rows) {
            rowKeys.push_back(key);
        }
        std::stable_sort(rowKeys.begin(), rowKeys.end(),
                         [this](const auto& a, const auto& b) { return isRowBefore(a, b); });
        std::vector<SettingValue> columnKeys;
        for (const auto& [key, entry] : columns) {
            columnKeys.push_back(key);
        }
        std::stable_sort(columnKeys.begin(), columnKeys.end(),
                         [this](const SettingValue& a, const SettingValue& b) {
                             return isBefore(m_matrix.columns, settingCell(a), settingCell(b));
                         });
        for (const auto& key : rowKeys) {
            m_matrix.rowNames.push_back(nameOf(key));
        }
        for (const SettingValue& key : columnKeys) {
            m_matrix.columnNames.push_back(
                m_matrix.columns.empty() ? "" : m_wording(m_matrix.columns, key));
        }
        m_matrix.cells.resize(rowKeys.size() * columnKeys.size());
        for (const SweepEntry& entry : m_entries) {
            const auto row = std::find(rowKeys.begin(), rowKeys.end(), rowOf(entry));
            const auto column = std::find(columnKeys.begin(), columnKeys.end(),
                                          settingIn(entry.settings, m_matrix.columns));
            put(m_matrix.cells[static_cast<std::size_t>(row - rowKeys.begin()) * columnKeys.size() +
                               static_cast<std::size_t>(column - columnKeys.begin())],
                *entry.run, value);
        }
        for (const SweepCell& cell : m_matrix.cells) {
            m_matrix.count += cell.run.status.empty() ? 0 : 1;
            m_matrix.finished += cell.run.status == "finished" ? 1 : 0;
        }
        m_matrix.best = value.best();
        m_matrix.notes = value.notes();
        return std::move(m_matrix);
    }

  private:
    // A difference between those that wait and the others by their paths alone is none.
    void forgetPathsOfWaiting() {
        const auto isWaiting = [](const SweepEntry& entry) {
            return entry.run->status == kWaitingStatus || entry.run->id.empty();
        };
        if (std::none_of(m_entries.begin(), m_entries.end(), isWaiting)) {
            return;
        }
        for (const char* name : kResolved) {
            std::set<SettingValue> known;
            for (const SweepEntry& entry : m_entries) {
                if (!isWaiting(entry)) {
                    known.insert(settingIn(entry.settings, name));
                }
            }
            for (SweepEntry& entry : m_entries) {
                if (isWaiting(entry) && known.size() == 1 && *known.begin()) {
                    entry.settings[name] = **known.begin();
                }
            }
        }
    }

    // Where nothing was asked for: what runs of a column differ in, else what is usually swept.
    // What follows from the column, such as the bits of a coefficient from ρ, tells nothing.
    std::string chosen(const std::string& wanted, const std::string& taken) const {
        if (!wanted.empty() && contains(m_matrix.settings, wanted)) {
            return wanted;
        }
        std::map<SettingValue, std::vector<SweepEntry>> columns;
        for (const SweepEntry& entry : m_entries) {
            columns[settingIn(entry.settings, taken)].push_back(entry);
        }
        std::set<std::string> inside;
        for (const auto& [value, entries] : columns) {
            inside.merge(variedAmong(entries));
        }
        for (const std::string& name : m_matrix.settings) {
            if (name != taken && inside.contains(name)) {
                return name;
            }
        }
        for (const std::string& name : m_matrix.settings) {
            if (name != taken && contains(kUsuallySwept, name)) {
                return name;
            }
        }
        return {};
    }

    // What tells runs of one row and column apart.
    void findOthers() {
        std::map<std::pair<SettingValue, SettingValue>, std::vector<SweepEntry>> places;
        for (const SweepEntry& entry : m_entries) {
            places[{settingIn(entry.settings, m_matrix.rows),
                    settingIn(entry.settings, m_matrix.columns)}]
                .push_back(entry);
        }
        std::set<std::string> names;
        for (const auto& [place, entries] : places) {
            names.merge(variedAmong(entries));
        }
        m_others.assign(names.begin(), names.end());
        putUsualFirst(m_others);
    }

    std::vector<SettingValue> rowOf(const SweepEntry& entry) const {
        std::vector<SettingValue> key = {settingIn(entry.settings, m_matrix.rows)};
        for (const std::string& name : m_others) {
            key.push_back(settingIn(entry.settings, name));
        }
        return key;
    }

    const std::string& settingAt(std::size_t place) const {
        return place == 0 ? m_matrix.rows : m_others[place - 1];
    }

    bool isRowBefore(const std::vector<SettingValue>& a, const std::vector<SettingValue>& b) const {
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (a[i] != b[i]) {
                return isBefore(settingAt(i), settingCell(a[i]), settingCell(b[i]));
            }
        }
        return false;
    }

    std::string nameOf(const std::vector<SettingValue>& key) const {
        std::vector<std::string> parts;
        for (std::size_t i = 0; i < key.size(); ++i) {
            if (!settingAt(i).empty()) {
                parts.push_back(m_wording(settingAt(i), key[i]));
            }
        }
        return fmt::format("{}", fmt::join(parts, ", "));
    }

    static void put(SweepCell& cell, const RunRow& run, const MeasuredValue& value) {
        if (cell.run.status.empty() || tellsOf(run.status) > tellsOf(cell.run.status)) {
            cell.run = run;
            cell.value = run.status == "finished" ? value.of(run) : unknownNumber;
        }
    }

    const SettingWording& m_wording;
    std::vector<SweepEntry> m_entries;
    std::vector<std::string> m_others;
    SweepMatrix m_matrix;
};

}  // namespace

bool isOfSweep(const RunRow& run) {
    return std::any_of(run.tags.begin(), run.tags.end(),
                       [](const std::string& tag) { return tag.starts_with(kSweepTag); });
}

std::set<std::string> sweepNames(const std::vector<RunRow>& runs) {
    std::set<std::string> names;
    for (const RunRow& run : runs) {
        for (const std::string& tag : run.tags) {
            if (tag.starts_with(kSweepTag)) {
                names.insert(tag.substr(std::string(kSweepTag).size()));
            }
        }
    }
    return names;
}

std::vector<RunRow> runsOfSweep(const std::vector<RunRow>& runs, const std::string& sweep) {
    std::vector<RunRow> own;
    for (const RunRow& run : runs) {
        if (contains(run.tags, kSweepTag + sweep)) {
            own.push_back(run);
        }
    }
    return own;
}

SweepMatrix sweepMatrix(const std::vector<RunRow>& runs, const SweepAxes& axes,
                        const SettingWording& wording) {
    return SweepFilling(runs, axes, wording).filled(MeasuredValue(runs, axes.metric));
}

}  // namespace cospadi
