// Keeps the window's keys from text fields, which would take Ctrl+K for themselves (it cuts to the
// end of the line there), and those of the plan Ctrl+Z, too: their own steps back know nothing of
// what arrows, sliders and the other fields did, and are gone once a number is stepped. One guard,
// installed on the application.
#pragma once

#include <QObject>

class QWidget;

namespace cospadi::ui {

class ShortcutGuard : public QObject {
    Q_OBJECT

  public:
    // plan: whose steps are the window's to undo; outlives the guard's last event.
    explicit ShortcutGuard(const QWidget* plan, QObject* parent = nullptr)
        : QObject(parent), m_plan(plan) {}

    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    const QWidget* m_plan;
};

}  // namespace cospadi::ui
