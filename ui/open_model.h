// The model that is open: named by a path, a word or in a dialog, read off the GUI thread, and then
// shown by the pages that are about it. Where another cannot be read it stays open.
#pragma once

#include <QObject>
#include <QString>
#include <optional>

#include "core/base/error.h"
#include "core/model/model_info.h"
#include "ui/base/latest_work.h"
#include "ui/window_pages.h"
#include "ui/window_session.h"

class QMenu;

namespace cospadi::ui {

class OpenModel : public QObject {
    Q_OBJECT

  public:
    // Belongs to the window, whose title names the model.
    OpenModel(const WindowPages& pages, QWidget* window);

    // A path or the word "default"; reads headers. Ends in loaded().
    void load(const QString& word);
    void openFile();
    void openFolder();
    // With what was open earlier, each to be opened again.
    void fillRecent(QMenu* menu);
    // These are ticked in the model that is opened next, should it be theirs, and else none.
    void tickNext(const std::optional<WantedLayers>& layers) { m_wanted = layers; }

    // As a user would write it: "default" or a path; empty: none is open.
    const QString& word() const { return m_word; }
    double parameters() const { return m_parameters; }
    // What is ticked in it, for the next start; no value: none is open.
    std::optional<WantedLayers> ticked() const;

  signals:
    void loaded(bool ok);

  private:
    void show(const QString& word, const ModelInfo& model);
    void tellUnreadable(const QString& word, const Error& error);

    WindowPages m_pages;
    QWidget* m_window;
    QString m_word;
    double m_parameters = 0;
    std::optional<WantedLayers> m_wanted;  // once their model is open
    LatestWork m_loading;
};

}  // namespace cospadi::ui
