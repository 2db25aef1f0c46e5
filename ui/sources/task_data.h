// The tasks that can be evaluated natively, as the window describes them.
#pragma once

#include <QCoreApplication>
#include <QList>
#include <QString>

namespace cospadi::ui {

struct TaskDescription {
    Q_DECLARE_TR_FUNCTIONS(TaskDescription)

  public:
    QString name;  // lm-eval's
    QString description;
};

QList<TaskDescription> describedTasks();

}  // namespace cospadi::ui
