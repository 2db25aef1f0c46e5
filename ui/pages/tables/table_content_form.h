// The left side of the Tables page: which results stand in the table, and in what shape.
#pragma once

#include <QScrollArea>
#include <vector>

#include "core/report/published.h"
#include "core/report/table_design.h"
#include "ui/sources/table_source.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QMenu;
class QToolButton;

namespace cospadi::ui {

class OrderedList;

class TableContentForm : public QScrollArea {
    Q_OBJECT

  public:
    explicit TableContentForm(QWidget* parent = nullptr);

    // Neither is announced by changed().
    void setDesign(const TableDesign& design);
    void setChoices(const TableChoices& choices);
    // Writes what the fields say; name and layout stay.
    void apply(TableDesign& design) const;
    QString problem() const { return m_problem; }  // a field that cannot be read; empty: none

  signals:
    void changed();

  private:
    QWidget* makeShape();
    QWidget* makeFilters();
    QComboBox* makeFilter(QFormLayout* form, const char* name, const QString& label,
                          const QString& tip);
    QLineEdit* makeField(QFormLayout* form, const char* name, const QString& label,
                         const QString& placeholder);
    void fillPublished();
    void showWhatApplies();
    void announce();

    std::vector<PublishedTable> m_published;
    QComboBox* m_source;
    QLabel* m_sourceHelp;
    QWidget* m_pivot;
    OrderedList* m_rows;
    OrderedList* m_columns;
    QComboBox* m_metric;
    QToolButton* m_beside;
    QMenu* m_besideMenu;
    QComboBox* m_method;
    QComboBox* m_model;
    QComboBox* m_layers;
    QComboBox* m_tag;
    QLineEdit* m_cr;
    QLineEdit* m_rho;
    QLineEdit* m_search;
    QCheckBox* m_starred;
    QCheckBox* m_archived;
    RunSelection m_others;  // of the design, without a field here: kept as they are
    QStringList m_besideNames;
    QString m_problem;
    bool m_quiet = false;
};

}  // namespace cospadi::ui
