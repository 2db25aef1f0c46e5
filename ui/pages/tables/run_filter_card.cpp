#include "ui/pages/tables/run_filter_card.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QVBoxLayout>
#include <limits>

#include "ui/models/sweep.h"
#include "ui/pages/tables/field_rows.h"
#include "ui/pages/tables/value_box.h"

namespace cospadi::ui {

namespace {

QString numbersText(const std::vector<double>& numbers) {
    QStringList words;
    for (const double number : numbers) {
        words << QString::number(number);
    }
    return words.join(' ');
}

SweepValues numbersIn(const QLineEdit* field) {
    return parseValues(field->text(), 0, std::numeric_limits<double>::max(), false);
}

}  // namespace

RunFilterCard::RunFilterCard(QWidget* parent) : Card(tr("Runs to include"), parent) {
    auto* fields = new QWidget;
    auto* form = makeFieldRows(fields);
    m_method = addBox(form, "tableMethod", tr("Method"), tr("Only runs of this method"));
    m_cr = addField(form, "tableCr", tr("CR"), tr("any, or 0.2 0.3"));
    m_rho = addField(form, "tableRho", tr("ρ"), tr("any, or 1.5 2"));
    m_model = addBox(form, "tableModel", tr("Model"), tr("Only runs of this model"));
    m_layers = addBox(form, "tableLayers", tr("Layers"), tr("Only runs of these layers"));
    m_tag = addBox(form, "tableTag", tr("Tag"), tr("Only runs with this tag"));
    m_search = addField(form, "tableSearch", tr("Text"), tr("in name, tag or note"));
    m_starred = new QCheckBox(tr("only starred"));
    m_archived = new QCheckBox(tr("include archived"));
    form->addRow(QString(), m_starred);
    form->addRow(QString(), m_archived);
    connect(m_starred, &QCheckBox::toggled, this, &RunFilterCard::changed);
    connect(m_archived, &QCheckBox::toggled, this, &RunFilterCard::changed);
    body()->addWidget(fields);
}

ValueBox* RunFilterCard::addBox(QFormLayout* form, const char* name, const QString& label,
                                const QString& tip) {
    auto* box = new ValueBox;
    box->setObjectName(QString::fromLatin1(name));
    box->setToolTip(tip);
    form->addRow(label, box);
    connect(box, &QComboBox::currentIndexChanged, this, &RunFilterCard::changed);
    return box;
}

QLineEdit* RunFilterCard::addField(QFormLayout* form, const char* name, const QString& label,
                                   const QString& placeholder) {
    auto* field = new QLineEdit;
    field->setObjectName(QString::fromLatin1(name));
    field->setPlaceholderText(placeholder);
    field->setClearButtonEnabled(true);
    form->addRow(label, field);
    connect(field, &QLineEdit::textChanged, this, &RunFilterCard::changed);
    return field;
}

void RunFilterCard::setSelection(const RunSelection& runs) {
    m_others = runs;
    m_method->choose(QString::fromStdString(runs.filter.method));
    m_model->choose(QString::fromStdString(runs.filter.model));
    m_layers->choose(QString::fromStdString(runs.layers));
    m_tag->choose(QString::fromStdString(runs.filter.tag));
    m_cr->setText(numbersText(runs.cr));
    m_rho->setText(numbersText(runs.rho));
    m_search->setText(QString::fromStdString(runs.filter.text));
    m_starred->setChecked(runs.filter.starredOnly);
    m_archived->setChecked(runs.filter.includeArchived);
}

void RunFilterCard::setChoices(const TableChoices& choices) {
    m_method->setValues(choices.methods, tr("any"));
    m_model->setValues(choices.models, tr("any"));
    m_layers->setValues(choices.layers, tr("any"));
    m_tag->setValues(choices.tags, tr("any"));
}

RunSelection RunFilterCard::selection() const {
    RunSelection runs = m_others;
    runs.filter.method = m_method->value().toStdString();
    runs.filter.model = m_model->value().toStdString();
    runs.filter.tag = m_tag->value().toStdString();
    runs.filter.text = m_search->text().trimmed().toStdString();
    runs.filter.starredOnly = m_starred->isChecked();
    runs.filter.includeArchived = m_archived->isChecked();
    runs.layers = m_layers->value().toStdString();
    const auto numbers = [](const QLineEdit* field) {
        const SweepValues parsed = numbersIn(field);
        return std::vector<double>(parsed.values.begin(), parsed.values.end());
    };
    runs.cr = numbers(m_cr);
    runs.rho = numbers(m_rho);
    return runs;
}

QString RunFilterCard::problem() const {
    QString problem;
    for (const QLineEdit* field : {m_cr, m_rho}) {
        const SweepValues parsed = numbersIn(field);
        if (!parsed.problem.isEmpty()) {
            problem =
                QStringLiteral("%1: %2").arg(field == m_cr ? tr("CR") : tr("ρ"), parsed.problem);
        }
    }
    return problem;
}

}  // namespace cospadi::ui
