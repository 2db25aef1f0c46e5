// The stored runs as a table: one row a run, newest first, columns as in the paper's tables, then
// one for every further setting that the runs have. SortRole gives numbers for numbers; group, sort
// and filter with GroupedRunsModel and RunsFilterModel. Tags, notes and stars can be edited: the
// model announces what is wanted, whoever hears of it writes it down and calls setMarks().
#pragma once

#include <QAbstractTableModel>
#include <QColor>
#include <QHash>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/report/run_metrics.h"
#include "core/store/run_condition.h"
#include "core/store/run_row.h"
#include "ui/models/run_columns.h"
#include "ui/models/run_texts.h"
#include "ui/sources/run_catalog.h"

namespace cospadi::ui {

class RunsTableModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        NameColumn,
        StatusColumn,
        MethodColumn,
        LayersColumn,
        CrColumn,
        RhoColumn,
        BytesColumn,
        SourceColumn,
        RatioColumn,
        ErrorColumn,
        PerplexityColumn,
        SecondsColumn,
        DateColumn,
        StarColumn,
        TagsColumn,
        NoteColumn,
        ModelColumn,
        ColumnCount  // settings follow
    };
    enum Role { SortRole = Qt::UserRole, IdRole };

    explicit RunsTableModel(QObject* parent = nullptr);

    void setRuns(std::vector<RunRow> runs, RunSettings settings = {});
    // texts: a run's each.
    void setRuns(std::vector<RunRow> runs, RunSettings settings, std::vector<RunTexts> texts);
    const std::vector<RunRow>& runs() const { return m_runs; }
    const RunRow& run(int row) const { return m_runs[static_cast<std::size_t>(row)]; }
    // Stars, archive marks, tags and note of this run stand there from now on.
    void setMarks(const RunRow& marked);

    // Of the runs that are drawn below, by their ids: stand before their names.
    void setColours(const QHash<QString, QColor>& colours);

    // Bytes, error, perplexity and time tell what they are more or less than this run's; empty, or
    // a run that is not here: than nobody's.
    void setBaseline(const QString& run);

    // A name that outlives the order of the columns: "cr", "calibration.sequences".
    QString columnKey(int column) const;
    bool isNumber(int column) const;
    // By the measure that most runs of the table have; NaN where a run has none by it.
    double perplexity(int row) const { return metricOf(run(row), "perplexity", m_measure); }
    const RunTexts& texts(int row) const { return m_texts[static_cast<std::size_t>(row)]; }

    // What a typed filter asks for: read once, when it first does.
    const RunFields& fields(int row) const;
    std::set<std::string> fieldNames() const;  // of all runs

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    static Qt::ItemFlags flagsIn(int column);  // the same for every run

  signals:
    void starWanted(const QString& run, bool starred);
    void tagsWanted(const QString& run, const QStringList& tags);
    void noteWanted(const QString& run, const QString& text);

  private:
    const RunColumn& columnOf(int column) const {
        return m_columns[static_cast<std::size_t>(column)];
    }
    QVariant sortValue(int row, int column) const;
    QString displayText(int row, int column) const;
    QString toolTip(int row, int column) const;
    QVariant colourOfText(int row, int column) const;
    QString besideBaseline(int row, int column) const;
    int rowOf(const QString& id) const;  // −1: it is not here
    QString setting(int row, int column) const;
    bool looksNumeric(int column) const;

    std::vector<RunRow> m_runs;
    Measure m_measure;  // of perplexities
    std::vector<RunColumn> m_columns = runColumns();
    RunSettings m_settings;
    QHash<QString, QColor> m_colours;
    QString m_baselineId;
    int m_baseline = -1;            // its row
    std::vector<RunTexts> m_texts;  // of m_runs
    mutable std::vector<std::optional<RunFields>> m_fields;
    std::vector<bool> m_numbers;  // which settings are
};

}  // namespace cospadi::ui
