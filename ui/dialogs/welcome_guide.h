// First steps on one screen: what the window is for, and what to press, in order. Shown at the
// first start and from the Help menu; each step has a button that goes there.
#pragma once

#include <QDialog>
#include <QList>
#include <QString>
#include <functional>

namespace cospadi::ui {

struct GuideStep {
    QString title;
    QString text;
    QString button;  // empty: none
    std::function<void()> action;
};

class WelcomeGuide : public QDialog {
    Q_OBJECT

  public:
    explicit WelcomeGuide(const QList<GuideStep>& steps, QWidget* parent = nullptr);

    // Whether it was never shown; from then on it was.
    static bool isDue();
};

}  // namespace cospadi::ui
