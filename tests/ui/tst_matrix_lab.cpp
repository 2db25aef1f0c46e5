// What the engine refuses of a look at a matrix, and what is shown of none.
#include <QSignalSpy>
#include <QtTest>

#include "tests/registered_test.h"
#include "tests/ui/engine_in_shell.h"
#include "ui/base/theme.h"
#include "ui/engine/matrix_lab.h"
#include "ui/models/portrait_curves.h"
#include "ui/pages/model/portrait_panel.h"

namespace tst_matrix_lab {

using namespace cospadi;
using namespace cospadi::ui;

class TestMatrixLab : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { applyTheme(*qApp); }

    void labSaysWhatTheEngineRefuses() {
        EngineClient client;
        useScript(client,
                  "read -r line; echo '{\"id\":2,\"error\":{\"message\":\"no such layer\"}}'; "
                  "read -r line; kill -9 $$");
        MatrixLab lab(&client);
        QSignalSpy refused(&lab, &MatrixLab::portraitFailed);
        lab.requestPortrait({}, "blk.99.attn_q");
        QTRY_COMPARE(refused.count(), 1);
        QCOMPARE(refused[0][0].value<EngineError>().message, "no such layer");
        QSignalSpy failed(&lab, &MatrixLab::exploreFailed);
        lab.explore({}, {"blk.0.attn_q"}, {2}, {0.2});
        QVERIFY(lab.isExploring());
        QTRY_COMPARE(failed.count(), 1);  // the engine died
        QVERIFY(!lab.isExploring());
    }

    // Where no layer is ticked nor under the cursor, nothing of the one before stays.
    void noMatrixHasNoFacts() {
        EngineClient client;
        MatrixLab lab(&client);
        PortraitPanel panel(&lab);
        LayerInfo layer;
        layer.name = "blk.0.attn_q";
        layer.d1 = layer.d2 = 4;
        panel.setMatrix({}, &layer);
        MatrixPortraitData portrait;
        portrait.layer = QStringLiteral("blk.0.attn_q");
        portrait.d1 = portrait.d2 = 4;
        portrait.histogramLow = -1;
        portrait.histogramHigh = 1;
        portrait.histogram = {1, 14, 1};
        portrait.singularValues = {4, 2, 1, 0.5};
        emit lab.portraitReady(portrait);
        QVERIFY(!panel.facts().isEmpty());
        panel.setMatrix({}, nullptr);
        panel.setVisible(true);
        QTRY_VERIFY2(panel.facts().isEmpty(), qPrintable(panel.facts()));
    }

    // σᵢ/σ₁ of a matrix of zeros is no number, and no curve.
    void aMatrixOfZerosHasNoSpectrum() {
        MatrixPortraitData portrait;
        portrait.singularValues = portrait.whitenedValues = {0, 0, 0};
        QVERIFY(spectrumCurves(portrait, 2, 0.2).isEmpty());
        portrait.singularValues = {4, 2, 0};  // its text never reaches it
        const QList<Curve> curves = spectrumCurves(portrait, 2, 0.2);
        QCOMPARE(curves.size(), 2);
        QCOMPARE(curves[0].points, (QList<QPointF>{{1, 1}, {2, 0.5}, {3, 0}}));
        QCOMPARE(curves[1].points, (QList<QPointF>{{2, 0.5}}));
    }
};

COSPADI_TEST(TestMatrixLab)

}  // namespace tst_matrix_lab

#include "tst_matrix_lab.moc"
