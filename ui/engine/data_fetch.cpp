#include "ui/engine/data_fetch.h"

#include <QJsonArray>

namespace cospadi::ui {

namespace {

const QLatin1String kJob("data-fetch");

}  // namespace

DataFetch::DataFetch(EngineClient* engine, QObject* parent) : QObject(parent), m_engine(engine) {}

void DataFetch::start(const QStringList& tasks) {
    if (isActive()) {
        return;
    }
    m_cancelling = false;
    m_reply = m_engine->request(QStringLiteral("fetch_data"),
                                {{QStringLiteral("job"), kJob},
                                 {QStringLiteral("tasks"), QJsonArray::fromStringList(tasks)}});
    connect(m_reply, &EngineReply::progressed, this,
            [this](const QJsonObject& event) { emit step(event["text"].toString()); });
    connect(m_reply, &EngineReply::finished, this, &DataFetch::takeResult);
    connect(m_reply, &EngineReply::failed, this, &DataFetch::takeFailure);
    emit changed();
}

void DataFetch::takeResult(const QJsonObject& result) {
    QStringList tasks;
    const QJsonArray entries = result["fetched"].toArray();
    for (const QJsonValue one : entries) {
        tasks << one["task"].toString();
    }
    emit changed();
    emit fetched(result["folder"].toString(), tasks);
}

void DataFetch::takeFailure(const EngineError& error) {
    const bool isWanted = m_cancelling && !error.engineIsGone;
    emit changed();
    if (!isWanted) {
        emit failed(error);
    }
}

void DataFetch::cancel() {
    if (isActive() && !m_cancelling) {
        m_cancelling = true;
        m_engine->request(QStringLiteral("cancel"), {{QStringLiteral("run"), kJob}});
    }
}

}  // namespace cospadi::ui
