// The tasks that can be evaluated natively, as the window describes them.
#pragma once

#include <QCoreApplication>
#include <QList>
#include <QString>
#include <QStringList>

namespace cospadi::ui {

struct TaskDescription {
    Q_DECLARE_TR_FUNCTIONS(cospadi::ui::TaskDescription)

  public:
    QString name;  // lm-eval's
    QString description;
};

QList<TaskDescription> describedTasks();

// Of these the ones that have no file in the folder; where none is named, that have neither been
// fetched nor a sample that ships with the program.
QStringList tasksWithoutData(const QStringList& tasks, const QString& folder = {});

}  // namespace cospadi::ui
