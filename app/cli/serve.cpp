#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "app/cli/session.h"
#include "core/base/error.h"
#include "core/exports/compressed_model.h"
#include "core/exports/model_side_files.h"
#include "core/serving/model_server.h"

namespace cospadi::cli {

namespace {

struct Options {
    std::string model;
    std::string tokenFile;
    std::int64_t cacheMegabytes = 1024;
    std::int64_t workingMegabytes = 0;
    ServerOptions server;
};

// From a file or the environment; an option would show it to everyone who lists processes.
std::string secretToken(const std::string& file) {
    if (file.empty()) {
        const char* value = std::getenv("COSPADI_TOKEN");
        return value != nullptr ? value : "";
    }
    std::ifstream stream(file);
    std::string token;
    if (!std::getline(stream, token) || token.empty()) {
        throw Error("no token can be read from the first line", file, "write one there");
    }
    return token;
}

int serve(const Session& session, Options options) {
    options.server.token = secretToken(options.tokenFile);
    options.server.scheduler.cacheBytes = options.cacheMegabytes * 1'000'000;
    options.server.scheduler.workingBytes = options.workingMegabytes * 1'000'000;
    options.server.scheduler.threads = 0;
    const std::filesystem::path run = runDirectoryOf(options.model);
    options.server.name =
        std::filesystem::absolute(run.empty() ? std::filesystem::path(options.model) : run)
            .lexically_normal()
            .filename()
            .string();
    const Model model = loadModelOrRun(options.model);
    ModelServer server(model, tokenizerConfigOf(WeightSource::open(model.sourcePath())),
                       options.server);
    session.print(fmt::format("{} at {}/v1/completions   (Ctrl-C ends, after what is in flight)\n",
                              options.server.name, server.url()),
                  {{"model", options.server.name}, {"url", server.url()}, {"port", server.port()}});
    server.serve(session.signals.token());
    const SchedulerCounts counts = server.counts();
    fmt::print(stderr, "{} completions, {} tokens computed, {} taken from the cache\n",
               counts.finished, counts.computedTokens, counts.cachedTokens);
    return kOk;
}

}  // namespace

void addServe(CLI::App& app, Session& session) {
    auto* command =
        app.add_subcommand("serve", "A model or run behind OpenAI's text completions over HTTP");
    auto options = std::make_shared<Options>();
    ServerOptions& s = options->server;
    command->add_option("MODEL", options->model, "Path, run, or the word default")->required();
    command->add_option("--port", s.port, "0 takes any that is free")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    command
        ->add_option("--host", s.address,
                     "Address to listen on; others than 127.0.0.1 and ::1 "
                     "need a token")
        ->capture_default_str();
    command->add_option("--token-file", options->tokenFile,
                        "Clients must send the first line of this file as Bearer token "
                        "[the environment variable COSPADI_TOKEN]");
    command
        ->add_option("--max-prompt", s.maxPromptTokens,
                     "Longest prompt in tokens [the model's context]")
        ->check(CLI::NonNegativeNumber);
    command->add_option("--batch", s.scheduler.activeSequences, "Completions computed together")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    command->add_option("--connections", s.http.connections, "Open at the same time")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    command
        ->add_option("--connections-per-address", s.http.connectionsPerAddress,
                     "Of these, from one address, where --host lets others in")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    command
        ->add_option("--working-memory", options->workingMegabytes,
                     "MB of memory for keys and values of completions under way; what would come "
                     "to more waits [half of what is free]")
        ->check(CLI::Range(0, 100'000'000));
    command
        ->add_option("--cache", options->cacheMegabytes,
                     "MB of memory for prompts computed lately; 0: none")
        ->check(CLI::Range(0, 1'000'000))
        ->capture_default_str();
    finishCommand(command, session, [&session, options] { return serve(session, *options); });
}

}  // namespace cospadi::cli
