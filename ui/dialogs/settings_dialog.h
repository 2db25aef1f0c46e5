// Settings, beside the window and never in its way: theme, numbers, threads, where runs lie, what
// closing the window does with a run, notifications. Nothing changes before OK or Apply.
#pragma once

#include <QDialog>

#include "ui/base/preferences.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace cospadi::ui {

class SettingsDialog : public QDialog {
    Q_OBJECT

  public:
    explicit SettingsDialog(const Preferences& preferences, QWidget* parent = nullptr);

    Preferences preferences() const;
    // Threads and the runs directory belong to the engine: they wait for what it does.
    void setBusy(bool busy);

  signals:
    void applied(const cospadi::ui::Preferences& preferences);

  private:
    void take();
    void makeLanguage(const QString& chosen);

    QComboBox* m_theme;
    QComboBox* m_language;
    QComboBox* m_numbers;
    QSpinBox* m_threads;
    QLineEdit* m_runs;
    QWidget* m_runsRow;
    QComboBox* m_closing;
    QCheckBox* m_notify;
    QLabel* m_problem;
};

}  // namespace cospadi::ui
