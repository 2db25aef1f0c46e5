#include "ui/engine/data_fetch.h"

#include <QJsonArray>

namespace cospadi::ui {

namespace {

const QLatin1String kJob("data-fetch");

}  // namespace

DataFetch::DataFetch(EngineClient* engine, QObject* parent) : QObject(parent), m_engine(engine) {
    connect(engine, &EngineClient::eventReceived, this, [this](const QJsonObject& event) {
        if (m_request != 0 && event["job"].toString() == kJob) {
            emit step(event["text"].toString());
        }
    });
    connect(engine, &EngineClient::replied, this, [this](int id, const QJsonObject& result) {
        if (m_request != 0 && id == m_request) {
            QStringList tasks;
            for (const QJsonValue& one : result["fetched"].toArray()) {
                tasks << one["task"].toString();
            }
            end();
            emit fetched(result["folder"].toString(), tasks);
        }
    });
    connect(engine, &EngineClient::refused, this, [this](int id, const EngineError& error) {
        if (m_request != 0 && id == m_request) {
            const bool isWanted = m_cancelling;
            end();
            if (!isWanted) {
                emit failed(error);
            }
        }
    });
    connect(engine, &EngineClient::died, this, [this](const EngineError& error) {
        if (m_request != 0) {
            end();
            emit failed(error);
        }
    });
}

void DataFetch::start(const QStringList& tasks) {
    if (m_request != 0) {
        return;
    }
    m_request = m_engine->request(QStringLiteral("fetch_data"),
                                  {{QStringLiteral("job"), kJob},
                                   {QStringLiteral("tasks"), QJsonArray::fromStringList(tasks)}});
    emit changed();
}

void DataFetch::cancel() {
    if (m_request != 0 && !m_cancelling) {
        m_cancelling = true;
        m_engine->request(QStringLiteral("cancel"), {{QStringLiteral("run"), kJob}});
    }
}

void DataFetch::end() {
    m_request = 0;
    m_cancelling = false;
    emit changed();
}

}  // namespace cospadi::ui
