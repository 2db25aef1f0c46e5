// Which runs stand in a table: the fields of a RunSelection, as far as it has fields here.
#pragma once

#include "core/report/run_selection.h"
#include "ui/sources/table_source.h"
#include "ui/widgets/card.h"

class QCheckBox;
class QFormLayout;
class QLineEdit;

namespace cospadi::ui {

class ValueBox;

class RunFilterCard : public Card {
    Q_OBJECT

  public:
    explicit RunFilterCard(QWidget* parent = nullptr);

    void setSelection(const RunSelection& runs);
    void setChoices(const TableChoices& choices);
    RunSelection selection() const;
    QString problem() const;  // a field that cannot be read; empty: none

  signals:
    void changed();  // also by setSelection() and setChoices()

  private:
    ValueBox* addBox(QFormLayout* form, const char* name, const QString& label, const QString& tip);
    QLineEdit* addField(QFormLayout* form, const char* name, const QString& label,
                        const QString& placeholder);

    ValueBox* m_method;
    ValueBox* m_model;
    ValueBox* m_layers;
    ValueBox* m_tag;
    QLineEdit* m_cr;
    QLineEdit* m_rho;
    QLineEdit* m_search;
    QCheckBox* m_starred;
    QCheckBox* m_archived;
    RunSelection m_others;  // without a field here: kept as they are
};

}  // namespace cospadi::ui
