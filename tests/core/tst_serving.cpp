// The engine behind `cospadi serve`: completions, scores, batches and shared prefixes, against the
// float64 references of the same models.
#include <cmath>

#include "core/serving/prefix_cache.h"
#include "served_completions.h"
#include "served_model.h"
#include "tests/registered_test.h"

namespace tst_serving {

using namespace cospadi;
using served::complete;
using served::Completed;
using served::Ids;
using served::scored;

class TestServing : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    struct Reference {
        Ids ids, greedy;
        std::int64_t length = 0;
        std::vector<float> logits;
    };
    static Reference reference() {
        const auto file =
            SafetensorsFile::open(oracle::file("arch/a_llama_gqa") / "oracle.safetensors");
        return {oracle::values<std::int32_t>(file.require("ids")),
                oracle::values<std::int32_t>(file.require("greedy_ids")),
                file.require("ids").shape[1], oracle::values<float>(file.require("logits_seq0"))};
    }

  private slots:
    // Both sequences, several times, in steps much smaller than a prompt: ids of the reference.
    void greedyAsTheReference() {
        const Model model = served::model(m_folder);
        const Reference truth = reference();
        SchedulerOptions options;
        options.stepTokens = 7;
        options.activeSequences = 3;
        CompletionScheduler scheduler(model, options);
        std::vector<CompletionRequest> requests;
        for (std::int64_t copy = 0; copy < 6; ++copy) {
            const auto first = truth.ids.begin() + copy % 2 * truth.length;
            CompletionRequest request;
            request.prompt.assign(first, first + truth.length);
            request.maxTokens = 16;
            requests.push_back(request);
        }
        const auto results = complete(scheduler, requests);
        const auto& ends = model.config().eosIds;
        for (std::size_t r = 0; r < results.size(); ++r) {
            Ids expected(truth.greedy.begin() + static_cast<std::ptrdiff_t>(r % 2 * 16),
                         truth.greedy.begin() + static_cast<std::ptrdiff_t>(r % 2 * 16 + 16));
            const auto end =
                std::find_first_of(expected.begin(), expected.end(), ends.begin(), ends.end());
            if (end != expected.end()) {
                expected.erase(end + 1, expected.end());
            }
            Ids found;
            for (const TokenScore& score : results[r].generated) {
                found.push_back(score.id);
                QCOMPARE(score.top.at(0).second, score.logProbability);  // to the last bit
            }
            QCOMPARE(found, expected);
        }
    }

    // Memory for two requests of 20 tokens: never more under way, and the same tokens as with
    // memory for all.
    void workingMemoryIsBounded() {
        const Model model = served::model(m_folder);
        std::vector<CompletionRequest> requests;
        for (std::int32_t i = 0; i < 7; ++i) {
            CompletionRequest request;
            request.prompt = {5 + i, 6, 7, 8, 9, 10, 11, 12, 13, 14};
            request.maxTokens = 10;
            requests.push_back(request);
        }
        CompletionScheduler unbounded(model, {});
        const auto expected = complete(unbounded, requests);

        const ModelConfig& config = model.config();
        SchedulerOptions options;
        options.workingBytes =
            50 * 4 *
            (2 * config.blocks * config.keyValueHeads * config.headDim + config.hiddenSize);
        CompletionScheduler scheduler(model, options);
        CompletionInbox inbox;
        CompletionTicket ticket;
        std::int64_t most = 0;  // of the scheduler's thread until the last event
        scheduler.submit(
            requests,
            [&](CompletionEvent event) {
                most = std::max(most, scheduler.counts().active);
                inbox.put(std::move(event));
            },
            ticket);
        std::vector<Ids> found(requests.size());
        for (std::size_t open = requests.size(); open > 0;) {
            const CompletionEvent event = inbox.take(std::chrono::seconds(60)).value();
            for (const TokenScore& score : event.generated) {
                found[event.index].push_back(score.id);
            }
            open -= event.finish ? 1 : 0;
        }
        QCOMPARE(most, 2);
        for (std::size_t i = 0; i < requests.size(); ++i) {
            Ids ids;
            for (const TokenScore& score : expected[i].generated) {
                ids.push_back(score.id);
            }
            QCOMPARE(found[i], ids);
        }

        requests.resize(1);
        requests[0].maxTokens = 41;  // 51 tokens
        const QString error = oracle::errorOf([&] {
            scheduler.submit(
                requests, [](const auto&) {}, ticket);
        });
        QVERIFY2(error.contains("max_tokens") && error.contains("50"), qPrintable(error));
        requests[0].maxTokens = 1'000'000;  // as far as the context goes, which is more
        QVERIFY(oracle::errorOf([&] {
                    scheduler.submit(
                        requests, [](const auto&) {}, ticket);
                }).contains("max_tokens"));
    }

