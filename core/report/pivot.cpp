#include "core/report/pivot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/report/name_list.h"
#include "core/report/pivot_groups.h"
#include "core/report/pivot_published.h"
#include "core/report/report.h"
#include "core/report/run_dimensions.h"
#include "core/report/run_kinds.h"
#include "core/report/run_metrics.h"
#include "core/report/run_places.h"
#include "core/report/storage_notes.h"
#include "core/store/method_label.h"

namespace cospadi {

namespace {

using Key = PivotKey;
using Settings = RunSettings;

std::string textOf(const Key& key) {
    std::string text;
    for (const auto& cell : key) {
        text += settingText(cell) + ' ';
    }
    return text;
}

bool before(const Key& a, const Key& b, const std::vector<std::string>& dimensions) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] != b[i]) {
            return isBefore(dimensions[i], a[i], b[i]);
        }
    }
    return false;
}

class Pivot {
  public:
    Pivot(const std::vector<RunRow>& runs, const PivotOptions& options)
        : m_options(options), m_metric(metricFromName(options.metric)) {
        for (const auto* axis : {&options.rows, &options.columns}) {
            m_told.insert(axis->begin(), axis->end());
        }
        m_besideLabels = m_told;
        m_besideLabels.merge(variedSeeds(runs));  // of which cells are means
        if (m_told.contains("method")) {
            m_told.merge(labelledSettings());
        }
        m_measure = commonMeasure(runs, options.metric);
        m_measuredOtherwise = measuredOtherwise(runs, options.metric, m_measure);
        m_lacking = lackingNote(runs, m_measure);
        if (m_measure.task) {
            m_metric.best = m_measure.task->higherIsBetter ? BestValue::Highest : BestValue::Lowest;
        }
        for (const RunRow& run : runs) {
            const double value = metricOf(run, m_options.metric, m_measure);
            if (run.status == "finished" && std::isfinite(value)) {
                m_entries.push_back(entryOf(run, value));
            }
        }
        if (m_entries.empty()) {
            throw Error(fmt::format("no finished run has a value of {}", m_options.metric),
                        "--metric", howToMeasure(runs, m_options.metric, m_measure));
        }
        std::vector<std::string> dimensions = options.rows;
        dimensions.insert(dimensions.end(), options.columns.begin(), options.columns.end());
        requireDimensions(runs, dimensions);
        m_usualKind = usual();
    }

    ReportTable table() {
        const std::vector<Key> rows = keysOf(m_options.rows, rowsAreStrict(), &Entry::row);
        const std::vector<Key> columns =
            keysOf(m_options.columns, columnsAreStrict(), &Entry::column);
        ReportTable table;
        for (const std::string& dimension : m_options.rows) {
            table.columns.push_back({dimension});
        }
        for (const Key& key : columns) {
            ReportColumn column{columnName(key), m_metric.kind,
                                m_options.digits.value_or(m_metric.digits), m_metric.best,
                                isBaseline(&Entry::column, key)};
            column.group = groupOfRivals(m_options.columns, key);
            if (key.size() > 1) {
                column.over = placeName(key, 0);
                for (std::size_t i = 1; i < key.size(); ++i) {
                    column.under += (i > 1 ? ", " : "") + placeName(key, i);
                }
            }
            table.columns.push_back(column);
        }
        for (const Key& key : rows) {
            ReportRow row;
            row.baseline = isBaseline(&Entry::row, key);
            row.group = groupOfRivals(m_options.rows, key);
            for (const auto& cell : key) {
                row.cells.push_back(settingText(cell));
            }
            const bool isNamed = std::any_of(key.begin(), key.end(),
                                             [](const auto& cell) { return cell.has_value(); });
            if (hasOnly(&Entry::isDense, &Entry::row, key) && !key.empty() && !isNamed) {
                row.cells.front() = std::string("dense");  // it has none of these settings
            }
            row.block = key.size() > 1 ? settingText(key.front()) : "";
            for (const Key& column : columns) {
                row.cells.push_back(cell(key, column));
            }
            table.rows.push_back(std::move(row));
        }
        if (const std::string reason = whyNotRanked(); !reason.empty()) {
            for (ReportRow& row : table.rows) {
                row.baseline = true;
            }
            m_notRanked = reason;
        }
        addPublishedRows(table, m_options, columns);
        table.markSecond = m_options.markSecond;
        table.bestAlong =
            contains(m_options.columns, "method") ? BestAlong::Row : BestAlong::Column;
        const std::vector<std::string> own = notes();
        table.notes.insert(table.notes.begin(), own.begin(), own.end());
        return table;
    }

  private:
    bool isOfTasks() const { return m_measure.task || !m_measure.tasks.empty(); }

