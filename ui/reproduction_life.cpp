#include "ui/reproduction_life.h"

#include "ui/engine/engine_client.h"
#include "ui/engine/reproduction_work.h"
#include "ui/open_model.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/tables/reproduce_dialog.h"
#include "ui/pages/tables/table_preview.h"
#include "ui/pages/tables/tables_page.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

ReproductionLife::ReproductionLife(const Parts& parts, QWidget* window)
    : QObject(window), m_parts(parts), m_window(window) {
    const ReproductionWork* work = parts.services.reproduction;
    connect(parts.pages.tables, &TablesPage::reproduceWanted, this, &ReproductionLife::showDialog);
    connect(work, &ReproductionWork::runEnded, parts.pages.runs, &RunsPage::refresh);
    connect(work, &ReproductionWork::finished, this, [this, work](int holes) {
        const QString label = work->question().label;
        tell(holes == 0 ? tr("%1 was made from your runs.").arg(label)
                        : tr("%1 was made, with %n gap(s).", nullptr, holes).arg(label));
    });
    connect(work, &ReproductionWork::failed, this, [this, work](const EngineError& error) {
        tell(tr("%1 was not made: %2").arg(work->question().label, error.message));
    });
}

void ReproductionLife::showDialog() {
    if (auto* open = m_window->findChild<ReproduceDialog*>()) {
        open->raise();
        open->activateWindow();
        return;
    }
    const QString& model = m_parts.openModel->word();
    auto* dialog = new ReproduceDialog(m_parts.services.reproduction,
                                       model.isEmpty() ? QStringLiteral("default") : model,
                                       m_parts.services.engine->device(), m_window);
    const TablePreview* preview = m_parts.pages.tables->preview();
    connect(dialog, &ReproduceDialog::exported, preview, &TablePreview::exported);
    connect(dialog, &ReproduceDialog::exportFailed, preview, &TablePreview::exportFailed);
    dialog->show();
}

void ReproductionLife::tell(const QString& words) {
    if (m_window->findChild<ReproduceDialog*>() == nullptr) {
        MessageBar* messages = m_parts.pages.messages;
        messages->show(MessageBar::Kind::Information, words, {}, {},
                       QStringLiteral("reproduction"));
        messages->offer(tr("Show"), [this] { showDialog(); });
    }
}

}  // namespace cospadi::ui
