// printableText() against Qt's tables of Unicode.
#include <QtTest>

#include "core/base/printable_text.h"
#include "tests/registered_test.h"

namespace tst_printable_text {

using namespace cospadi;

class TestPrintableText : public QObject {
    Q_OBJECT

  private slots:
    // Every character, in text that stands around it: those that a terminal obeys are escaped, all
    // others stay as they are.
    void everyCharacter() {
        for (char32_t c = 0; c <= 0x10ffff; ++c) {
            if (c >= 0xd800 && c < 0xe000) {
                continue;
            }
            const std::string text = "a" + QString::fromUcs4(&c, 1).toStdString() + "b";
            const bool isControl = QChar::category(c) == QChar::Other_Control;
            const bool isLineEnd = QChar::category(c) == QChar::Separator_Line ||
                                   QChar::category(c) == QChar::Separator_Paragraph;
            const QChar::Direction direction = QChar::direction(c);
            const bool turns = direction == QChar::DirLRE || direction == QChar::DirRLE ||
                               direction == QChar::DirLRO || direction == QChar::DirRLO ||
                               direction == QChar::DirPDF || direction == QChar::DirLRI ||
                               direction == QChar::DirRLI || direction == QChar::DirFSI ||
                               direction == QChar::DirPDI || c == 0x200e || c == 0x200f;
            const bool escaped = isControl || isLineEnd || turns;
            if ((printableLine(text) != text) != escaped) {
                QFAIL(qPrintable(QString("U+%1").arg(c, 4, 16)));
            }
            if ((printableText(text) != text) != (escaped && c != '\n' && c != '\t')) {
                QFAIL(qPrintable(QString("U+%1").arg(c, 4, 16)));
            }
        }
    }

    void whatStandsThereInstead() {
        QCOMPARE(printableText("\x1b[2Jx\r"), std::string("\\x1b[2Jx\\x0d"));
        QCOMPARE(printableText("a\r\n\tb\n"), std::string("a\r\n\tb\n"));
        QCOMPARE(printableLine("a\r\n\tb"), std::string("a\\x0d\\x0a\\x09b"));
        QCOMPARE(printableText("\xc2\x9b!\xe2\x80\xae"), std::string("\\u009b!\\u202e"));
        // Not UTF-8: a stray byte, a cut character, one longer than it need be, a surrogate.
        QCOMPARE(printableText("\xff"), std::string("\\xff"));
        QCOMPARE(printableText("\xe2\x82"), std::string("\\xe2\\x82"));
        QCOMPARE(printableText("\xc0\xaf"), std::string("\\xc0\\xaf"));
        QCOMPARE(printableText("\xed\xa0\x80"), std::string("\\xed\\xa0\\x80"));
        QCOMPARE(printableText(std::string_view("\0", 1)), std::string("\\x00"));
        QCOMPARE(printableText(""), std::string());
    }
};

COSPADI_TEST(TestPrintableText)

}  // namespace tst_printable_text

#include "tst_printable_text.moc"
