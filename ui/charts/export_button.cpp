#include "ui/charts/export_button.h"

#include <utility>

#include "ui/base/theme.h"
#include "ui/charts/export_dialog.h"

namespace cospadi::ui {

ExportButton::ExportButton(std::function<ExportSource()> source, QWidget* parent)
    : QToolButton(parent), m_source(std::move(source)) {
    setObjectName(QStringLiteral("exportButton"));
    setIcon(ui::icon(QStringLiteral("export")));
    setText(tr("Export"));
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setAutoRaise(true);
    setFocusPolicy(Qt::StrongFocus);
    setToolTip(tr("Save as SVG, PDF or PNG at a chosen size, or its data as CSV"));
    connect(this, &QToolButton::clicked, this, [this] {
        auto* dialog = new ExportDialog(m_source(), window());
        connect(dialog, &ExportDialog::exported, this, &ExportButton::exported);
        dialog->show();
    });
}

}  // namespace cospadi::ui
