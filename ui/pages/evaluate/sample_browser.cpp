#include "ui/pages/evaluate/sample_browser.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QSet>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTableView>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/base/font_units.h"
#include "ui/models/sample_table_model.h"
#include "ui/models/sample_text.h"
#include "ui/widgets/card.h"
#include "ui/widgets/row_table.h"

namespace cospadi::ui {

namespace {

std::vector<TaskSample> samplesOf(const TaskBoardRow& row) {
    const std::filesystem::path file = samplesFileOf(
        row.directory.toStdString(), row.evaluation.toStdString(), row.task.toStdString());
    return file.empty() ? std::vector<TaskSample>() : readTaskSamples(file);
}

// What an entry of the lists stands for; its words may be those of several runs.
constexpr int kEvaluationRole = Qt::UserRole + 1;
constexpr int kRunRole = Qt::UserRole + 2;

QString evaluationKey(const TaskBoardRow& row) {
    return QStringLiteral("%1\n%2\n%3").arg(row.directory, row.evaluation).arg(row.items);
}

// The same evaluation, else one of the same run; the first entry where there is neither.
int entryOf(const QComboBox& box, const QString& evaluation, const QString& run) {
    const int same = evaluation.isEmpty() ? 0 : box.findData(evaluation, kEvaluationRole);
    return std::max(0, same >= 0 ? same : box.findData(run, kRunRole));
}

// Same questions: otherwise comparing item by item says nothing.
bool isComparable(const TaskBoardRow& a, const TaskBoardRow& b) {
    return a.task == b.task && a.version == b.version && a.shots == b.shots &&
           a.dataSha256 == b.dataSha256;
}

}  // namespace

SampleBrowser::SampleBrowser(QWidget* parent)
    : QWidget(parent), m_model(new SampleTableModel(this)) {
    m_card = new Card(tr("Item by item"));
    const auto combo = [&](const char* name, const QString& label, const QString& help) {
        auto* box = new QComboBox;
        box->setObjectName(QLatin1String(name));
        box->setAccessibleName(label);
        box->setToolTip(help);
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(12);
        return box;
    };
    m_task = combo("sampleTask", tr("Task"), tr("Tasks whose items are recorded"));
    m_first = combo("sampleFirst", tr("First model"), tr("The model whose answers are shown"));
    m_second = combo("sampleSecond", tr("Second model"),
                     tr("Another model's answers to the same items, for example compressed"));
    m_show = combo("sampleShow", tr("Items that are shown"), tr("All items, or what changed"));
    const std::pair<QString, SampleTableModel::Show> shows[] = {
        {tr("all items"), SampleTableModel::Show::All},
        {tr("flipped items"), SampleTableModel::Show::Flipped},
        {tr("lost"), SampleTableModel::Show::Lost},
        {tr("gained"), SampleTableModel::Show::Gained},
        {tr("wrong in both"), SampleTableModel::Show::Wrong}};
    for (const auto& [words, show] : shows) {
        m_show->addItem(words, static_cast<int>(show));
    }
    for (QComboBox* box : {m_task, m_first, m_second, m_show}) {
        m_card->headerRow()->addWidget(box, 1);
    }
    m_summary = new QLabel;
    m_summary->setObjectName(QStringLiteral("muted"));
    m_table = makeRowTable(QStringLiteral("samples"), tr("Items of the task"), m_model);
    fitColumns(*m_table, SampleTableModel::TextColumn);
    sayWhenEmpty(*m_table, tr("The evaluated items are listed here, if they were recorded and the "
                              "filter above leaves any."));
    m_detail = new QTextBrowser;
    m_detail->setMinimumHeight(linesHigh(font(), 5.6));
    m_detail->setObjectName(QStringLiteral("sampleDetail"));
    m_detail->setAccessibleName(tr("Prompt, choices and scores of the item"));
    m_detail->setPlaceholderText(
        tr("Evaluate a task, or choose one above: every item's prompt, choices and scores are "
           "shown here."));
    auto* split = new QSplitter(Qt::Horizontal);
    split->setObjectName(QStringLiteral("samplesSplitter"));
    split->addWidget(m_table);
    split->addWidget(m_detail);
    split->setHandleWidth(8);
    split->setChildrenCollapsible(false);
    split->setSizes({460, 420});
    m_card->body()->addWidget(m_summary);
    m_card->body()->addWidget(split, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_card);

    connect(m_task, &QComboBox::currentIndexChanged, this, [this] {
        fillModels();
        read();
    });
    for (QComboBox* box : {m_first, m_second}) {
        connect(box, &QComboBox::currentIndexChanged, this, &SampleBrowser::read);
    }
    connect(m_show, &QComboBox::currentIndexChanged, this, [this] {
        m_model->setShow(static_cast<SampleTableModel::Show>(m_show->currentData().toInt()));
        m_table->selectRow(0);
        showItem();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &SampleBrowser::showItem);
}

void SampleBrowser::setRows(const std::vector<TaskBoardRow>& rows) {
    m_rows.clear();
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(m_rows),
                 [](const TaskBoardRow& row) { return !row.directory.isEmpty(); });
    const QString task = m_task->currentText();
    {
        const QSignalBlocker blocked(m_task);
        m_task->clear();
        QSet<QString> seen;
        for (const TaskBoardRow& row : m_rows) {
            if (!seen.contains(row.task)) {
                seen.insert(row.task);
                m_task->addItem(row.task);
            }
        }
        m_task->setCurrentIndex(std::max(0, m_task->findText(task)));
    }
    for (QComboBox* box : {m_task, m_first, m_second, m_show}) {
        box->setEnabled(!m_rows.empty());
    }
    fillModels();
    read();
}

void SampleBrowser::showTask(const TaskBoardRow& row) {
    m_task->setCurrentText(row.task);
    for (int i = 0; i < m_first->count(); ++i) {
        const TaskBoardRow& other = m_rows[m_first->itemData(i).toULongLong()];
        if (other.directory == row.directory && other.evaluation == row.evaluation) {
            m_first->setCurrentIndex(i);
        }
    }
}

void SampleBrowser::fillModels() {
    for (QComboBox* box : {m_first, m_second}) {
        const QSignalBlocker blocked(box);
        const QString evaluation = box->currentData(kEvaluationRole).toString();
        const QString run = box->currentData(kRunRole).toString();
        box->clear();
        if (box == m_second) {
            box->addItem(tr("(no second model)"));
        }
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            if (m_rows[i].task == m_task->currentText()) {
                box->addItem(tr("%1, items: %2").arg(m_rows[i].model).arg(m_rows[i].items),
                             static_cast<qulonglong>(i));
                box->setItemData(box->count() - 1, evaluationKey(m_rows[i]), kEvaluationRole);
                box->setItemData(box->count() - 1, m_rows[i].directory, kRunRole);
            }
        }
        box->setCurrentIndex(entryOf(*box, evaluation, run));
    }
}

