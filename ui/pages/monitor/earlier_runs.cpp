#include "ui/pages/monitor/earlier_runs.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <algorithm>
#include <utility>

#include "ui/base/theme.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/run_chooser.h"

namespace cospadi::ui {

EarlierRuns::EarlierRuns(QWidget* parent)
    : QWidget(parent), m_box(new QComboBox), m_words(new ElidedLabel) {
    m_box->setObjectName(QStringLiteral("referenceRun"));
    m_box->setAccessibleName(tr("Reference"));
    m_box->setToolTip(
        tr("An earlier run drawn behind the curves, in the same colours with finer dashes"));
    m_box->setMaximumWidth(24 * fontMetrics().averageCharWidth());  // beside what the card says
    m_box->addItem(tr("no reference"), QString());
    m_words->setObjectName(QStringLiteral("openedRun"));
    auto* back = new QPushButton(tr("&Back to the latest run"));
    back->setObjectName(QStringLiteral("closeOpenedRun"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_words, 1);
    row->addWidget(back);
    hide();
    connect(back, &QPushButton::clicked, this, &EarlierRuns::close);
    connect(m_box, &QComboBox::currentIndexChanged, this, &EarlierRuns::readReference);
}

void EarlierRuns::setRuns(const std::vector<RunRow>& newestFirst) {
    const QString before = m_box->currentData().toString();
    const QSignalBlocker quiet(m_box);
    m_box->clear();
    m_box->addItem(tr("no reference"), QString());
    std::vector<RunRow> finished;
    for (const RunRow& run : newestFirst) {
        if ((run.status == "finished" && run.matrices > 0) ||
            run.directory == before.toStdString()) {
            finished.push_back(run);
        }
    }
    listRuns(m_box, finished, before);
    m_box->setCurrentIndex(std::max(0, m_box->findData(before)));
    if (m_box->currentIndex() == 0 && m_reference) {  // it was deleted
        readReference();
    }
}

const RunTrace* EarlierRuns::reference() const {
    return m_reference ? &m_reference->trace : nullptr;
}

QString EarlierRuns::referenceName() const {
    return m_reference ? m_box->currentText() : QString();
}

void EarlierRuns::readReference() {
    const QString directory = m_box->currentData().toString();
    m_referring.forget();
    if (directory.isEmpty()) {
        m_reference.reset();
        emit referenceChanged();
        return;
    }
    m_referring.ask([directory] { return readRunHistory(directory); },
                    [this](RunHistory history) {
                        m_reference = std::make_shared<const RunHistory>(std::move(history));
                        emit referenceChanged();
                    },
                    [this](const Error& error) {
                        tell(m_box->currentText(), error);
                        m_box->setCurrentIndex(0);
                    });
}

void EarlierRuns::tell(const QString& name, const Error& error) {
    emit problem(tr("%1 cannot be shown: %2").arg(name, QString::fromStdString(error.problem())),
                 QString::fromStdString(error.where()), QString::fromStdString(error.hint()));
}

void EarlierRuns::open(const QString& directory, const QString& name) {
    m_opening.ask(
        [directory] { return readRunHistory(directory); },
        [this, name](RunHistory history) {
            // What the page holds stays until it has turned to the new one.
            const auto before =
                std::exchange(m_opened, std::make_shared<const RunHistory>(std::move(history)));
            m_words->setText(m_opened->trace.matrices().isEmpty()
                                 ? tr("An earlier run: %1. Its iterations were not kept.").arg(name)
                                 : tr("An earlier run: %1").arg(name));
            show();
            emit openedChanged();
        },
        [this, name](const Error& error) { tell(name, error); });
}

void EarlierRuns::close() {
    m_opening.forget();
    if (m_opened) {
        const auto before = std::exchange(m_opened, nullptr);
        hide();
        emit openedChanged();
    }
}

}  // namespace cospadi::ui
