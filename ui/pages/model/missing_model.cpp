#include "ui/pages/model/missing_model.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/model/model_locator.h"
#include "ui/base/theme.h"

namespace cospadi::ui {

MissingModel::MissingModel(QWidget* parent) : QWidget(parent), m_words(new QLabel) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 20, 20, 20);
    column->setSpacing(12);
    m_words->setObjectName(QStringLiteral("missingModel"));
    m_words->setWordWrap(true);
    m_words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* file = new QPushButton(icon(QStringLiteral("open")), tr("Open a GGUF file…"));
    auto* folder = new QPushButton(icon(QStringLiteral("open")), tr("Open a Hugging Face folder…"));
    connect(file, &QPushButton::clicked, this, &MissingModel::openFileRequested);
    connect(folder, &QPushButton::clicked, this, &MissingModel::openFolderRequested);
    column->addWidget(m_words);
    column->addWidget(file);
    column->addWidget(folder);
    column->addStretch();
}

void MissingModel::showReading(const QString& word) {
    m_problem.reset();
    m_words->setText(tr("Reading %1 …").arg(word.toHtmlEscaped()));
}

void MissingModel::showProblem(const Error& error) {
    m_problem = error;
    tellProblem();
}

void MissingModel::tellProblem() {
    m_words->setText(
        tr("<h3>No model is open</h3><p>%1</p><p style='color:%4'>%2</p><p>%3</p>"
           "<p>The default model (SmolLM2-135M-Instruct, 98 MB, Apache-2.0) is fetched by "
           "<b>%5</b>. Then start the workbench again, or open a model of your own:</p>")
            .arg(QString::fromStdString(m_problem->problem()).toHtmlEscaped(),
                 QString::fromStdString(m_problem->where()).toHtmlEscaped(),
                 QString::fromStdString(m_problem->hint()).toHtmlEscaped(), theme().muted.name(),
                 QString::fromStdString(fetchCommand()).toHtmlEscaped()));
}

void MissingModel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_problem) {
        tellProblem();  // a colour stands in the words
    }
}

}  // namespace cospadi::ui
