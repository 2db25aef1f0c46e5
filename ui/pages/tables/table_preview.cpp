#include "ui/pages/tables/table_preview.h"

#include <QEvent>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTabBar>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "core/report/report.h"
#include "ui/base/theme.h"
#include "ui/models/report_table_model.h"
#include "ui/widgets/card.h"
#include "ui/widgets/copy_button.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/save_text.h"
#include "ui/widgets/two_line_header.h"

namespace cospadi::ui {

namespace {

constexpr int kColumnGap = 16;

struct Format {
    const char* words;
    const char* suffix;
    ReportFormat format;
};
static_assert(int(ReportTableModel::SharedHeadingRole) == int(TwoLineHeader::SharedRole));

// The picture is saved as LaTeX: that is what it shows.
constexpr Format kFormats[] = {
    {QT_TRANSLATE_NOOP("cospadi::ui::TablePreview", "As in print"), "tex", ReportFormat::Latex},
    {"LaTeX", "tex", ReportFormat::Latex},
    {"Markdown", "md", ReportFormat::Markdown},
    {"CSV", "csv", ReportFormat::Csv}};

// The rules of a booktabs table: a light one between blocks, a heavy one at the end.
class Rules : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        QStyledItemDelegate::paint(painter, option, index);
        if (index.data(ReportTableModel::RuleAboveRole).toBool()) {
            painter->fillRect(QRect(option.rect.left(), option.rect.top(), option.rect.width(), 1),
                              theme().text);
        }
        if (index.row() + 1 == index.model()->rowCount()) {
            painter->fillRect(
                QRect(option.rect.left(), option.rect.bottom() - 1, option.rect.width(), 2),
                theme().text);
        }
    }
};

}  // namespace

