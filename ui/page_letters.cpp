#include "ui/page_letters.h"

#include <QAction>
#include <QEvent>
#include <QMenuBar>
#include <QTabWidget>
#include <QTimer>

#include "ui/widgets/mnemonics.h"

namespace cospadi::ui {

PageLetters::PageLetters(QTabWidget* pages, const QMenuBar* menus)
    : QObject(pages), m_pages(pages), m_menus(menus), m_soon(new QTimer(this)) {
    m_soon->setSingleShot(true);
    m_soon->setInterval(0);
    connect(m_soon, &QTimer::timeout, this, &PageLetters::give);
    connect(pages, &QTabWidget::currentChanged, m_soon, qOverload<>(&QTimer::start));
    for (int i = 0; i < pages->count(); ++i) {
        pages->widget(i)->installEventFilter(this);
    }
}

bool PageLetters::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::LayoutRequest && watched == m_pages->currentWidget()) {
        m_soon->start();
    }
    return QObject::eventFilter(watched, event);
}

void PageLetters::give() {
    QString taken;
    for (const QAction* menu : m_menus->actions()) {
        taken += mnemonicOf(menu->text());
    }
    giveMnemonics(*m_pages->currentWidget(), taken);
}

}  // namespace cospadi::ui
