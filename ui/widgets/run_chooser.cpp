#include "ui/widgets/run_chooser.h"

#include <QComboBox>

#include "ui/models/run_looks.h"

namespace cospadi::ui {

void listRuns(QComboBox* box, const std::vector<RunRow>& newestFirst, const QString& keep) {
    std::vector<RunRow> listed;
    for (const RunRow& run : newestFirst) {
        if (listed.size() < kMostListedRuns || run.starred || !ownName(run).isEmpty() ||
            run.directory == keep.toStdString()) {
            listed.push_back(run);
        }
    }
    const QStringList names = namesInList(listed);
    for (std::size_t i = 0; i < listed.size(); ++i) {
        box->addItem(names[static_cast<qsizetype>(i)], QString::fromStdString(listed[i].directory));
        box->setItemData(box->count() - 1, QString::fromStdString(listed[i].id), Qt::ToolTipRole);
    }
}

}  // namespace cospadi::ui
