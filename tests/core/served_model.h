// A small random model with a tokenizer, and a server for it, as the tests of serving need them.
#pragma once

#include <QTemporaryDir>
#include <thread>

#include "core/serving/model_server.h"
#include "oracle_data.h"

namespace served {

// Makes a model folder below `folder`: the weights of a reference model, a byte-level tokenizer of
// 300 tokens beside its 512 embeddings.
inline cospadi::Model model(const QTemporaryDir& folder, const std::string& name = "a_llama_gqa") {
    namespace fs = std::filesystem;
    const fs::path place = fs::path(folder.path().toStdString()) / name;
    if (!fs::exists(place)) {
        fs::create_directories(place);
        const fs::path source = oracle::file("arch/" + name);
        for (const char* file : {"config.json", "model.safetensors"}) {
            fs::copy_file(source / file, place / file);
        }
        fs::copy_file(COSPADI_TEST_DATA "/fuzz/byte_level.json", place / "tokenizer.json");
    }
    return cospadi::Model::load(place);
}

// Serves until it goes out of scope.
class Server {
  public:
    explicit Server(const cospadi::Model& model, cospadi::ServerOptions options = {},
                    const nlohmann::json& tokenizerConfig = {{"eos_token", "<|end|>"}})
        : m_server(model, tokenizerConfig, withFreePort(options)),
          m_thread([this](const std::stop_token& stop) { m_server.serve(stop); }) {}

    cospadi::ModelServer* operator->() { return &m_server; }
    int port() const { return m_server.port(); }
    void stop() {
        m_thread.request_stop();
        m_thread.join();
    }
    void requestStop() { m_thread.request_stop(); }

  private:
    static cospadi::ServerOptions withFreePort(cospadi::ServerOptions options) {
        options.port = options.port == 8080 ? 0 : options.port;
        return options;
    }
    cospadi::ModelServer m_server;
    std::jthread m_thread;
};

}  // namespace served
