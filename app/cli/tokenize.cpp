#include <fmt/format.h>

#include <iostream>
#include <iterator>

#include "app/cli/session.h"
#include "core/exports/compressed_model.h"

namespace cospadi::cli {

namespace {

struct TokenizeOptions {
    std::string model;
    std::string text;
    std::vector<std::int32_t> decode;
    bool special = false;
};

int tokenize(const Session& session, TokenizeOptions options) {
    const Model model = loadModelOrRun(options.model);
    const Tokenizer& tokenizer = model.tokenizer();
    if (!options.decode.empty()) {
        const std::string text = tokenizer.decode(options.decode);
        session.printExactly(text, {{"ids", options.decode}, {"text", text}});
        return kOk;
    }
    if (options.text == "-") {
        options.text.assign(std::istreambuf_iterator<char>(std::cin), {});
    }
    const std::vector<std::int32_t> ids = tokenizer.encode(options.text, options.special);
    std::string text;
    for (const std::int32_t id : ids) {
        text += fmt::format("{:>7}  \"{}\"\n", id, tokenizer.tokenText(id));
    }
    text += counted(static_cast<std::int64_t>(ids.size()), "token") + "\n";
    session.print(text, {{"ids", ids}, {"count", ids.size()}});
    return kOk;
}

}  // namespace

void addTokenize(Command app, Session& session) {
    const Command command = app.addCommand("tokenize", "Convert text to token ids, or ids to text");
    auto options = std::make_shared<TokenizeOptions>();
    command.addOption("MODEL", options->model, "Path, run, or the word default").required();
    const Argument text =
        command.addOption("TEXT", options->text, "The text, or - to read standard input");
    const Argument decode =
        command.addOption("--decode", options->decode, "Ids to convert to text, e.g. 504,2365")
            .delimiter(',');
    command.addFlag("--special", options->special,
                    "Parse strings such as <|im_start|> as a single id");
    text.excludes(decode);
    finishCommand(command, session, [&session, options, text] {
        if (text.count() == 0 && options->decode.empty()) {
            throw UsageError("neither text nor ids are given", "tokenize",
                             "add TEXT, - to read it from standard input, or --decode 1,2");
        }
        return tokenize(session, *options);
    });
}

}  // namespace cospadi::cli
