// The Export button of every chart and map: opens the ExportDialog for what stands on the screen at
// that moment.
#pragma once

#include <QToolButton>
#include <functional>

#include "ui/charts/chart_export.h"

namespace cospadi::ui {

class ExportButton : public QToolButton {
    Q_OBJECT

  public:
    explicit ExportButton(std::function<ExportSource()> source, QWidget* parent = nullptr);

  signals:
    void exported(const QString& path);

  private:
    std::function<ExportSource()> m_source;
};

}  // namespace cospadi::ui
