// The charts of the page Explore: error by iteration, by ρ and by bytes, as far as the method has
// them, and of several matrices a table beside them. What is drawn is explore_curves.h's.
#pragma once

#include <QList>
#include <QSplitter>

#include "ui/models/explore_curves.h"

class QLabel;

namespace cospadi {
class Method;
}

namespace cospadi::ui {

class Card;
class CurveChart;
class MatrixPicker;

class ExploreCharts : public QSplitter {
    Q_OBJECT

  public:
    // picker: the matrix in front names the files; outlives it.
    explicit ExploreCharts(const MatrixPicker* picker, QWidget* parent = nullptr);

    // earlier: of the same matrix, drawn behind.
    void draw(const ExploreTrace& trace, const QList<EarlierCurve>& earlier);
    void showWhatCounts(const Method& method);

    CurveChart* byIteration() const { return m_byIteration; }
    CurveChart* byRho() const { return m_byRho; }
    CurveChart* byBytes() const { return m_byBytes; }
    bool hasTable() const;
    QString table() const;

  signals:
    void exported(const QString& path);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    Card* makeTableCard();
    Card* makeChartCard(const QString& title, CurveChart*& chart, const char* name,
                        const QString& x);
    void showEmptyWords();

    const MatrixPicker* m_picker;
    QList<Card*> m_cards;         // of charts
    QSplitter* m_upper;           // table of several matrices, error by iteration
    Card* m_tableCard = nullptr;  // of several matrices
    QLabel* m_table = nullptr;
    CurveChart* m_byIteration = nullptr;
    CurveChart* m_byRho;
    CurveChart* m_byBytes;
};

}  // namespace cospadi::ui
