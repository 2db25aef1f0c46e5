// The left side of the Tables page: which results stand in the table, and in what shape.
#pragma once

#include <QScrollArea>
#include <vector>

#include "core/report/published.h"
#include "core/report/table_design.h"
#include "ui/sources/table_source.h"

class QLabel;

namespace cospadi::ui {

class OrderedList;
class PublishedBeside;
class RunFilterCard;
class ValueBox;

class TableContentForm : public QScrollArea {
    Q_OBJECT

  public:
    explicit TableContentForm(QWidget* parent = nullptr);

    // Neither is announced by changed().
    void setDesign(const TableDesign& design);
    void setChoices(const TableChoices& choices);
    // Writes what the fields say; name and layout stay.
    void apply(TableDesign& design) const;
    QString problem() const;  // a field that cannot be read; empty: none

  signals:
    void changed();

  private:
    void fillSources();
    QWidget* makeShape();
    void showWhatApplies();
    void announce();

    std::vector<PublishedTable> m_published;
    ValueBox* m_source;
    QLabel* m_sourceHelp;
    QWidget* m_pivot;
    OrderedList* m_rows;
    OrderedList* m_columns;
    ValueBox* m_metric;
    PublishedBeside* m_beside;
    RunFilterCard* m_runs;
    bool m_quiet = false;
};

}  // namespace cospadi::ui
