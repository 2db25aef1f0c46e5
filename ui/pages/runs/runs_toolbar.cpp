#include "ui/pages/runs/runs_toolbar.h"

#include <QCompleter>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QStringListModel>
#include <QToolButton>

#include "ui/pages/runs/run_mark_button.h"

namespace cospadi::ui {

namespace {

// Completes the word that is being typed, not the line.
class LastWordCompleter : public QCompleter {
  public:
    LastWordCompleter(const QStringList& words, QObject* parent) : QCompleter(words, parent) {
        setCaseSensitivity(Qt::CaseInsensitive);
    }

    QStringList splitPath(const QString& path) const override {
        m_before = path.left(path.lastIndexOf(QLatin1Char(' ')) + 1);
        return {path.mid(m_before.size())};
    }

    QString pathFromIndex(const QModelIndex& index) const override {
        return m_before + QCompleter::pathFromIndex(index);
    }

  private:
    mutable QString m_before;
};

}  // namespace

RunsToolbar::RunsToolbar(QWidget* parent)
    : QWidget(parent),
      m_row(new QHBoxLayout(this)),
      m_filter(new QLineEdit),
      m_marks(new RunMarkButton),
      m_differing(new QToolButton) {
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(8);
    m_filter->setObjectName(QStringLiteral("runsFilter"));
    m_filter->setPlaceholderText(tr("Filter: rho>=2 cr=0.2 method:ksvd tag:paper ffn_up"));
    m_filter->setToolTip(
        tr("Words in a row, and terms FIELD=VALUE[,VALUE], != < <= > >=, FIELD:PART, all of which "
           "must match; put anything with spaces in quotation marks. Fields are settings and "
           "results: error<0.1, perplexity<40, bytes>1e6, date>2026-11-20"));
    m_filter->setAccessibleName(tr("Filter the runs"));
    m_filter->setClearButtonEnabled(true);
    auto* view = new QToolButton;
    view->setObjectName(QStringLiteral("runsView"));
    view->setText(tr("View"));
    view->setToolTip(tr("Columns, groups, archived runs"));
    view->setPopupMode(QToolButton::InstantPopup);
    view->setFocusPolicy(Qt::StrongFocus);
    view->setMenu(new QMenu(view));
    m_differing->setObjectName(QStringLiteral("onlyDiffering"));
    m_differing->setText(tr("Only differences"));
    m_differing->setToolTip(
        tr("Shows only the columns in which the selected runs differ (all listed runs if fewer "
           "than two are selected), including every setting"));
    m_differing->setCheckable(true);
    m_differing->setFocusPolicy(Qt::StrongFocus);
    m_row->addWidget(m_filter, 1);
    m_row->addWidget(view);
    m_row->addWidget(m_marks);
    m_row->addWidget(m_differing);
    connect(m_filter, &QLineEdit::textChanged, this, &RunsToolbar::filterChanged);
    connect(m_differing, &QToolButton::toggled, this, &RunsToolbar::onlyDifferingToggled);
    connect(view->menu(), &QMenu::aboutToShow, this, [this, menu = view->menu()] {
        menu->clear();
        emit viewMenuWanted(menu);
    });
}

bool RunsToolbar::onlyDiffering() const { return m_differing->isChecked(); }
QString RunsToolbar::filter() const { return m_filter->text(); }
void RunsToolbar::setFilter(const QString& text) { m_filter->setText(text); }

void RunsToolbar::setFields(const std::set<std::string>& names) {
    QStringList words;
    for (const std::string& name : names) {
        words << QString::fromStdString(name);
    }
    if (m_filter->completer() != nullptr &&
        static_cast<QStringListModel*>(m_filter->completer()->model())->stringList() == words) {
        return;
    }
    auto* completer = new LastWordCompleter(words, m_filter);
    delete m_filter->completer();
    m_filter->setCompleter(completer);
}

}  // namespace cospadi::ui
