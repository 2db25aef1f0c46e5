// Columns of a table that fit what they hold: one takes the room that is left, and the numbers (as
// the model aligns their headings) share one width, where there is room for that. Belongs to its
// table.
#pragma once

#include <QObject>

class QTableView;
class QTimer;

namespace cospadi::ui {

class EvenColumns : public QObject {
    Q_OBJECT

  public:
    // The table has its model. stretched: the column that takes the rest; kNoColumn: none does.
    static constexpr int kNoColumn = -1;
    EvenColumns(QTableView& table, int stretched);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fit();

    QTableView& m_table;
    int m_stretched;
    QTimer* m_soon;  // changes that come together fit once
};

}  // namespace cospadi::ui