    // What a cell asks of a run, read once.
    struct Entry {
        const RunRow* run;
        Key row, column;
        Settings rest;
        std::string seed;
        double value;
        bool isDense;
        bool lacksRatio;  // where the table has ratios: its bytes are those of none of them
    };

    Entry entryOf(const RunRow& run, double value) const {
        const Settings settings = settingsOf(run);
        return {&run,
                keyOf(run, m_options.rows, settings),
                keyOf(run, m_options.columns, settings),
                restOf(settings, m_told),
                seedOf(settings, m_told),
                value,
                run.method == "dense",
                m_besideLabels.contains("cr") && !settings.contains("cr")};
    }

    Key keyOf(const RunRow& run, const std::vector<std::string>& axis,
              const Settings& settings) const {
        Key key;
        for (const std::string& dimension : axis) {
            key.push_back(dimensionOf(run, dimension, settings, m_besideLabels));
        }
        return key;
    }

    // A run to which a setting does not apply stands in all places of that setting, but only where
    // the other axis tells its method: else it would pass for one that has the setting, and has a
    // place of its own.
    bool columnsAreStrict() const { return contains(m_options.columns, "method"); }
    bool rowsAreStrict() const {
        return contains(m_options.rows, "method") || !contains(m_options.columns, "method");
    }

    std::vector<Key> keysOf(const std::vector<std::string>& axis, bool strict,
                            Key Entry::*keyOfEntry) const {
        std::vector<Key> keys;
        for (const Entry& entry : m_entries) {
            const Key& key = entry.*keyOfEntry;
            const bool whole = strict || std::all_of(key.begin(), key.end(), [](const auto& cell) {
                                   return cell.has_value();
                               });
            if (whole && std::find(keys.begin(), keys.end(), key) == keys.end()) {
                keys.push_back(key);
            }
        }
        if (keys.empty()) {  // nothing but runs to which no setting applies
            keys.push_back(m_entries.front().*keyOfEntry);
        }
        std::stable_sort(keys.begin(), keys.end(),
                         [&](const Key& a, const Key& b) { return before(a, b, axis); });
        return keys;
    }

    static bool stands(const Key& key, bool strict, const Key& place) {
        for (std::size_t i = 0; i < key.size(); ++i) {
            if (key[i] != place[i] && (strict || key[i].has_value())) {
                return false;
            }
        }
        return true;
    }

    ReportCell cell(const Key& row, const Key& column) {
        std::vector<const Entry*> here;  // newest first
        for (const Entry& entry : m_entries) {
            if (stands(entry.row, rowsAreStrict(), row) &&
                stands(entry.column, columnsAreStrict(), column)) {
                here.push_back(&entry);
            }
        }
        if (here.empty()) {
            return {};
        }
        const auto usual = std::find_if(here.begin(), here.end(), [&](const Entry* entry) {
            return agree(entry->rest, m_usualKind);
        });
        const Entry& shown = usual != here.end() ? **usual : *here.front();
        if (!shown.isDense) {
            m_kinds.push_back(shown.rest);
            (isCalibrated(*shown.run) ? m_whitenedErrors : m_plainErrors) = true;
        }
        const bool hasNoRatio =
            !shown.isDense && (hasOnly(&Entry::lacksRatio, &Entry::row, row) ||
                               hasOnly(&Entry::lacksRatio, &Entry::column, column));
        std::vector<SeedValue> values;
        for (const Entry* entry : here) {
            if (entry->rest != shown.rest) {
                collectDifferences(shown.rest, entry->rest, m_mixed);
                ++m_leftOut;
                continue;
            }
            values.push_back({entry->seed, entry->value, entry->run,
                              standardErrorOf(*entry->run, m_options.metric, m_measure)});
            m_onShow.insert(entry->run);
            if (hasNoRatio) {
                m_withoutRatio.insert(entry->run);
            }
        }
        const SeedMean mean = meanOverSeeds(values);
        m_repetitions += mean.repetitions;
        return mean.cell;
    }

    Settings usual() const {
        std::vector<PlacedKind> kinds;
        for (const Entry& entry : m_entries) {
            if (!entry.isDense) {
                kinds.push_back({&entry.rest, textOf(entry.row) + "| " + textOf(entry.column)});
            }
        }
        return usualKind(kinds);
    }

    // What cells differ in without its standing in the table.
    std::set<std::string> differencesBetweenCells() const { return differingSettings(m_kinds); }

