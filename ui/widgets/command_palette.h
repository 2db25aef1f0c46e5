// Ctrl+K: every action of the window and its pages by name. Type a part of it, choose with the
// arrows, Enter.
#pragma once

#include <QDialog>
#include <QList>

class QAction;
class QLineEdit;
class QListWidget;

namespace cospadi::ui {

class CommandPalette : public QDialog {
    Q_OBJECT

  public:
    explicit CommandPalette(QList<QAction*> actions, QWidget* parent = nullptr);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void search(const QString& text);
    void choose();

    QList<QAction*> m_actions;
    // On show; the words of the search may stand anywhere in the name, in any order.
    QList<QAction*> m_matches;
    QLineEdit* m_search;
    QListWidget* m_list;
};

}  // namespace cospadi::ui
