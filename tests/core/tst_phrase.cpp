// Phrases of the engine, told in English.
#include <QtTest>

#include "core/base/phrase.h"
#include "tests/registered_test.h"

namespace tst_phrase {

using namespace cospadi;

class TestPhrase : public QObject {
    Q_OBJECT

  private slots:
    void valuesTakeTheirPlaces() {
        QCOMPARE(inEnglish(Phrase{"%2 of %1", {"many", "one"}}), std::string("one of many"));
        QCOMPARE(inEnglish(Phrase{"plain"}), std::string("plain"));
        QCOMPARE(inEnglish(Phrase{}), std::string());
    }

    // What stands in a value, and a place without one, stays as it is.
    void nothingElseIsReplaced() {
        QCOMPARE(inEnglish(Phrase{"%1, %2", {"%2", "b"}}), std::string("%2, b"));
        QCOMPARE(inEnglish(Phrase{"%1, %2 % zeros, 3 %", {"2:4", "50.0"}}),
                 std::string("2:4, 50.0 % zeros, 3 %"));
        QCOMPARE(inEnglish(Phrase{"%3 %0", {"a"}}), std::string("%3 %0"));
    }

    void moreFollowsBehindCommas() {
        const Phrase told = Phrase{"%1, context %2",
                                   {"wikitext2", "512"},
                                   {Phrase{"first %1 tokens", {"64"}}, Phrase{"c"}}};
        QCOMPARE(inEnglish(told), std::string("wikitext2, context 512, first 64 tokens, c"));
        QCOMPARE(inEnglish(std::vector{told, Phrase{"next"}}).back(), std::string("next"));
    }
};

COSPADI_TEST(TestPhrase)

}  // namespace tst_phrase

#include "tst_phrase.moc"