TablePreview::TablePreview(QWidget* parent) : QWidget(parent), m_model(new ReportTableModel(this)) {
    auto* card = new Card(tr("Table"));
    m_tabs = new QTabBar;
    m_tabs->setObjectName(QStringLiteral("tableFormats"));
    m_tabs->setAccessibleName(tr("Format"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    for (const Format& format : kFormats) {
        m_tabs->addTab(tr(format.words));
    }
    m_copy = new CopyButton(tr("Copy the source in this format"), [this] { return source(); });
    m_copy->setObjectName(QStringLiteral("tableCopy"));
    m_save = new QPushButton(icon(QStringLiteral("export")), tr("Save…"));
    m_save->setObjectName(QStringLiteral("tableExport"));
    card->headerRow()->addWidget(m_copy);
    card->headerRow()->addWidget(m_save);
    card->body()->addWidget(m_tabs);

    m_source = new QPlainTextEdit;
    m_source->setObjectName(QStringLiteral("tableText"));
    m_source->setAccessibleName(tr("Source of the table"));
    m_source->setReadOnly(true);
    m_source->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_source->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_message = new EmptyState("tableMessage", EmptyState::smallRun());
    connect(m_message, &EmptyState::wanted, this, &TablePreview::smallRunWanted);
    m_shown = new QStackedWidget;
    m_shown->addWidget(makeView());
    m_shown->addWidget(m_source);
    m_shown->addWidget(m_message);
    card->body()->addWidget(m_shown, 1);

    m_command = new QLineEdit;
    m_command->setObjectName(QStringLiteral("tableCommand"));
    m_command->setReadOnly(true);
    m_command->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_command->setAccessibleName(tr("Equivalent command line"));
    auto* label = new QLabel(tr("As a command:"));
    label->setObjectName(QStringLiteral("muted"));
    label->setBuddy(m_command);
    auto* foot = new QHBoxLayout;
    foot->addWidget(label);
    foot->addWidget(m_command, 1);
    foot->addWidget(new CopyButton(tr("Copy the command line"), [this] { return command(); }));
    card->body()->addLayout(foot);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(card);

    connect(m_tabs, &QTabBar::currentChanged, this, &TablePreview::showTab);
    connect(m_save, &QPushButton::clicked, this, &TablePreview::save);
    connect(m_model, &ReportTableModel::renamed, this, &TablePreview::renamed);
    applyColours();
    showTab();
}

QWidget* TablePreview::makeView() {
    m_view = new QTableView;
    m_view->setObjectName(QStringLiteral("tableView"));
    m_view->setAccessibleName(tr("The table as a paper would show it"));
    m_header = new TwoLineHeader(m_view);
    m_view->setHorizontalHeader(m_header);
    m_view->setModel(m_model);
    m_view->setItemDelegate(new Rules(m_view));
    m_view->setShowGrid(false);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setWordWrap(false);
    m_view->setTabKeyNavigation(false);
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 12);
    m_view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_notes = new QLabel;
    m_notes->setObjectName(QStringLiteral("muted"));
    m_notes->setWordWrap(true);
    m_notes->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_notes->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* scroll = new QScrollArea;
    scroll->setObjectName(QStringLiteral("plain"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(m_notes);
    scroll->setAccessibleName(tr("Notes of the table"));
    scroll->viewport()->setAutoFillBackground(false);
    m_notes->setAutoFillBackground(false);
    scroll->setFixedHeight(5 * fontMetrics().height());
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(8, 8, 8, 0);
    column->addWidget(m_view, 1);
    column->addWidget(scroll);
    return page;
}

void TablePreview::applyColours() {
    m_view->setStyleSheet(QStringLiteral("QTableView { background: %1; border: 0; }"
                                         "QHeaderView { background: %1; }")
                              .arg(theme().panel.name()));
}

void TablePreview::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_view != nullptr) {
        applyColours();
    }
}

void TablePreview::setTable(const ReportTable& table, const QString& name) {
    m_name = name;
    m_hasProblem = false;
    m_model->setTable(table);
    fitToContents();
    QStringList notes;
    for (const std::string& note : table.notes) {
        notes << QString::fromStdString(note);
    }
    m_notes->setText(notes.join('\n'));
    showTab();
}

// With air between them; numbers share one width.
void TablePreview::fitToContents() {
    m_view->resizeColumnsToContents();
    for (int column = 0; column < m_model->columnCount(); ++column) {
        m_view->setColumnWidth(column, m_view->columnWidth(column) + kColumnGap);
    }
    m_header->makeRoomForShared();
    const auto isNumber = [this](int column) {
        return m_model->table().columns[static_cast<std::size_t>(column)].kind != ColumnKind::Text;
    };
    int widest = 0;
    for (int column = 0; column < m_model->columnCount(); ++column) {
        widest = isNumber(column) ? std::max(widest, m_view->columnWidth(column)) : widest;
    }
    for (int column = 0; column < m_model->columnCount(); ++column) {
        if (isNumber(column)) {
            m_view->setColumnWidth(column, widest);
        }
    }
}

void TablePreview::setProblem(const QString& what, const QString& hint, bool isFirst) {
    m_hasProblem = true;
    m_message->showAction(isFirst);
    m_model->setTable({});
    m_message->setWords(what.toHtmlEscaped(), hint.toHtmlEscaped());
    showTab();
}

void TablePreview::setCommand(const QString& command) {
    m_command->setText(command);
    m_command->setCursorPosition(0);
}

QString TablePreview::command() const { return m_command->text(); }

QString TablePreview::source() const {
    return QString::fromStdString(
        cospadi::render(m_model->table(), kFormats[std::max(0, m_tabs->currentIndex())].format));
}

void TablePreview::showTab() {
    const bool table = !m_hasProblem;
    m_save->setEnabled(table);
    m_copy->setEnabled(table);
    m_shown->setCurrentIndex(!table ? 2 : m_tabs->currentIndex() == 0 ? 0 : 1);
    const Format& format = kFormats[std::max(0, m_tabs->currentIndex())];
    m_save->setText(tr("Save .%1…").arg(QLatin1String(format.suffix)));
    if (table && m_tabs->currentIndex() > 0) {
        m_source->setPlainText(source());
    }
}

void TablePreview::save() {
    const QString suffix =
        QString::fromLatin1(kFormats[std::max(0, m_tabs->currentIndex())].suffix);
    QString name = m_name.isEmpty() ? QStringLiteral("table") : m_name;
    name.replace('/', '-');
    // What is saved is what stood there when it was asked for, whatever happens meanwhile.
    saveTextAs(
        this,
        {tr("Save the table"), name + '.' + suffix, suffix, [text = source()] { return text; }},
        [this](const QString& path) { emit exported(path); },
        [this](const QString& problem) { emit exportFailed(problem); });
}

}  // namespace cospadi::ui
