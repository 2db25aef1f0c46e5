// JSON within limits: what is nested too deeply, whatever stands in strings; keys that stand twice.
#include <QtTest>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/tensors/bounded_json.h"
#include "tests/registered_test.h"

namespace tst_bounded_json {

using namespace cospadi;

class TestBoundedJson : public QObject {
    Q_OBJECT

  private slots:
    void depthIsThatOfOpenBrackets_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("depth");
        QTest::newRow("none") << QByteArray("17") << 0;
        QTest::newRow("both kinds") << QByteArray("{\"a\": [[1], {\"b\": 2}]}") << 3;
        QTest::newRow("side by side") << QByteArray("[[],[],{},[]]") << 2;
        QTest::newRow("in a string") << QByteArray("[\"[[[[{{{{\"]") << 1;
        QTest::newRow("behind an escaped quote") << QByteArray("[\"\\\"[[[[\"]") << 1;
        QTest::newRow("behind an escaped backslash") << QByteArray("[\"\\\\\",[[]]]") << 3;
    }
    void depthIsThatOfOpenBrackets() {
        QFETCH(QByteArray, text);
        QFETCH(int, depth);
        const std::string content = text.toStdString();
        QVERIFY(!isNestedDeeper(content, depth));
        QVERIFY(depth == 0 || isNestedDeeper(content, depth - 1));
    }

    void whatIsTooDeepIsNotRead() {
        const std::string deep = std::string(1 << 20, '[');
        try {
            parseBoundedJson(deep, 64, "run.json", "none");
            QFAIL("was read");
        } catch (const Error& error) {
            QVERIFY(QString::fromStdString(error.what()).contains("run.json"));
        }
    }

    // A list that is walked once for every object in it would take hours.
    void aMillionObjectsAreRead() {
        std::string text = "[{}";
        for (int i = 1; i < 1000000; ++i) {
            text += ",{}";
        }
        text += "]";
        QCOMPARE(parseBoundedJson(text, 8, "body", "").size(), std::size_t{1000000});
    }

    void keysAreToldThatStandTwice() {
        std::vector<std::pair<int, std::string>> keys;
        forEachKey(
            "{\"a\": {\"b\": 1, \"b\": 2}, \"c\": [{\"d\": null}], \"a\": \"{\\\"e\\\": 1}\"}",
            [&](int depth, const std::string& key) { keys.emplace_back(depth, key); });
        const std::vector<std::pair<int, std::string>> expected = {{1, "a"}, {2, "b"}, {2, "b"},
                                                                   {1, "c"}, {3, "d"}, {1, "a"}};
        QVERIFY(keys == expected);
    }

    void keysEndAtTheFirstFault() {
        int count = 0;
        forEachKey("{\"a\": 1, \"b\" 2, \"c\": 3}", [&](int, const std::string&) { ++count; });
        QVERIFY(count <= 2);
    }
};

COSPADI_TEST(TestBoundedJson)

}  // namespace tst_bounded_json

#include "tst_bounded_json.moc"
