#include "ui/models/run_texts.h"

#include <QStringList>

#include "core/report/report.h"
#include "ui/models/run_columns.h"
#include "ui/models/run_looks.h"
#include "ui/models/runs_table_model.h"

namespace cospadi::ui {

RunTexts textsOf(const RunRow& run) {
    RunTexts texts;
    texts.id = QString::fromStdString(run.id);
    texts.method = QString::fromStdString(methodLabel(run));
    QStringList words{texts.id, ownName(run), QString::fromStdString(run.layers), texts.method};
    using Model = RunsTableModel;
    for (const Model::Column column : {Model::StatusColumn, Model::ModelColumn, Model::TagsColumn,
                                       Model::NoteColumn, Model::CrColumn, Model::DateColumn}) {
        words << runColumns()[static_cast<std::size_t>(column)].text(run);
    }
    texts.search = words.join(QLatin1Char('\n')).toLower();
    return texts;
}

std::vector<RunTexts> textsOf(const std::vector<RunRow>& runs) {
    std::vector<RunTexts> all;
    all.reserve(runs.size());
    for (const RunRow& run : runs) {
        all.push_back(textsOf(run));
    }
    return all;
}

}  // namespace cospadi::ui
