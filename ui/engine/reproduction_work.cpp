#include "ui/engine/reproduction_work.h"

#include <QStringList>

#include "ui/engine/command_line.h"

namespace cospadi::ui {

namespace {

const QLatin1String kReproductionJob("reproduction");

}  // namespace

QString reproduceCommand(const ReproductionQuestion& question) {
    const QString model = question.model.isEmpty() ? QStringLiteral("MODEL") : question.model;
    return QStringLiteral("cospadi reproduce %1 %2%3")
        .arg(shellQuoted(question.label), shellQuoted(model),
             question.size == ProtocolSize::Full
                 ? QString()
                 : QStringLiteral(" --%1").arg(QLatin1String(name(question.size))));
}

ReproductionWork::ReproductionWork(EngineClient* engine, QObject* parent)
    : QObject(parent), m_engine(engine) {}

void ReproductionWork::start(const ReproductionQuestion& question) {
    if (isActive()) {
        return;
    }
    m_question = question;
    m_states.clear();
    m_holes.clear();
    m_cancelling = false;
    m_reply =
        m_engine->request(QStringLiteral("reproduce"),
                          {{QStringLiteral("job"), kReproductionJob},
                           {QStringLiteral("label"), question.label},
                           {QStringLiteral("model"), question.model},
                           {QStringLiteral("size"), QString::fromLatin1(name(question.size))}});
    connect(m_reply, &EngineReply::progressed, this, &ReproductionWork::takeEvent);
    connect(m_reply, &EngineReply::finished, this, [this](const QJsonObject& result) {
        emit changed();
        emit finished(result[QStringLiteral("holes")].toInt());
    });
    connect(m_reply, &EngineReply::failed, this, &ReproductionWork::takeFailure);
    emit changed();
}

void ReproductionWork::takeEvent(const QJsonObject& event) {
    const QString kind = event[QStringLiteral("event")].toString();
    const int run = event[QStringLiteral("run")].toInt();
    if (kind == QLatin1String("reproduce_progress")) {
        emit progressed(run, event[QStringLiteral("stage")].toString(),
                        event[QStringLiteral("done")].toInteger(),
                        event[QStringLiteral("total")].toInteger());
    } else if (kind == QLatin1String("reproduce_run")) {
        const QString state = event[QStringLiteral("state")].toString();
        const QString hole = event[QStringLiteral("hole")].toString();
        m_states[run] = state;
        if (!hole.isEmpty()) {
            m_holes[run] = hole;
        }
        emit changed();
        if (state != QLatin1String("running")) {
            emit runEnded();
        }
    }
}

void ReproductionWork::takeFailure(const EngineError& error) {
    const bool isWanted = m_cancelling && !error.engineIsGone;
    emit changed();
    if (isWanted) {
        emit cancelled();
    } else {
        emit failed(error);
    }
}

void ReproductionWork::cancel() {
    if (isActive() && !m_cancelling) {
        m_cancelling = true;
        m_engine->request(QStringLiteral("cancel"), {{QStringLiteral("run"), kReproductionJob}});
    }
}

}  // namespace cospadi::ui
