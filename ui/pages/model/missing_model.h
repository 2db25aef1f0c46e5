// What stands in the place of a model where none is open: why not, how to get one, and buttons that
// open one.
#pragma once

#include <QWidget>
#include <optional>

#include "core/base/error.h"

class QLabel;

namespace cospadi::ui {

class MissingModel : public QWidget {
    Q_OBJECT

  public:
    explicit MissingModel(QWidget* parent = nullptr);

    void showReading(const QString& word);  // of that model
    void showProblem(const Error& error);

  signals:
    void openFileRequested();
    void openFolderRequested();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void tellProblem();

    QLabel* m_words;
    std::optional<Error> m_problem;  // as told there
};

}  // namespace cospadi::ui
