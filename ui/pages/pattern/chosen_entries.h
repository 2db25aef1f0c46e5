// What belongs to an atom or a column of the pattern: the columns that use the atom, or the atoms
// that the column uses, with the value of each entry, the largest first. A row that is activated
// goes on to what stands in it: from an atom to one of its columns and back.
#pragma once

#include <QWidget>
#include <cstdint>
#include <memory>

#include "ui/sources/pattern_source.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QStandardItemModel;
class QTableView;

namespace cospadi::ui {

struct PatternChoice {
    enum class Kind { None, Atom, Column };
    Kind kind = Kind::None;
    std::int64_t place = 0;
    bool operator==(const PatternChoice&) const = default;
};

class ChosenEntries : public QWidget {
    Q_OBJECT

  public:
    explicit ChosenEntries(QWidget* parent = nullptr);

    void setPattern(std::shared_ptr<const PatternData> pattern);  // nothing is chosen then
    void choose(const PatternChoice& choice);                     // what is not there: nothing
    const PatternChoice& choice() const { return m_choice; }

  signals:
    void chosen();  // choice() is another one

  private:
    void takeFields();
    void fillFields();
    void list();

    std::shared_ptr<const PatternData> m_pattern;
    PatternChoice m_choice;
    QComboBox* m_kind;
    QSpinBox* m_place;
    QPushButton* m_none;
    QLabel* m_facts;
    QStandardItemModel* m_entries;
    QTableView* m_table;
};

}  // namespace cospadi::ui
