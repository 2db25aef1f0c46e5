#include "app/workbench/photographer.h"

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QTabWidget>
#include <QTextStream>
#include <QThreadPool>

#include "app/workbench/step_player.h"
#include "ui/live_preferences.h"
#include "ui/main_window.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::app {

namespace {

constexpr int kStillLooks = 2;   // that see the same: layout, paint and charts are done
constexpr int kMostMoving = 50;  // what moves all the time, as words that count, is taken moving

// The names of the menu entries that open them.
const char* const kDialogs[] = {"guide", "settings", "shortcuts", "about"};

struct Look {
    const char* name;
    bool isDark;
    bool isSmall;
};
constexpr Look kLooks[] = {{"light", false, false},
                           {"dark", true, false},
                           {"small", false, true},
                           {"small-dark", true, true}};

QString fileOf(const QString& name, const Look& look) {
    return QStringLiteral("%1-%2.png").arg(name, QLatin1String(look.name));
}

}  // namespace

Photographer::Photographer(ui::MainWindow& window, StepPlayer& player, const QString& folder)
    : m_window(window), m_player(player), m_folder(folder) {
    QDir().mkpath(folder);
    QApplication::setCursorFlashTime(0);  // a caret that blinks is never still
}

void Photographer::photographPage(const QString& name) { photograph(name, ui::indexOfPage(name)); }

void Photographer::photograph(const QString& name, int page) {
    for (const Look& look : kLooks) {
        takePicture(
            fileOf(name, look),
            [this, look, page] {
                m_window.preferences()->setDark(look.isDark);
                m_window.resize(look.isSmall ? QSize(1024, 600) : QSize(1440, 900));
                m_window.pages().tabs->setCurrentIndex(page);
                m_window.pages().messages->hide();
            },
            [this]() -> QWidget* { return &m_window; });
    }
}

void Photographer::photographDialogs() {
    for (const char* name : kDialogs) {
        for (const Look& look : kLooks) {
            if (look.isSmall) {
                continue;
            }
            const auto dialog = [this]() -> QWidget* {
                return m_window.findChildren<QDialog*>().last();
            };
            takePicture(
                fileOf(QLatin1String(name), look),
                [this, name, look] {
                    m_window.preferences()->setDark(look.isDark);
                    m_window.findChild<QAction*>(QLatin1String(name))->trigger();
                },
                dialog);
            m_player.add({QStringLiteral("a dialog closes"), [dialog] { delete dialog(); },
                          [] { return true; }});
        }
    }
}

// Of what `shown` says, once it stands still after `arrange`.
void Photographer::takePicture(const QString& file, const std::function<void()>& arrange,
                               const std::function<QWidget*()>& shown) {
    m_player.add({file,
                  [this, arrange] {
                      arrange();
                      m_seen = {};
                      m_still = m_moving = 0;
                  },
                  [this, file, shown] {
                      if (!isStill(*shown())) {
                          return false;
                      }
                      save(file);
                      return true;
                  }});
}

// Nothing is read or drawn in the background any more, and it looks as it did.
bool Photographer::isStill(QWidget& widget) {
    const QImage now = widget.grab().toImage();
    const bool isSame = QThreadPool::globalInstance()->activeThreadCount() == 0 && now == m_seen;
    m_seen = now;
    m_still = isSame ? m_still + 1 : 0;
    return m_still >= kStillLooks || ++m_moving >= kMostMoving;
}

// What was seen last. Goes on where it cannot be written, and says so at the end.
void Photographer::save(const QString& name) {
    const QString path = QDir(m_folder).filePath(name);
    if (!m_seen.save(path)) {
        QTextStream(stderr) << "cospadi-workbench: cannot write " << path << '\n';
        m_hasFailed = true;
    }
}

}  // namespace cospadi::app
