#include "ui/pages/plan/method_section.h"

#include <QComboBox>
#include <QFormLayout>
#include <QPushButton>

#include "core/methods/method.h"
#include "core/store/paper_preset.h"
#include "ui/base/help_words.h"
#include "ui/pages/plan/setting_fields.h"

namespace cospadi::ui {

MethodSection::MethodSection(QFormLayout* form, SettingFields* settings, PlanHelp* help,
                             QObject* parent)
    : PlanSection(form, help, parent) {
    makePaper();
    makeMethod(settings);
}

void MethodSection::makePaper() {
    m_paper = new QPushButton;
    nameAndExplain(
        m_paper,
        {"paperSettings", tr("The paper's settings"), tr("The paper's settings (Table 8)"),
         tr("K-SVD 60 × 8 started from columns of W, dead atoms kept, coefficients truncated to 14 "
            "bits, eq 11, ρ 2, seed 42, calibration on 256 × 1024 tokens. It does not set CR or "
            "layers. The text is C4 and other web text, not RefinedWeb as in the paper. Changing a "
            "field afterwards makes it a different plan.")});
    connect(m_paper, &QPushButton::clicked, this, &MethodSection::paperRequested);
    form()->addRow(QString(), m_paper);
    m_effort = new QComboBox;
    for (const Effort effort : {Effort::Quick, Effort::Usual, Effort::Best}) {
        m_effort->addItem(helpWords(name(effort)), QString::fromUtf8(name(effort)));
    }
    m_effort->setPlaceholderText(tr("custom settings"));
    nameAndExplain(
        m_effort,
        {"effort", tr("Effort"), tr("Effort"),
         tr("How much time the run may spend on quality. quick: 10 iterations, and 16 sequences of "
            "calibration text. usual: the defaults. best: 256 sequences, and layers of "
            "neighbouring blocks share dictionaries according to what their errors cost; where "
            "they cannot, CR by sensitivity and ρ per matrix, with 60 iterations. This fills in "
            "the fields below; each can be changed afterwards.")});
    connect(m_effort, &QComboBox::activated, this, [this](int index) {
        emit effortRequested(effortFromName(m_effort->itemData(index).toString().toStdString()));
    });
    form()->addRow(tr("Effort"), m_effort);
}

void MethodSection::makeMethod(SettingFields* settings) {
    QList<FieldChoice> choices;
    for (auto method = methods().rbegin(); method != methods().rend(); ++method) {
        if (*method != &denseMethod()) {
            choices.append({QString::fromUtf8((*method)->title()), (*method)->name(),
                            helpWords((*method)->summary())});
        }
    }
    m_method =
        makeChoice({"method", tr("Method"), tr("Method (§3)"),
                    tr("How a weight W is replaced by something smaller. CoSpaDi: a dictionary D "
                       "and sparse codes S learned on the whitened weight, L W ≈ D S; every other "
                       "choice is described in a line. Data-free methods omit L.")},
                   choices, tr("method"));
    form()->addRow(tr("Method"), inRow({m_method, settings->field("solver")}));
}

void MethodSection::writeTo(RunSpecification& plan) const {
    plan.method = &methodFromName(chosen(m_method));
}

void MethodSection::show(const RunSpecification& plan) { choose(m_method, plan.method->name()); }

void MethodSection::enableWhatCounts(const RunSpecification& plan) {
    const bool paper = isPaper(plan);
    m_paper->setEnabled(!paper);
    const std::optional<Effort> effort = effortOf(plan);
    m_effort->setCurrentIndex(effort ? m_effort->findData(QString::fromUtf8(name(*effort))) : -1);
    m_paper->setText(paper ? tr("These are the paper's settings") : tr("Use the paper's settings"));
}

}  // namespace cospadi::ui