    // log-softmax of the reference logits in double, for every token of a prompt.
    void scoresAsTheReference() {
        const Model model = served::model(m_folder);
        const Reference truth = reference();
        const std::int64_t vocabulary = model.config().vocabularySize;
        CompletionScheduler scheduler(model, {});
        CompletionRequest request =
            scored(Ids(truth.ids.begin(), truth.ids.begin() + truth.length));
        request.topTokens = 5;
        const Completed result = complete(scheduler, {request}).at(0);
        QCOMPARE(static_cast<std::int64_t>(result.prompt.size()), truth.length);
        QVERIFY(std::isnan(result.prompt[0].logProbability));
        QVERIFY(result.prompt[0].top.empty());
        double worst = 0;
        for (std::int64_t t = 1; t < truth.length; ++t) {
            const float* column = truth.logits.data() + (t - 1) * vocabulary;
            double sum = 0;
            for (std::int64_t i = 0; i < vocabulary; ++i) {
                sum += std::exp(static_cast<double>(column[i]));
            }
            const TokenScore& score = result.prompt[static_cast<std::size_t>(t)];
            const auto expected = [&](std::int32_t id) {
                return static_cast<double>(column[id]) - std::log(sum);
            };
            worst = std::max(worst, std::abs(score.logProbability - expected(score.id)));
            QCOMPARE(score.top.size(), std::size_t{5});
            for (std::size_t k = 0; k < 5; ++k) {
                worst =
                    std::max(worst, std::abs(score.top[k].second - expected(score.top[k].first)));
                QVERIFY(k == 0 || score.top[k].second <= score.top[k - 1].second);
            }
        }
        qInfo("largest deviation of a log probability: %.2e", worst);
        QVERIFY(worst < 1e-4);
        QCOMPARE(result.generated.size(), std::size_t{1});
    }

    // The choices of one question, asked at once: their context is computed once.
    void sharedContextIsComputedOnce() {
        const Model model = served::model(m_folder);
        const Reference truth = reference();
        const Ids context(truth.ids.begin(), truth.ids.begin() + 60);
        std::vector<CompletionRequest> requests;
        std::vector<Completed> apart;
        for (std::int32_t choice = 0; choice < 4; ++choice) {
            Ids prompt = context;
            prompt.insert(prompt.end(), {10 + choice, 20, 30});
            requests.push_back(scored(prompt));
            SchedulerOptions alone;
            alone.cacheBytes = 0;
            CompletionScheduler fresh(model, alone);
            apart.push_back(complete(fresh, {requests.back()}).at(0));
            QCOMPARE(fresh.counts().computedTokens, 63);
        }
        CompletionScheduler scheduler(model, {});
        const auto together = complete(scheduler, requests);
        QCOMPARE(scheduler.counts().computedTokens, 60 + 4 * 3);
        QCOMPARE(scheduler.counts().cachedTokens, 3 * 60);
        for (std::size_t choice = 0; choice < 4; ++choice) {
            QCOMPARE(together[choice].prompt.size(), std::size_t{63});
            for (std::size_t t = 1; t < 63; ++t) {
                const TokenScore& a = apart[choice].prompt[t];
                const TokenScore& b = together[choice].prompt[t];
                QVERIFY(a.id == b.id && a.top.at(0).first == b.top.at(0).first);
                QVERIFY(std::abs(a.logProbability - b.logProbability) < 1e-4);
            }
        }
        // The same again: nothing at all is computed for the one that is kept whole.
        const auto again = complete(scheduler, {requests[0]});
        QCOMPARE(scheduler.counts().computedTokens, 60 + 4 * 3);
        QCOMPARE(again[0].cached, 63);
        for (std::size_t t = 1; t < 63; ++t) {
            QCOMPARE(again[0].prompt[t].logProbability, together[0].prompt[t].logProbability);
        }
        QCOMPARE(again[0].generated[0].id, together[0].generated[0].id);
    }

