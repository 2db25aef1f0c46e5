// Steps that a window is led through, one after another: what is done once, and how one sees that
// it has worked. Nothing is taken to have worked because time has passed; where it does not, the
// step is named after ten minutes. GUI thread only.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>
#include <utility>
#include <vector>

namespace cospadi::app {

struct Step {
    QString name;  // where it is stuck
    std::function<void()> begin;
    std::function<bool()> isDone;  // looked at ten times a second, first when events were handled
};

class StepPlayer : public QObject {
    Q_OBJECT

  public:
    explicit StepPlayer(QObject* parent = nullptr);

    void add(Step step) { m_steps.push_back(std::move(step)); }
    void play();                       // from the first one on
    void grantTime() { m_looks = 0; }  // what the step waits for came nearer
    void stop(const QString& why);     // at this step; ends in stuck()

  signals:
    void ended();  // all steps are done
    void stuck(const QString& step, const QString& why);

  private:
    void look();

    std::vector<Step> m_steps;
    QTimer m_timer;
    std::size_t m_next = 0;
    bool m_isBegun = false;
    int m_looks = 0;
};

}  // namespace cospadi::app
