// A run's tags as one line that can be edited: separated by commas. A tag that holds a comma or a
// quotation mark, or begins or ends with a space, stands in quotation marks, doubled inside, so
// that what is shown can be taken back as it is. Pure functions.
#pragma once

#include <QString>
#include <QStringList>

namespace cospadi::ui {

QString tagsToLine(const QStringList& tags);

// Empty tags and repetitions are left out. An open quotation mark reaches to the end.
QStringList tagsFromLine(const QString& line);

}  // namespace cospadi::ui
