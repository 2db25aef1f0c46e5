// A look at one matrix of the model: its facts, its spectrum (plain, and whitened where the model
// has been calibrated) and the histogram of its weights, computed by the engine.
#pragma once

#include <QTimer>
#include <QWidget>
#include <optional>

#include "core/model/layer_info.h"
#include "core/store/run_specification.h"
#include "ui/engine/engine_reply.h"
#include "ui/engine/matrix_lab.h"

class QCheckBox;
class QLabel;
class QPushButton;

namespace cospadi::ui {

class Card;
class CurveChart;

class PortraitPanel : public QWidget {
    Q_OBJECT

  public:
    explicit PortraitPanel(MatrixLab* lab, QWidget* parent = nullptr);

    // Which matrix; layer may be nullptr. The specification's model and calibration count, its CR
    // marks the rank that a low-rank method would have.
    void setMatrix(const RunSpecification& specification, const LayerInfo* layer);

    // A run may have calibrated the model meanwhile.
    void lookAgain();

    CurveChart* spectrumChart() const { return m_spectrum; }
    CurveChart* histogramChart() const { return m_histogram; }
    QString facts() const;

  signals:
    void exported(const QString& path);

  protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    Card* makeSpectrumCard();
    Card* makeHistogramCard();
    void askLater();
    void ask();
    void show(const MatrixPortraitData& portrait);
    void draw();
    void showGramState();
    static QString spectrumWords();  // where no curve is

    MatrixLab* m_lab;
    QTimer m_patience;
    RunSpecification m_specification;
    LayerInfo m_layer;
    QString m_asked;  // model, layer and calibration of the portrait on show or on its way
    MatrixPortraitData m_portrait;
    Card* m_spectrumCard;
    Card* m_histogramCard;
    CurveChart* m_spectrum;
    CurveChart* m_histogram;
    QCheckBox* m_logarithmicCounts;
    QLabel* m_facts;
    std::optional<EngineError> m_problem;  // in the place of facts
    QLabel* m_gramState;
    QPushButton* m_calibrate;
};

}  // namespace cospadi::ui
