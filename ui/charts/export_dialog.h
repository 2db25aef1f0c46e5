// Asks how a chart or map shall be saved: format, size on paper, look, file; with a preview of what
// will be written. A file that is there is replaced only when asked twice. Not modal: a run goes
// on, and the window stays usable.
#pragma once

#include <QDialog>

#include "ui/charts/chart_export.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace cospadi::ui {

class ExportDialog : public QDialog {
    Q_OBJECT

  public:
    explicit ExportDialog(ExportSource source, QWidget* parent = nullptr);

    ExportOptions options() const;
    QString path() const;

  signals:
    void exported(const QString& path);
    void failed(const QString& problem);

  private:
    QWidget* makeForm();
    void chooseSize();
    void chooseFormat();
    void showPreview();
    void browse();
    void save();

    ExportSource m_source;
    QString m_replaced;  // the file that the user agreed to replace
    QComboBox* m_format;
    QComboBox* m_size;
    QDoubleSpinBox* m_width;
    QDoubleSpinBox* m_height;
    QDoubleSpinBox* m_words;
    QCheckBox* m_print;
    QLineEdit* m_path;
    QLabel* m_preview;
    QLabel* m_problem;
    QPushButton* m_save;
};

}  // namespace cospadi::ui