const TaskBoardRow* SampleBrowser::chosen(const QComboBox* box) const {
    const QVariant place = box->currentData();
    return place.isValid() ? &m_rows[place.toULongLong()] : nullptr;
}

void SampleBrowser::read() {
    const TaskBoardRow* first = chosen(m_first);
    const TaskBoardRow* second = chosen(m_second);
    m_reading.forget();
    if (first == nullptr) {
        m_model->setSamples({}, {});
        m_summary->clear();
        showItem();
        return;
    }
    if (second != nullptr && !isComparable(*first, *second)) {
        m_model->setSamples({}, {});
        m_summary->setText(
            tr("These two evaluations differ in their questions: another version of the task, "
               "other examples or other data. Evaluate both the same way to compare them."));
        showItem();
        return;
    }
    using Samples = std::vector<TaskSample>;
    const TaskBoardRow one = *first;
    const TaskBoardRow other = second != nullptr ? *second : TaskBoardRow();
    m_reading.ask(
        [one, other] {
            return std::pair<Samples, Samples>(
                samplesOf(one), other.directory.isEmpty() ? Samples() : samplesOf(other));
        },
        [this, wantsTwo = second != nullptr](std::pair<Samples, Samples> samples) {
            const bool isMissing = samples.first.empty() || (wantsTwo && samples.second.empty());
            m_model->setSamples(std::move(samples.first), std::move(samples.second));
            m_summary->setText(isMissing ? tr("The items of this evaluation were not kept: only "
                                              "its means are available.")
                                         : m_model->summary());
            m_table->selectRow(0);
            showItem();
        },
        [this](const Error& error) {
            emit problem(QString::fromStdString(error.problem()),
                         QString::fromStdString(error.where()),
                         QString::fromStdString(error.hint()));
        });
}

void SampleBrowser::showItem() {
    const int row = m_table->currentIndex().row();
    const TaskSample* first = m_model->first(row);
    if (first == nullptr) {
        m_detail->clear();
        return;
    }
    m_detail->setHtml(sampleHtml(*first, m_model->second(row)));
}

QString SampleBrowser::detail() const { return m_detail->toPlainText(); }

}  // namespace cospadi::ui
