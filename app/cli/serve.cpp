#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "app/cli/session.h"
#include "core/base/error.h"
#include "core/base/folder_path.h"
#include "core/exports/compressed_model.h"
#include "core/exports/model_side_files.h"
#include "core/serving/model_server.h"

namespace cospadi::cli {

namespace {

struct ServeOptions {
    std::string model;
    std::string tokenFile;
    std::int64_t cacheMegabytes = 1024;
    std::int64_t workingMegabytes = 0;
    ServerOptions server;
};

constexpr const char* kTokenVariable = "COSPADI_TOKEN";

// As it comes in a header, which has no white space at its ends.
std::string trimmedToken(std::string token, const std::string& where) {
    constexpr const char* kSpace = " \t\r\n";
    token.erase(0, std::min(token.find_first_not_of(kSpace), token.size()));
    token.erase(token.find_last_not_of(kSpace) + 1);
    for (const char c : token) {
        if (static_cast<unsigned char>(c) < 0x21 || c == 0x7F) {
            throw Error("the token contains white space or control characters", where,
                        "no client could send it; use letters, digits and punctuation");
        }
    }
    return token;
}

// From a file or the environment; an option would show it to everyone who lists processes.
std::string secretToken(const std::string& file) {
    if (file.empty()) {
        const char* value = std::getenv(kTokenVariable);
        return value != nullptr ? trimmedToken(value, kTokenVariable) : "";
    }
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    if (!stream.is_open() || stream.bad()) {
        throw Error(fmt::format("cannot be read: {}", std::strerror(errno)), file,
                    "check that the file exists and is readable");
    }
    std::string token = trimmedToken(line, file);
    if (token.empty()) {
        throw Error("the first line contains no token", file, "write a token there");
    }
    return token;
}

int serve(const Session& session, ServeOptions options) {
    options.server.token = secretToken(options.tokenFile);
    options.server.scheduler.cacheBytes = options.cacheMegabytes * 1'000'000;
    options.server.scheduler.workingBytes = options.workingMegabytes * 1'000'000;
    options.server.scheduler.threads = 0;
    const std::filesystem::path run = runDirectoryOf(options.model);
    options.server.name = nameOfPath(run.empty() ? std::filesystem::path(options.model) : run);
    const Model model = loadModelOrRun(options.model);
    ModelServer server(model, tokenizerConfigOf(WeightSource::open(model.sourcePath())),
                       options.server);
    session.print(fmt::format("{} at {}/v1   (Ctrl-C stops after the active requests)\n",
                              options.server.name, server.url()),
                  {{"model", options.server.name}, {"url", server.url()}, {"port", server.port()}});
    server.serve(session.signals.token());
    const SchedulerCounts counts = server.counts();
    fmt::print(stderr, "{} completions, {} tokens computed, {} taken from the cache\n",
               counts.finished, counts.computedTokens, counts.cachedTokens);
    return kOk;
}

}  // namespace

void addServe(Command app, Session& session) {
    const Command command = app.addCommand(
        "serve", "Serve a model or run over HTTP by OpenAI's APIs for text and chat completions");
    auto options = std::make_shared<ServeOptions>();
    ServerOptions& s = options->server;
    command.addOption("MODEL", options->model, "Path, run, or the word default").required();
    command.addOption("--port", s.port, "Port; 0 selects a free one")
        .inRange(0, 65535)
        .showDefault();
    command
        .addOption("--host", s.address,
                   "Address to listen on; all but 127.0.0.1 and ::1 require a token")
        .showDefault();
    command.addOption("--token-file", options->tokenFile,
                      "Clients must send the first line of this file as Bearer token "
                      "[the environment variable COSPADI_TOKEN]");
    command.addOption(
        "--chat-template", s.chatTemplate,
        "Name of the chat template that renders messages (docs/serving.md) [the model's]");
    command
        .addOption("--max-prompt", s.maxPromptTokens,
                   "Longest prompt in tokens [the model's context]")
        .notNegative();
    command
        .addOption("--batch", s.scheduler.activeSequences, "Maximum completions computed together")
        .inRange(1, 4096)
        .showDefault();
    command.addOption("--connections", s.http.connections, "Maximum open connections")
        .inRange(1, 4096)
        .showDefault();
    command
        .addOption("--connections-per-address", s.http.connectionsPerAddress,
                   "Maximum open connections per address, if --host admits other machines")
        .inRange(1, 4096)
        .showDefault();
    command
        .addOption("--working-memory", options->workingMegabytes,
                   "Memory in MB for keys and values of active completions; further ones wait "
                   "[half of the free memory]")
        .inRange(0, 100'000'000);
    command
        .addOption("--cache", options->cacheMegabytes,
                   "Memory in MB for recently computed prompts; 0: none")
        .inRange(0, 1'000'000)
        .showDefault();
    finishCommand(command, session, [&session, options] { return serve(session, *options); });
}

}  // namespace cospadi::cli
