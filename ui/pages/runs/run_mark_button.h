// The Mark button of the Runs page: star, archive, tag or note for the runs that are selected.
// Writes nothing itself: it announces what is wanted, words for tag and note asked for in a dialog.
#pragma once

#include <QStringList>
#include <QToolButton>
#include <functional>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi::ui {

class RunMarkButton : public QToolButton {
    Q_OBJECT

  public:
    explicit RunMarkButton(QWidget* parent = nullptr);

    // Asked each time that the menu opens.
    void setSelection(std::function<std::vector<RunRow>()> selected);

  signals:
    void starsWanted(const QStringList& runs, bool starred);
    void archiveWanted(const QStringList& runs, bool archived);
    void tagWanted(const QStringList& runs, const QString& tag);
    void noteWanted(const QStringList& runs, const QString& text);

  private:
    void fillMenu();

    std::function<std::vector<RunRow>()> m_selected;
};

}  // namespace cospadi::ui
