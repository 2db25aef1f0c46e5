#include "ui/widgets/copy_button.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QTimer>
#include <utility>

#include "ui/base/theme.h"

namespace cospadi::ui {

CopyButton::CopyButton(const QString& what, std::function<QString()> text, QWidget* parent)
    : QToolButton(parent) {
    setIcon(ui::icon(QStringLiteral("copy")));
    setToolTip(what);
    setAccessibleName(what);
    setFocusPolicy(Qt::StrongFocus);
    connect(this, &QToolButton::clicked, this, [this, text = std::move(text)] {
        QGuiApplication::clipboard()->setText(text());
        setText(tr("Copied"));
        setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        QTimer::singleShot(1500, this, [this] { setToolButtonStyle(Qt::ToolButtonIconOnly); });
    });
}

}  // namespace cospadi::ui
