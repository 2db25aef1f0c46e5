// Which token a completion takes, and where it ends: sampling against probabilities by hand, seeds,
// and stop strings however text and tokens are cut.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/serving/stop_text.h"
#include "core/serving/token_choice.h"
#include "core/tokenizer/decode_stream.h"
#include "served_completions.h"
#include "served_model.h"
#include "tests/registered_test.h"

namespace tst_token_choice {

using namespace cospadi;
using served::complete;
using served::Completed;
using served::Ids;

class TestTokenChoice : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

  private slots:
    // Frequencies of 20000 draws against the probabilities of the softmax, by hand.
    void samplingFollowsTheDistribution() {
        Eigen::VectorXf logits(4);
        logits << std::log(0.1F), std::log(0.2F), std::log(0.3F), std::log(0.4F);
        const auto frequencies = [&](double temperature, double topP) {
            std::mt19937_64 random(1);
            std::vector<double> share(4, 0.0);
            for (int draw = 0; draw < 20000; ++draw) {
                share[static_cast<std::size_t>(
                    chooseToken(logits, {temperature, topP, 0}, random))] += 1.0 / 20000;
            }
            return share;
        };
        const auto near = [](const std::vector<double>& a, const std::vector<double>& b) {
            for (std::size_t i = 0; i < a.size(); ++i) {
                if (std::abs(a[i] - b[i]) > 0.015) {
                    return false;
                }
            }
            return true;
        };
        QVERIFY(near(frequencies(1, 1), {0.1, 0.2, 0.3, 0.4}));
        // p² / Σ p²
        QVERIFY(near(frequencies(0.5, 1), {0.01 / 0.3, 0.04 / 0.3, 0.09 / 0.3, 0.16 / 0.3}));
        // The two likeliest reach 0.7.
        QVERIFY(near(frequencies(1, 0.65), {0, 0, 3.0 / 7, 4.0 / 7}));
        QVERIFY(near(frequencies(1, 0.9), {0, 2.0 / 9, 3.0 / 9, 4.0 / 9}));
        QVERIFY(near(frequencies(1, 0), {0, 0, 0, 1}));
        QVERIFY(near(frequencies(0, 1), {0, 0, 0, 1}));
        logits[2] = std::numeric_limits<float>::quiet_NaN();
        QVERIFY(oracle::errorOf([&] { scoreToken(logits, 0, 1); }).contains("non-finite"));
    }

    void seedsRepeat() {
        const Model model = served::model(m_folder);
        CompletionScheduler scheduler(model, {});
        CompletionRequest request;
        request.prompt = {5, 6, 7};
        request.maxTokens = 12;
        request.sampling = {1.5, 1, 7};
        const auto idsOf = [&](std::uint64_t seed) {
            request.sampling.seed = seed;
            Ids ids;
            const auto completed = complete(scheduler, {request});
            for (const TokenScore& score : completed.at(0).generated) {
                ids.push_back(score.id);
            }
            return ids;
        };
        QCOMPARE(idsOf(7), idsOf(7));
        QVERIFY(idsOf(7) != idsOf(8));
    }

    void stopStrings_data() {
        QTest::addColumn<QStringList>("stops");
        QTest::addColumn<QString>("text");
        const QString text = "abcabcabdabab\nxyz";
        QTest::newRow("none") << QStringList{} << text;
        QTest::newRow("absent") << QStringList{"nothing"} << text;
        QTest::newRow("one letter") << QStringList{"\n"} << text;
        QTest::newRow("overlapping itself") << QStringList{"abcabd"} << text;
        QTest::newRow("two, one earlier") << QStringList{"yz", "abd"} << text;
        QTest::newRow("one inside another") << QStringList{"bcab", "ca"} << text;
        QTest::newRow("two that end together") << QStringList{"ab", "cab"} << "xcab";
        QTest::newRow("at the beginning") << QStringList{"abc"} << text;
        QTest::newRow("begins at the end") << QStringList{"yzq"} << text;
        QTest::newRow("empty") << QStringList{""} << text;
    }

    // However the text is cut, what comes out is what stands before the first stop string that a
    // reader of one character after another finds complete.
    void stopStrings() {
        QFETCH(const QStringList, stops);
        QFETCH(const QString, text);
        const std::string whole = text.toStdString();
        std::vector<std::string> list;
        for (const QString& stop : stops) {
            list.push_back(stop.toStdString());
        }
        std::size_t end = whole.size();  // of what is kept
        for (std::size_t read = 1; read <= whole.size() && end == whole.size(); ++read) {
            for (const std::string& stop : list) {
                if (!stop.empty() && whole.substr(0, read).ends_with(stop)) {
                    end = std::min(end, read - stop.size());
                }
            }
        }
        for (std::size_t piece = 1; piece <= whole.size(); ++piece) {
            StopText stop(list);
            std::string out;
            for (std::size_t at = 0; at < whole.size() && !stop.found(); at += piece) {
                out += stop.add(whole.substr(at, piece));
            }
            QCOMPARE(stop.found(), end < whole.size());
            out += stop.finish();
            QCOMPARE(out, whole.substr(0, end));
        }
    }

    // A generation with stop words is the one without, cut before the first of them, and it ends
    // with the token that completes the word.
    void stopWordsAcrossTokens() {
        const Model model = served::model(m_folder);
        CompletionScheduler scheduler(model, {});
        CompletionRequest request;
        request.prompt = {5, 6, 7, 8};
        request.maxTokens = 60;
        const Completed plain = complete(scheduler, {request}).at(0);
        // Where each token's text ends.
        DecodeStream decoder(model.tokenizer(), true);
        std::vector<std::size_t> ends;
        std::string text;
        for (const TokenScore& score : plain.generated) {
            text += score.id < model.tokenizer().vocabularySize() ? decoder.add(score.id) : "";
            ends.push_back(text.size());
        }
        QVERIFY(plain.text.starts_with(text));
        int tried = 0;
        for (std::size_t token = 1; token + 1 < ends.size(); ++token) {
            const std::size_t border = ends[token];
            if (border < 2 || border + 2 > text.size()) {
                continue;
            }
            const std::string word = text.substr(border - 2, 4);  // of both sides
            const std::size_t first = text.find(word);
            request.stop = {"\x01 never", word};
            const Completed found = complete(scheduler, {request}).at(0);
            QCOMPARE(found.text, text.substr(0, first));
            QVERIFY(found.finish == FinishReason::Stop);
            const auto last = std::lower_bound(ends.begin(), ends.end(), first + word.size());
            QCOMPARE(static_cast<std::ptrdiff_t>(found.generated.size()), last - ends.begin() + 1);
            ++tried;
        }
        QVERIFY2(tried >= 10, qPrintable(QString::number(tried)));
    }
};

COSPADI_TEST(TestTokenChoice)

}  // namespace tst_token_choice

#include "tst_token_choice.moc"
