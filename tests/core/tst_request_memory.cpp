// What requests cost before they are admitted: the memory that JSON takes while it is read,
// measured on the allocator for the texts that make most of it, and the budget that all requests
// share.
#include <QtTest>
#include <atomic>
#include <cstdlib>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "core/serving/byte_budget.h"
#include "core/serving/completion_api.h"
#include "tests/registered_test.h"

namespace {

std::atomic<std::size_t> living{0};
std::atomic<std::size_t> most{0};

// Before each piece its size; malloc's own header and rounding count, too (16 bytes).
constexpr std::size_t kHead = 16;

void* taken(std::size_t bytes) {
    auto* piece = static_cast<char*>(std::malloc(bytes + kHead));
    if (piece == nullptr) {
        throw std::bad_alloc();
    }
    *reinterpret_cast<std::size_t*>(piece) = bytes;
    const std::size_t now = living += bytes + kHead;
    std::size_t before = most;
    while (now > before && !most.compare_exchange_weak(before, now)) {
    }
    return piece + kHead;
}

void given(void* memory) {
    if (memory != nullptr) {
        char* piece = static_cast<char*>(memory) - kHead;
        living -= *reinterpret_cast<std::size_t*>(piece) + kHead;
        std::free(piece);
    }
}

}  // namespace

void* operator new(std::size_t bytes) { return taken(bytes); }
void operator delete(void* memory) noexcept { given(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { given(memory); }

using namespace cospadi;

class TestRequestMemory : public QObject {
    Q_OBJECT

    static std::string bodyOf(const std::string& piece, std::size_t bytes) {
        std::string body = R"({"prompt": [)";
        while (body.size() + piece.size() + 8 < bytes) {
            body += piece + ",";
        }
        return body + piece + "]}";
    }

  private slots:
    void jsonStaysWithinItsShare_data() {
        QTest::addColumn<QString>("piece");
        for (const char* piece : {"1", "{}", "[]", "\"\"", "[{}]", "null", "[1]", "{\"a\":{}}",
                                  "[[[{}]]]", "0.5", "\"0123456789abcdef\""}) {
            QTest::newRow(piece) << QString(piece);
        }
    }
    // Of several lengths: a list takes most just after it has grown.
    void jsonStaysWithinItsShare() {
        QFETCH(QString, piece);
        double worst = 0;
        for (const std::size_t bytes : {300'000U, 786'450U, 1'048'000U, 3'145'800U, 4'194'400U}) {
            const std::string body = bodyOf(piece.toStdString(), bytes);
            const std::size_t before = living;
            most = before;
            {
                const nlohmann::json parsed = parseBody(body);
                QVERIFY(parsed.at("prompt").size() > 1000);
            }
            worst = std::max(worst,
                             static_cast<double>(most - before) / static_cast<double>(body.size()));
            QCOMPARE(living.load(), before);
        }
        qInfo("%.1f bytes a byte", worst);
        QVERIFY2(worst <= static_cast<double>(kParsedBytesPerByte),
                 qPrintable(QString::number(worst)));
        QVERIFY(worst > 0.1);  // something was measured
    }

    // 64 bodies of the largest size: one of them fits into what they share, so that none waits for
    // ever, and the largest list of objects is read in one pass (in n² steps it would take days).
    void theLargestBodyIsRead() {
        constexpr std::size_t bytes = 16U << 20U;
        QVERIFY(kParsedBytesPerByte * bytes <= std::size_t{1} << 30U);
        const std::size_t before = living;
        const std::string body = bodyOf("{}", bytes);
        const std::size_t withBody = living;
        most = withBody;
        QCOMPARE(parseBody(body).at("prompt").size(), (body.size() - 12) / 3);
        QVERIFY(most - withBody <= kParsedBytesPerByte * body.size());
        QVERIFY(withBody > before);
    }

    void whatIsTooDeepCostsNothing() {
        const std::string body = "{\"prompt\": " + std::string(4'000'000, '[');
        const std::size_t before = living;
        most = before;
        QVERIFY_THROWS_EXCEPTION(std::exception, parseBody(body));
        QVERIFY(most - before < 100'000);
    }

    // As 64 connections with the largest of bodies: never more than the budget at once, all get
    // their turn, and one that asks for more than there is has it alone.
    void sharesStayWithinTheBudget() {
        constexpr std::size_t whole = 1000;
        ByteBudget budget(whole);
        std::atomic<std::size_t> held{0};
        std::atomic<std::size_t> peak{0};
        std::atomic<int> done{0};
        {
            std::vector<std::jthread> threads;
            for (std::size_t i = 0; i < 64; ++i) {
                threads.emplace_back([&, i] {
                    for (int turn = 0; turn < 50; ++turn) {
                        const std::size_t wanted = 100 + 40 * (i % 32);
                        const std::size_t counted = std::min(wanted, whole);
                        const ByteBudget::Share share = budget.take(wanted);
                        const std::size_t now = held += counted;
                        std::size_t before = peak;
                        while (now > before && !peak.compare_exchange_weak(before, now)) {
                        }
                        std::this_thread::yield();
                        held -= counted;
                    }
                    ++done;
                });
            }
        }
        QCOMPARE(done.load(), 64);
        QVERIFY(peak <= whole);
        QCOMPARE(held.load(), std::size_t{0});
    }
};

COSPADI_TEST(TestRequestMemory)

#include "tst_request_memory.moc"
