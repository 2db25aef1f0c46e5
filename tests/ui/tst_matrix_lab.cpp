// What the engine refuses of a look at a matrix.
#include <QSignalSpy>
#include <QtTest>

#include "tests/registered_test.h"
#include "tests/ui/engine_in_shell.h"
#include "ui/engine/matrix_lab.h"

namespace tst_matrix_lab {

using namespace cospadi;
using namespace cospadi::ui;

class TestMatrixLab : public QObject {
    Q_OBJECT

  private slots:
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
};

COSPADI_TEST(TestMatrixLab)

}  // namespace tst_matrix_lab

#include "tst_matrix_lab.moc"
