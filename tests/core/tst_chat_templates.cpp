// Chat templates against what Hugging Face's renderer made of the same texts and conversations.
#include <QProcess>
#include <QRegularExpression>
#include <QtTest>
#include <map>
#include <set>

#include "core/exports/model_side_files.h"
#include "core/serving/chat_api.h"
#include "core/tokenizer/chat_template.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_chat_templates {

using namespace cospadi;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const fs::path kData = COSPADI_TEST_DATA "/chat_templates";

json dataOf(const char* file) { return json::parse(oracle::text(kData / file)); }

std::string templateText(const std::string& name) {
    return oracle::text(kData / (name + ".jinja"));
}

std::vector<ChatMessage> messagesOf(const json& conversation) {
    std::vector<ChatMessage> messages;
    for (const json& message : conversation.at("messages")) {
        messages.push_back({message.at("role"), message.at("content")});
    }
    return messages;
}

// What a conversation sets, as far as the template knows it: Jinja ignores the rest.
ChatSettings settingsOf(const json& conversation, const std::string& name) {
    const json given = conversation.value("settings", json::object());
    ChatSettings settings;
    if (name == "qwen3" && given.contains("enable_thinking")) {
        settings.enableThinking = given["enable_thinking"].get<bool>();
    }
    if (name == "llama-3.1" || name == "llama-3.2") {
        settings.dateString = given.value("date_string", name == "llama-3.2" ? "24 Nov 2026" : "");
    }
    return settings;
}

}  // namespace

class TestChatTemplates : public QObject {
    Q_OBJECT

  private slots:
    void rendersAsJinja_data() {
        QTest::addColumn<QString>("file");
        const json all = dataOf("renderings.json");
        for (const auto& [file, renderings] : all.items()) {
            QTest::newRow(file.c_str()) << QString::fromStdString(file);
        }
    }

    void rendersAsJinja() {
        QFETCH(const QString, file);
        const ChatTemplate chat =
            ChatTemplate::ofText(templateText(file.toStdString()), {"<s>", "</s>"});
        const json expected = dataOf("renderings.json").at(file.toStdString());
        const json conversations = dataOf("conversations.json");
        QCOMPARE(expected.size(), conversations.size());
        for (const auto& [name, conversation] : conversations.items()) {
            json found;
            try {
                found["text"] =
                    chat.render(messagesOf(conversation), settingsOf(conversation, chat.name()));
            } catch (const Error& error) {
                QCOMPARE(error.where(), std::string("messages"));
                found["error"] = error.problem();
            }
            QVERIFY2(
                found == expected.at(name),
                (name + ": " + found.dump() + "\ninstead of\n" + expected.at(name).dump()).c_str());
        }
    }

