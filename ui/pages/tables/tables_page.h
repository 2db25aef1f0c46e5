// The Tables page: stored results designed into a table for a paper, with a live preview. Left what
// stands in it, right how it is laid out; designs are kept by name, in the file that `cospadi
// report --saved` reads. Tables are made off the GUI thread from the store.
#pragma once

#include <QWidget>

#include "core/base/error.h"
#include "core/report/table_design.h"
#include "ui/base/latest_work.h"
#include "ui/sources/table_source.h"

class QComboBox;
class QLineEdit;
class QPushButton;
class QTimer;

namespace cospadi::ui {

class MessageBar;
class TableContentForm;
class TableLayoutForm;
class TablePreview;

class TablesPage : public QWidget {
    Q_OBJECT

  public:
    // messages: where it tells what happened; not null, outlives it.
    explicit TablesPage(MessageBar* messages, QWidget* parent = nullptr);

    void refresh();  // the store may have changed
    void setDesign(const TableDesign& design);
    const TableDesign& design() const { return m_design; }

    bool isBusy() const;  // the preview does not show the design yet
    TablePreview* preview() const { return m_preview; }

  signals:
    void reproduceWanted();  // a table of the paper from own runs
    void smallRunWanted();   // where there is no run to make a table of
    void made();             // the preview shows the design, or why it cannot

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    QWidget* makeToolbar();
    void takeDesign();
    void make();
    void showMade(const MadeTable& result);
    void fillSaved();
    void openSaved();
    void save();
    void forget();
    void showProblem(const Error& error);

    TableDesign m_design;
    MessageBar* m_messages;
    QComboBox* m_saved;
    QLineEdit* m_name;
    QPushButton* m_save;
    QPushButton* m_forget;
    TableContentForm* m_content;
    TableLayoutForm* m_layout;
    TablePreview* m_preview;
    QTimer* m_soon;  // changes that come together make one table
    LatestWork m_making;
    bool m_untouched = true;  // the user has asked for nothing yet
    bool m_stale = true;      // nothing was made since the page was last out of sight
};

}  // namespace cospadi::ui
