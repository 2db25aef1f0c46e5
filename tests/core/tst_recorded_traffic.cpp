// Traffic of lm-eval that another server answered, against this one.
#include <cmath>

#include "http_client.h"
#include "served_model.h"
#include "tests/registered_test.h"

namespace tst_recorded_traffic {

using namespace cospadi;
using nlohmann::json;

namespace {

// Numbers within `tolerance`, all else equal. Fields that depend on the moment are left out, and
// those where the recorded server did more than it was asked (it generated past its stop string).
QString difference(const json& expected, const json& found, double tolerance,
                   const std::string& path = "") {
    if (expected.is_number_float() && found.is_number_float()) {
        const double apart = std::abs(expected.get<double>() - found.get<double>());
        return apart <= tolerance ? QString()
                                  : QString::fromStdString(path) + QString(" by %1").arg(apart);
    }
    if (expected.is_structured() && found.type() == expected.type() &&
        (expected.is_object() || found.size() == expected.size())) {
        for (const auto& [key, value] : expected.items()) {
            if (key == "created" || key == "id" || key == "max_model_len" || key == "usage") {
                continue;
            }
            const json missing = "missing";
            const json& other = expected.is_array()   ? found[std::stoul(key)]
                                : found.contains(key) ? found[key]
                                                      : missing;
            const QString apart = difference(value, other, tolerance, path + "/" + key);
            if (!apart.isEmpty()) {
                return apart;
            }
        }
        return {};
    }
    return expected == found
               ? QString()
               : QString::fromStdString(path + ": " + expected.dump() + ", not " + found.dump());
}

}  // namespace

class TestRecordedTraffic : public QObject {
    Q_OBJECT

  private slots:
    // What lm-eval 0.4.13 sent to another server, and what that answered.
    void recordedTraffic() {
        SKIP_WITHOUT_MODEL();
        const Model model = Model::load(*oracle::defaultModel());
        const json samples = oracle::json("http_samples.json");
        const json info = samples.at(0).at("response");
        ServerOptions options;
        options.port = 0;
        ModelServer server(model, info, options);
        const std::jthread thread([&](const std::stop_token& stop) { server.serve(stop); });
        http::Client client(server.port());
        int compared = 0;
        for (const json& sample : samples) {
            const std::string method = sample.at("method");
            const std::string path = sample.at("path");
            std::string headers;
            for (const auto& [name, value] : sample.at("headers").items()) {
                headers += name + ": " + value.get<std::string>() + "\r\n";
            }
            client.send(method == "GET" ? "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                        : http::post(path, sample.at("body").dump(), headers));
            const http::Answer answer = client.answer();
            QCOMPARE(answer.status, sample.at("status").get<int>());
            const json found = answer.json();
            const QString apart = difference(sample.at("response"), found, 1e-3);
            QVERIFY2(apart.isEmpty(), qPrintable(QString::fromStdString(path) + apart));
            if (path == "/v1/completions") {
                QCOMPARE(found["usage"]["prompt_tokens"],
                         sample["response"]["usage"]["prompt_tokens"]);
            }
            ++compared;
        }
        QCOMPARE(compared, 8);
    }
};

COSPADI_TEST(TestRecordedTraffic)

}  // namespace tst_recorded_traffic

#include "tst_recorded_traffic.moc"
