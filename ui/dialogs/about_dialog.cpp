#include "ui/dialogs/about_dialog.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/program_revision.h"
#include "cospadi_version.h"
#include "ui/base/font_units.h"
#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

constexpr int kIconSize = 64;
constexpr int kAboutCharacters = 92;

}  // namespace

AboutDialog::AboutDialog(const QList<QPair<QString, QString>>& facts, QWidget* parent)
    : QDialog(parent) {
    setObjectName(QStringLiteral("about"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("About CoSpaDi Workbench"));
    auto* picture = new QLabel;
    picture->setPixmap(icon(QStringLiteral("cospadi-workbench")).pixmap(kIconSize, kIconSize));
    QString rows;
    const QString revision = QString::fromStdString(programRevision());
    m_text = QStringLiteral("CoSpaDi Workbench %1 (%2)\n").arg(COSPADI_VERSION, revision);
    for (const auto& [name, value] : facts) {
        rows += QStringLiteral("<tr><td style='color:%3; padding-right:14px'>%1</td><td>%2</td>")
                    .arg(name.toHtmlEscaped(), value.toHtmlEscaped(), theme().muted.name()) +
                QStringLiteral("</tr>");
        m_text += QStringLiteral("%1: %2\n").arg(name, value);
    }
    auto* words = new QLabel(
        tr("<p><span style='font-size:large; font-weight:600'>CoSpaDi Workbench %1</span> (%2)</p>"
           "<p>Compresses language models by sparse dictionary learning, W ≈ D S, and measures "
           "what it costs.</p><table cellspacing='0' cellpadding='3'>%3</table>"
           "<p>The workbench is GPL-3 (it links Qt Charts); the engine is Apache-2.0.</p>")
            .arg(QStringLiteral(COSPADI_VERSION), revision, rows));
    words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    words->setWordWrap(true);
    words->setMinimumWidth(charactersWide(font(), kAboutCharacters));
    auto* row = new QHBoxLayout;
    row->setSpacing(18);
    row->addWidget(picture, 0, Qt::AlignTop);
    row->addWidget(words, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QPushButton* copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    copy->setToolTip(tr("Copies these details as text, for a bug report"));
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_text); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QWidget::close);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 14, 18, 14);
    column->addLayout(row);
    column->addWidget(buttons);
    column->setSizeConstraint(QLayout::SetFixedSize);
}

}  // namespace cospadi::ui
