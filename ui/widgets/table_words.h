// What will stand in a table, in its middle for as long as it has no rows. Belongs to its table.
#pragma once

#include <QLabel>

class QTableView;

namespace cospadi::ui {

class TableWords : public QLabel {
    Q_OBJECT

  public:
    // The table has its model.
    TableWords(QTableView& table, const QString& words);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void follow();

    QTableView& m_table;
};

}  // namespace cospadi::ui