    // The recorded renderings are those of the library as it is now.
    void recordedAsTheLibraryRenders() {
        const QString python = qEnvironmentVariable("COSPADI_PYTHON");
        if (python.isEmpty() || QProcess::execute(python, {"-c", "import jinja2"}) != 0) {
            QSKIP("COSPADI_PYTHON names no Python with jinja2");
        }
        QProcess process;
        process.start(python, {COSPADI_SOURCE_DIR "/tests/python/render_chat_templates.py",
                               QString::fromStdString(kData.string())});
        QVERIFY(process.waitForFinished(120'000));
        const QByteArray said = process.readAllStandardOutput();
        QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
        QVERIFY(json::parse(said.toStdString()) == dataOf("renderings.json"));
    }

    // Every name of the list has its text here, so that none is unproved.
    void everyFormatIsProved() {
        std::set<std::string> proved;
        const json all = dataOf("renderings.json");
        for (const auto& [file, renderings] : all.items()) {
            proved.insert(ChatTemplate::ofText(templateText(file), {}).name());
        }
        const auto names = ChatTemplate::names();
        QCOMPARE(proved, std::set<std::string>(names.begin(), names.end()));
    }

    // White space within tags, comments and the newline at the end make no other template; one
    // character of its text, or of what its tags do, does.
    void recognisedAsAWhole() {
        const std::string text = templateText("llama-3.2");
        const auto with = [&](const std::string& what, const std::string& by) {
            std::string changed = text;
            changed.replace(changed.find(what), what.size(), by);
            return changed;
        };
        for (const std::string& same :
             {text + "\n", with("{%- if custom_tools is", "{%-   if custom_tools\n is"),
              with("{#- System message #}", "{#- Another comment. #}")}) {
            QCOMPARE(ChatTemplate::ofText(same, {}).name(), std::string("llama-3.2"));
        }
        for (const std::string& other :
             {with("Cutting Knowledge", "cutting Knowledge"), with("{{- bos_token }}", ""),
              with("{{- bos_token }}", "{{ bos_token }}"), with("{#- System", "{# System"),
              std::string("{{ messages }}"), std::string("{{"), std::string("{#"),
              std::string("{{ '"), std::string()}) {
            const QString error = oracle::errorOf([&] { ChatTemplate::ofText(other, {}); });
            QVERIFY2(error.contains("not one of the known ones") && error.contains("qwen3") &&
                         error.contains("--chat-template"),
                     qPrintable(error));
        }
        // ChatML's own system message is part of no name: it is read from the text.
        std::string named = templateText("chatml-default-system");
        const std::string words = "You are a helpful AI assistant named SmolLM";
        named.replace(named.find(words), words.size(), "You are née ☃");
        QVERIFY(ChatTemplate::ofText(named, {})
                    .render({{"user", "x"}})
                    .starts_with("<|im_start|>system\nYou are née ☃, trained by"));
    }

    void settingsThatATemplateLacks() {
        const ChatTemplate chat = ChatTemplate::named("zephyr", {"<s>", "</s>"});
        for (const ChatSettings& settings : {ChatSettings{true, {}}, ChatSettings{{}, "today"}}) {
            const QString error = oracle::errorOf([&] { chat.render({{"user", "x"}}, settings); });
            QVERIFY2(error.contains("chat_template_kwargs"), qPrintable(error));
        }
        QVERIFY(oracle::errorOf([] { ChatTemplate::named("alpaca", {}); }).contains("deepseek-r1"));
        // Of the day, where nobody says which: any, but one.
        QVERIFY(QRegularExpression("Today Date: \\d\\d [A-Z][a-z]{2} \\d{4}\n")
                    .match(QString::fromStdString(
                        ChatTemplate::named("llama-3.2", {}).render({{"user", "x"}})))
                    .hasMatch());
    }

    // What a model's files say: text, a list of named texts, tokens as text or objects.
    void fromATokenizerConfig() {
        const std::string zephyr = templateText("zephyr");
        const json config{{"eos_token", {{"content", "</x>"}, {"lstrip", false}}},
                          {"bos_token", nullptr},
                          {"chat_template",
                           {{{"name", "tool_use"}, {"template", "{{ tools }}"}},
                            {{"name", "default"}, {"template", zephyr}}}}};
        QCOMPARE(chatTemplateOf(config).render({{"user", "a"}}),
                 std::string("<|user|>\na</x>\n<|assistant|>\n"));
        QCOMPARE(chatTemplateText(config), json(zephyr));
        QCOMPARE(chatTemplateOf(config, "chatml").name(), std::string("chatml"));
        for (const json& none :
             {json::object(), json{{"chat_template", nullptr}},
              json{{"chat_template", {{{"name", "rag"}, {"template", zephyr}}}}}}) {
            const QString error = oracle::errorOf([&] { chatTemplateOf(none); });
            QVERIFY2(error.contains("has no chat template"), qPrintable(error));
        }
    }

    void ofTheDefaultModel() {
        SKIP_WITHOUT_MODEL();
        const auto source = WeightSource::open(*oracle::defaultModel());
        const ChatTemplate chat = chatTemplateOf(tokenizerConfigOf(source));
        QCOMPARE(chat.name(), std::string("chatml"));
        const json expected = dataOf("renderings.json").at("chatml-default-system");
        QCOMPARE(chat.render({{"user", "Who are you?"}}),
                 expected.at("question").at("text").get<std::string>());
    }
};

COSPADI_TEST(TestChatTemplates)

}  // namespace tst_chat_templates

#include "tst_chat_templates.moc"