    // A conversation that grows: each turn begins with all that was said before.
    void growingPromptIsContinued() {
        const Model model = served::model(m_folder);
        CompletionScheduler scheduler(model, {});
        CompletionRequest request;
        request.prompt = {5, 6, 7, 8, 9, 10, 11, 12};
        request.maxTokens = 5;
        const Completed first = complete(scheduler, {request}).at(0);
        const std::int64_t computed = scheduler.counts().computedTokens;
        for (const TokenScore& score : first.generated) {
            request.prompt.push_back(score.id);
        }
        request.prompt.push_back(40);
        const Completed second = complete(scheduler, {request}).at(0);
        // The last generated token was never computed: nothing came after it.
        QCOMPARE(second.cached, static_cast<std::int64_t>(request.prompt.size()) - 2);
        QVERIFY(scheduler.counts().computedTokens - computed <= 2 + 4);
    }

    void cacheStaysWithinItsBound() {
        const Model model = served::model(m_folder);
        const ModelConfig& config = model.config();
        const auto sequence = [&](std::int32_t first, std::int64_t length) {
            KeyValueCache cache(config);
            cache.reserve(length);
            cache.advance(length);
            Ids ids(static_cast<std::size_t>(length), first);
            return ComputedSequence{ids,
                                    cache.firstTokens(length),
                                    Eigen::MatrixXf::Zero(config.hiddenSize, length),
                                    {},
                                    0};
        };
        const std::int64_t one = sequence(1, 20).bytes();
        PrefixCache cache(3 * one);
        for (std::int32_t id = 1; id <= 3; ++id) {
            cache.insert(sequence(id, 20));
        }
        QCOMPARE(cache.size(), std::size_t{3});
        QCOMPARE(cache.longest(Ids{1, 1, 9}).length, 2);  // 1 counts as used now
        cache.insert(sequence(4, 20));                    // drops 2
        QCOMPARE(cache.longest(Ids{2}).length, 0);
        QCOMPARE(cache.longest(Ids{1}).length, 1);
        QVERIFY(cache.bytes() <= 3 * one);
        cache.insert(sequence(5, 70));  // larger than the bound
        QCOMPARE(cache.longest(Ids{5}).length, 0);
        cache.insert(sequence(1, 22));  // takes the place of its beginning
        QCOMPARE(cache.longest(Ids(30, 1)).length, 22);
        QVERIFY(cache.bytes() <= 3 * one);
    }

    // Tokens that end this text, as a chat template's end of turn, beside the model's own.
    void endsOfARequest() {
        const Model model = served::model(m_folder);
        CompletionScheduler scheduler(model, {});
        CompletionRequest request;
        request.prompt = {5, 6, 7, 8};
        request.maxTokens = 30;
        const Completed plain = complete(scheduler, {request}).at(0);
        QVERIFY(plain.generated.size() > 5);
        request.ends = {plain.generated[5].id};
        std::size_t first = 0;
        while (plain.generated[first].id != request.ends[0]) {
            ++first;
        }
        const Completed found = complete(scheduler, {request}).at(0);
        QCOMPARE(found.generated.size(), first + 1);
        QVERIFY(found.finish == FinishReason::Stop);
        QVERIFY(plain.text.starts_with(found.text));
        request.ends.clear();
        request.maxTokens = static_cast<std::int64_t>(first);
        QCOMPARE(found.text, complete(scheduler, {request}).at(0).text);
    }

    void refusedByTheScheduler() {
        const Model model = served::model(m_folder);
        SchedulerOptions options;
        options.waitingPrompts = 2;
        CompletionScheduler scheduler(model, options);
        const auto refusal = [&](const Ids& prompt) {
            return oracle::errorOf([&] { complete(scheduler, {scored(prompt)}); });
        };
        QVERIFY(refusal({}).contains("no tokens"));
        QVERIFY(refusal({512}).contains("512"));
        QVERIFY(refusal({-1}).contains("-1"));
        QVERIFY(refusal(Ids(257, 5)).contains("257"));
        CompletionTicket ticket;
        const std::vector<CompletionRequest> three(3, scored({5}));
        QVERIFY(scheduler.submit(
                    three, [](const CompletionEvent&) {}, ticket) ==
                CompletionScheduler::Refusal::Busy);
        // A prompt that fills the context still gets its one token, and no second one.
        const Completed full = complete(scheduler, {scored(Ids(256, 5), 9)}).at(0);
        QCOMPARE(full.generated.size(), std::size_t{1});
        scheduler.drain();
        QVERIFY(scheduler.submit(
                    {scored({5})}, [](const CompletionEvent&) {}, ticket) ==
                CompletionScheduler::Refusal::Closing);
    }
};

COSPADI_TEST(TestServing)

}  // namespace tst_serving

#include "tst_serving.moc"
