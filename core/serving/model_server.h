// A model behind HTTP: OpenAI's completions of texts and of chats, and the tokenizer endpoints that
// lm-eval's `tokenizer_backend=remote` asks for. Every path, field and error: docs/serving.md.
//
// Reachable from this machine only, unless a token is set, which every request must then carry.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

#include "core/serving/completion_scheduler.h"
#include "core/serving/http_message.h"

namespace cospadi {

struct ServerOptions {
    std::string name = "model";  // in /v1/models
    std::string address = "127.0.0.1";
    int port = 8080;    // 0: any free one
    std::string token;  // empty: none is asked for
    HttpLimits http;
    SchedulerOptions scheduler;
    std::int64_t maxPromptTokens = 0;  // 0: the model's context length
    std::string chatTemplate;          // one of ChatTemplate::names(); empty: the model's own
};

class ModelServer {
  public:
    // The model must outlive the server. tokenizerConfig: the tokenizer_config.json of the model
    // (tokenizerConfigOf()). Binds at once; throws Error for a port that is taken, an address that
    // others can reach without a token, a model without a tokenizer, and a chat
    // template that is named and not known; a model without one serves texts.
    ModelServer(const Model& model, const nlohmann::json& tokenizerConfig,
                const ServerOptions& options);
    ~ModelServer();
    ModelServer(const ModelServer&) = delete;
    ModelServer& operator=(const ModelServer&) = delete;

    int port() const;
    std::string url() const;  // http://127.0.0.1:8080
    SchedulerCounts counts() const;

    // Serves until a stop is asked for; what is in flight then is finished.
    void serve(const std::stop_token& stop);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace cospadi
