#include "core/tokenizer/post_processor.h"

#include "core/base/error.h"
#include "core/tokenizer/tokenizer_fields.h"

namespace cospadi {

namespace {

void readTemplate(const nlohmann::json& processor, TokensAround& around, const std::string& where) {
    TokensAround mine;
    bool textSeen = false;
    for (const nlohmann::json& piece : fields::list(processor, "single", where)) {
        if (!fields::member(piece, "Sequence").is_null()) {
            if (textSeen) {
                fields::fail("the template of the post-processor repeats the text", where);
            }
            textSeen = true;
            continue;
        }
        const std::string name =
            fields::text(fields::required(piece, "SpecialToken", where), "id", where);
        const nlohmann::json& token =
            fields::required(fields::member(processor, "special_tokens"), name.c_str(), where);
        for (const nlohmann::json& id : fields::list(token, "ids", where)) {
            (textSeen ? mine.after : mine.before)
                .push_back(fields::smallInteger(id, "special_tokens.ids", where));
        }
    }
    if (!textSeen) {
        fields::fail("the template of the post-processor leaves the text out", where);
    }
    around.before.insert(around.before.begin(), mine.before.begin(), mine.before.end());
    around.after.insert(around.after.end(), mine.after.begin(), mine.after.end());
}

void read(const nlohmann::json& processor, TokensAround& around, const std::string& where) {
    const std::string type = fields::typeOf(processor);
    if (type == "Sequence") {
        for (const nlohmann::json& part : fields::list(processor, "processors", where)) {
            read(part, around, where);
        }
    } else if (type == "TemplateProcessing") {
        readTemplate(processor, around, where);
    } else if (type != "ByteLevel") {
        throw Error("the post-processor \"" + type + "\" is not supported", where,
                    "supported: none, TemplateProcessing, ByteLevel, Sequence");
    }
}

}  // namespace

TokensAround readPostProcessor(const nlohmann::json& specification, const std::string& where) {
    TokensAround around;
    if (!specification.is_null()) {
        read(specification, around, where);
    }
    return around;
}

}  // namespace cospadi
