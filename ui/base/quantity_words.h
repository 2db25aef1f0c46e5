// What settings and measured values of runs are called in lists, axes, headings and names: in
// English as files, filters and the command line have them ("calibration.sequences"), in other
// languages translated. What is chosen is known by its own name (a box's data, a column's key).
#pragma once

#include <QString>
#include <string>

namespace cospadi::ui {

// A name that is not in the list of the .cpp stays as it is: a task's metric, a tag, a layer.
QString quantityWords(const QString& name);
QString quantityWords(const std::string& name);

}  // namespace cospadi::ui
