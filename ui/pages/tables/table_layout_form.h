// The right side of the Tables page: digits, what stands out, caption and label in LaTeX, and the
// order of rows and columns by hand. Edits one TableLayout.
#pragma once

#include <QScrollArea>

#include "core/report/table_layout.h"
#include "ui/sources/table_source.h"

class QCheckBox;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace cospadi::ui {

class OrderedList;

class TableLayoutForm : public QScrollArea {
    Q_OBJECT

  public:
    explicit TableLayoutForm(QWidget* parent = nullptr);

    // Neither is announced by changed().
    void setLayoutOf(const TableLayout& layout);
    void setTable(const MadeTable& made);  // the rows and columns there are
    const TableLayout& tableLayout() const { return m_layout; }

    // What a heading or text of the table, as it reads now, shall read. Empty: its own name again.
    void rename(const QString& shown, const QString& wanted);

  signals:
    void changed();

  private:
    void takeOver();
    void fillLists();

    TableLayout m_layout;
    QStringList m_rowLabels;
    QStringList m_columnLabels;
    bool m_marksSecond = false;
    QSpinBox* m_decimals;
    QCheckBox* m_best;
    QCheckBox* m_second;
    QCheckBox* m_deviations;
    QCheckBox* m_directions;
    QLineEdit* m_caption;
    QLineEdit* m_label;
    OrderedList* m_rows;
    OrderedList* m_columns;
    QPushButton* m_reset;
    bool m_quiet = false;
};

}  // namespace cospadi::ui
