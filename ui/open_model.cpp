#include "ui/open_model.h"

#include <QDir>
#include <QFileDialog>
#include <QMenu>
#include <QTabWidget>

#include "core/model/model_locator.h"
#include "ui/base/recent_models.h"
#include "ui/models/model_facts.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/model/model_panel.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

namespace {

const QString kOpening = QStringLiteral("opening a model");  // topic of messages

}  // namespace

OpenModel::OpenModel(const WindowPages& pages, QWidget* window)
    : QObject(window), m_pages(pages), m_window(window) {
    connect(pages.model, &ModelPanel::openFileRequested, this, &OpenModel::openFile);
    connect(pages.model, &ModelPanel::openFolderRequested, this, &OpenModel::openFolder);
    connect(pages.model, &ModelPanel::openRequested, this, &OpenModel::load);
}

void OpenModel::load(const QString& word) {
    m_pages.model->showLoading(word);
    m_loading.ask([word] { return inspectModel(locateModel(word.toStdString())); },
                  [this, word](const ModelInfo& model) {
                      show(word, model);
                      emit loaded(true);
                  },
                  [this, word](const Error& error) {
                      tellUnreadable(word, error);
                      emit loaded(false);
                  });
}

void OpenModel::show(const QString& word, const ModelInfo& model) {
    m_word = word;
    m_parameters = static_cast<double>(model.parameters);
    m_pages.model->showModel(model);
    m_pages.explore->setLayers(model.layers);
    m_pages.evaluate->setModel(word, modelTitle(model));
    if (m_wanted) {  // of another model than the session's nothing is ticked
        const bool isSame = m_wanted->model == word;
        m_pages.model->selectByRegex(isSame ? m_wanted->regex : QString());
        m_pages.model->highlight(isSame ? m_wanted->cursor : QString());
    }
    m_wanted.reset();
    m_pages.messages->withdraw(kOpening);
    m_window->setWindowTitle(tr("%1 – CoSpaDi Workbench").arg(modelTitle(model)));
}

// What is open stays open, with its ticks and all that can be done with it.
void OpenModel::tellUnreadable(const QString& word, const Error& error) {
    if (m_word.isEmpty()) {
        m_pages.model->showProblem(error);
        m_pages.tabs->setCurrentWidget(m_pages.modelPage);  // which says how to get one
        return;
    }
    m_wanted.reset();  // else nothing of the model opened next would be ticked
    m_pages.model->endLoading();
    m_pages.messages->show(
        MessageBar::Kind::Problem,
        tr("%1 was not opened: %2").arg(word, QString::fromStdString(error.problem())),
        QString::fromStdString(error.where()),
        tr("%1 The previous model is still open.").arg(QString::fromStdString(error.hint())),
        kOpening);
}

void OpenModel::openFile() {
    const QString path = QFileDialog::getOpenFileName(m_window, tr("Open a model"), {},
                                                      tr("GGUF models (*.gguf);;All files (*)"));
    if (!path.isEmpty()) {
        load(path);
    }
}

void OpenModel::openFolder() {
    const QString path =
        QFileDialog::getExistingDirectory(m_window, tr("Open a Hugging Face folder"));
    if (!path.isEmpty()) {
        load(path);
    }
}

void OpenModel::fillRecent(QMenu* menu) {
    menu->clear();
    for (const QString& path : recentModels()) {
        menu->addAction(QDir::toNativeSeparators(path), this, [this, path] { load(path); });
    }
    if (menu->isEmpty()) {
        menu->addAction(tr("No other recent models"))->setEnabled(false);
    }
}

std::optional<WantedLayers> OpenModel::ticked() const {
    if (m_word.isEmpty()) {
        return std::nullopt;
    }
    const LayerInfo* layer = m_pages.model->highlightedLayer();
    return WantedLayers{m_word, m_pages.model->layersRegex(),
                        layer != nullptr ? QString::fromStdString(layer->name) : QString()};
}

}  // namespace cospadi::ui
