// Patterns N:M: their names, and what a group's choice and a place in it take.
#include <QtTest>
#include <string>

#include "core/base/nm_pattern.h"
#include "tests/core/message_of.h"
#include "tests/registered_test.h"

namespace tst_nm_pattern {

using namespace cospadi;

class TestNmPattern : public QObject {
    Q_OBJECT

  private slots:
    void namesComeBack() {
        for (const char* name : {"unstructured", "2:4", "1:2", "4:8", "31:32"}) {
            QCOMPARE(nmPatternFromName(name, "pattern", 32).name(), std::string(name));
        }
        QVERIFY(!nmPatternFromName("unstructured", "pattern", 32).isGrouped());
    }

    void otherNamesAreRefused_data() {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"", "2", "2:", ":4", "two:four", "2:4:8", "2:4 ", " 2:4", "2;4", "0:4", "-1:4", "4:4",
              "5:4", "+2:4", "2:4.5", "1:33", "99999999999:4", "1:99999999999", "Unstructured"}) {
            QTest::addRow("'%s'", name) << name;
        }
    }

    // N of M with 1 ≤ N < M ≤ 32, by the name of the field that asked.
    void otherNamesAreRefused() {
        QFETCH(QString, name);
        QCOMPARE(whereOf([&] { nmPatternFromName(name.toStdString(), "code_pattern", 32); }),
                 std::string("code_pattern"));
    }

    void theLargestGroupIsTheCallers() {
        QCOMPARE(nmPatternFromName("1:16", "pattern", 16).group, 16);
        QVERIFY(messageOf([] { nmPatternFromName("1:17", "pattern", 16); }).find("at most 16") !=
                std::string::npos);
    }

    // ⌈log2 C(M, N)⌉ and ⌈log2 M⌉: C(4, 2) = 6, C(8, 4) = 70, C(32, 16) = 601,080,390 < 2³⁰.
    void choicesAndPlacesTakeBits_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<unsigned>("choices");
        QTest::addColumn<int>("choiceBits");
        QTest::addColumn<int>("placeBits");
        QTest::newRow("1:2") << "1:2" << 2U << 1 << 1;
        QTest::newRow("1:4") << "1:4" << 4U << 2 << 2;
        QTest::newRow("2:4") << "2:4" << 6U << 3 << 2;
        QTest::newRow("1:5") << "1:5" << 5U << 3 << 3;
        QTest::newRow("4:8") << "4:8" << 70U << 7 << 3;
        QTest::newRow("31:32") << "31:32" << 32U << 5 << 5;
        QTest::newRow("16:32") << "16:32" << 601'080'390U << 30 << 5;
    }

    void choicesAndPlacesTakeBits() {
        QFETCH(QString, name);
        const NmPattern pattern = nmPatternFromName(name.toStdString(), "pattern", 32);
        QTEST(choices(pattern), "choices");
        QTEST(pattern.choiceBits(), "choiceBits");
        QTEST(pattern.placeBits(), "placeBits");
    }
};

COSPADI_TEST(TestNmPattern)

}  // namespace tst_nm_pattern

#include "tst_nm_pattern.moc"