    // Empty where the cells can be compared with one another.
    std::string whyNotRanked() const {
        std::set<std::string> decisive;
        for (const std::string& field : differencesBetweenCells()) {
            if (partsRivals(field)) {
                decisive.insert(field);
            }
        }
        if (!decisive.empty()) {
            return fmt::format("the cells differ in {}", fmt::join(decisive, ", "));
        }
        if (m_options.metric == "error" && m_plainErrors && m_whitenedErrors) {
            return "errors of data-free methods are of the plain weight, the others whitened";
        }
        return "";
    }

    std::string columnName(const Key& key) const {
        std::string name;
        for (std::size_t i = 0; i < key.size(); ++i) {
            name += (i > 0 ? ", " : "") + placeName(key, i);
        }
        return name.empty() ? m_options.metric : name;
    }

    // "cr 0.2"; methods and models need no word before them.
    std::string placeName(const Key& key, std::size_t i) const {
        const std::string& dimension = m_options.columns[i];
        return dimension == "method" || dimension == "model"
                   ? settingText(key[i])
                   : fmt::format("{} {}", dimension, key[i] ? settingText(key[i]) : "any");
    }

    bool hasOnly(bool Entry::*quality, Key Entry::*keyOfEntry, const Key& key) const {
        return std::all_of(m_entries.begin(), m_entries.end(), [&](const Entry& entry) {
            return entry.*keyOfEntry != key || entry.*quality;
        });
    }

    bool isBaseline(Key Entry::*keyOfEntry, const Key& key) const {
        return hasOnly(&Entry::isDense, keyOfEntry, key) ||
               hasOnly(&Entry::lacksRatio, keyOfEntry, key);
    }

    std::vector<std::string> notes() const {
        std::vector<std::string> notes;
        notes.push_back(
            m_options.metric == "perplexity"
                ? fmt::format("perplexity: {}", inEnglish(m_measure.label))
            : m_options.metric == "error"
                ? "error: relative, whitened if calibrated, mean over matrices"
            : m_options.metric == kHeldOutError
                ? "held-out-error: relative, whitened by held-out inputs, mean over matrices"
            : m_options.metric == "bytes" ? "bytes: the layers' files, mask included"
            : m_options.metric == kMultiplications
                ? "multiplications: per token, with the compressed layers as stored"
            : m_options.metric == kGlobalRatio
                ? "global-ratio: storage removed of all linear layers, as measured on disk"
            : isOfTasks() ? fmt::format("{}: {}", m_options.metric, inEnglish(m_measure.label))
            : m_options.metric == "ratio" ? "ratio: storage removed, as measured on disk"
                                          : "seconds: of compression");
        if (m_measuredOtherwise > 0) {
            notes.push_back(
                fmt::format("{} runs are left out: they have {} {}, which cannot be compared",
                            m_measuredOtherwise, m_options.metric,
                            isOfTasks() ? "in another version, with other shots, samples or data"
                                        : "of another text, context or number of tokens"));
        }
        if (!m_lacking.empty()) {
            notes.push_back(m_lacking);
        }
        if (m_leftOut > 0) {
            notes.push_back(leftOutNote(m_leftOut, "cell", m_mixed) +
                            "; add that to --rows or --columns, or filter");
        }
        const std::set<std::string> between = differencesBetweenCells();
        if (!between.empty()) {
            notes.push_back(differencesNote("cells", between));
        }
        if (m_repetitions > 0) {
            notes.emplace_back(kRepetitionsNote);
        }
        if (!m_withoutRatio.empty()) {
            notes.push_back(withoutRatioNote({m_withoutRatio.begin(), m_withoutRatio.end()}));
        }
        for (std::string& note : storageNotes({m_onShow.begin(), m_onShow.end()})) {
            notes.push_back(std::move(note));
        }
        if (!m_notRanked.empty()) {
            notes.push_back(fmt::format("nothing is ranked: {}", m_notRanked));
        }
        return notes;
    }

    const PivotOptions& m_options;
    Metric m_metric;
    std::set<std::string> m_besideLabels;  // settings with a place in the table: no label has them
    std::set<std::string> m_told;          // these, and those that a label tells
    std::vector<Entry> m_entries;
    Measure m_measure;
    Settings m_usualKind;
    std::vector<Settings> m_kinds;  // of the cells on show
    bool m_plainErrors = false;     // among them
    bool m_whitenedErrors = false;
    std::string m_notRanked;
    std::set<const RunRow*> m_onShow;
    std::set<const RunRow*> m_withoutRatio;  // of them
    std::set<std::string> m_mixed;
    int m_leftOut = 0;
    std::int64_t m_repetitions = 0;
    std::int64_t m_measuredOtherwise = 0;
    std::string m_lacking;
};

}  // namespace

ReportTable pivot(const std::vector<RunRow>& runs, const PivotOptions& options) {
    return Pivot(runs, options).table();
}

}  // namespace cospadi
