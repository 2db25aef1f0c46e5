// The middle of the Tables page: the table as a paper would show it, or its source in one of the
// formats, to copy or to save; below it the notes and the command line that makes the same.
#pragma once

#include <QWidget>

#include "core/report/report_table.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;
class QTabBar;
class QTableView;
class QToolButton;

namespace cospadi::ui {

class Card;
class EmptyState;
class ReportTableModel;
class TwoLineHeader;

class TablePreview : public QWidget {
    Q_OBJECT

  public:
    explicit TablePreview(QWidget* parent = nullptr);

    void setTable(const ReportTable& table, const QString& name);
    // Instead of a table. isFirst: there is no run yet to make one of, and a small one is offered.
    void setProblem(const QString& what, const QString& hint, bool isFirst = false);
    void setCommand(const QString& command);

    ReportTableModel* model() const { return m_model; }
    QString source() const;  // of the tab on show; LaTeX for the picture
    QString command() const;

  signals:
    void renamed(const QString& shown, const QString& wanted);
    void exported(const QString& path);
    void exportFailed(const QString& problem);
    void smallRunWanted();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    QWidget* makeView();
    void applyColours();
    void fitToContents();
    void showTab();
    void save();

    ReportTableModel* m_model;
    QString m_name;
    QTabBar* m_tabs;
    QStackedWidget* m_shown;
    QTableView* m_view;
    TwoLineHeader* m_header;
    QPlainTextEdit* m_source;
    EmptyState* m_message;
    bool m_hasProblem = false;  // it is told instead of a table
    QLabel* m_notes;
    QToolButton* m_copy;
    QPushButton* m_save;
    QLineEdit* m_command;
};

}  // namespace cospadi::ui
