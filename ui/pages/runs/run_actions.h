// What can be done with stored runs, as the entries of a menu. Asks for names, colours and whether
// to delete; writes nothing itself but colours: it announces what is wanted.
#pragma once

#include <QObject>
#include <QStringList>
#include <vector>

#include "core/store/run_row.h"

class QMenu;
class QWidget;

namespace cospadi::ui {

class RunActions : public QObject {
    Q_OBJECT

  public:
    explicit RunActions(QWidget* page);  // what its dialogs belong to

    // runs: those it is for, at least one.
    void fill(QMenu* menu, const std::vector<RunRow>& runs);

  signals:
    void patternWanted(const cospadi::RunRow& run);
    void monitorWanted(const cospadi::RunRow& run);
    void planWanted(const cospadi::RunRow& run);
    void resumeWanted(const cospadi::RunRow& run);
    void measureWanted(const std::vector<cospadi::RunRow>& runs);  // finished ones
    void compareWanted();
    void nameWanted(const cospadi::RunRow& run, const QString& name);  // empty: its id again
    void coloursChanged();
    void pinWanted(const QString& run);            // as the baseline; empty: none any more
    void deletionWanted(const QStringList& runs);  // and confirmed

  private:
    void fillForOne(QMenu* menu, const RunRow& run);
    void askForName(const RunRow& run);
    void askForColour(const QStringList& runs);
    void askForDeletion(const QStringList& runs);

    QWidget* m_page;
};

}  // namespace cospadi::ui
