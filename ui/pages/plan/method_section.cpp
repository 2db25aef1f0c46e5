#include "ui/pages/plan/method_section.h"

#include <QComboBox>
#include <QFormLayout>
#include <QPushButton>

#include "core/methods/method.h"
#include "core/store/paper_preset.h"
#include "core/store/shared_settings.h"
#include "ui/base/help_words.h"
#include "ui/pages/plan/own_option_fields.h"
#include "ui/pages/plan/plan_help.h"

namespace cospadi::ui {

MethodSection::MethodSection(QFormLayout* form, PlanHelp* help, QObject* parent)
    : PlanSection(form, help, parent) {
    makePaper();
    makeMethod();
    m_ownOptions = new OwnOptionFields(
        form,
        [help](QWidget* field, const QString& symbol, const QString& words) {
            help->explain(field, symbol, words);
        },
        this);
    connect(m_ownOptions, &OwnOptionFields::changed, this,
            [this] { emit changed(tr("method's options")); });
}

void MethodSection::makePaper() {
    m_paper = new QPushButton;
    nameAndExplain(
        m_paper,
        {"paperSettings", tr("The paper's settings"), tr("The paper's settings (Table 8)"),
         tr("K-SVD 60 × 8 begun with columns of W, dead atoms kept, coefficients truncated to 14 "
            "bits, eq 11, ρ 2, seed 42, calibration on 256 × 1024 tokens. Of CR and layers it "
            "says nothing. The text is C4 and other text of the web, not RefinedWeb as in the "
            "paper. A field changed afterwards makes it another plan.")});
    connect(m_paper, &QPushButton::clicked, this, &MethodSection::paperRequested);
    form()->addRow(QString(), m_paper);
    m_effort = new QComboBox;
    for (const Effort effort : {Effort::Quick, Effort::Usual, Effort::Best}) {
        m_effort->addItem(helpWords(name(effort)), QString::fromUtf8(name(effort)));
    }
    m_effort->setPlaceholderText(tr("settings of one's own"));
    nameAndExplain(
        m_effort,
        {"effort", tr("Effort"), tr("Effort"),
         tr("How much time the run may take for its quality. quick: 10 iterations, and 16 "
            "sequences of calibration text. usual: what stands here at first. best: 256 "
            "sequences, and layers of neighbouring blocks share dictionaries by what their errors "
            "cost; where they cannot, CR by sensitivity and ρ by matrix, in 60 iterations. It "
            "fills the fields below; each may be changed afterwards.")});
    connect(m_effort, &QComboBox::activated, this, [this](int index) {
        emit effortRequested(effortFromName(m_effort->itemData(index).toString().toStdString()));
    });
    form()->addRow(tr("Effort"), m_effort);
}

void MethodSection::makeMethod() {
    QList<FieldChoice> choices;
    for (auto method = methods().rbegin(); method != methods().rend(); ++method) {
        if (*method != &denseMethod()) {
            choices.append({QString::fromUtf8((*method)->title()), (*method)->name(),
                            helpWords((*method)->summary())});
        }
    }
    m_method = makeChoice(
        {"method", tr("Method"), tr("Method (§3)"),
         tr("How a weight W is replaced by something smaller. CoSpaDi: a dictionary D and sparse "
            "codes S learned on the whitened weight, L W ≈ D S; every other choice says in a line "
            "what it does. The data-free ones leave out L.")},
        choices, tr("method"));
    m_solver = makeChoice(
        {"solver", tr("Solver"), tr("Solver (Algorithm 1)"),
         tr("K-SVD: orthogonal matching pursuit and K-SVD in turn, the paper's algorithm; minutes "
            "a matrix. fast: thresholding and least squares in turn; seconds a matrix, and a "
            "lower error.")},
        {{tr("fast"), "fast", tr("Thresholding and least squares: seconds a matrix, lower error")},
         {tr("K-SVD"), "ksvd",
          tr("OMP and K-SVD, Algorithm 1: the slow reference, minutes a matrix")}},
        tr("solver"));
    form()->addRow(tr("Method"), inRow({m_method, m_solver}));
}

void MethodSection::writeTo(RunSpecification& plan) const {
    plan.method = &methodFromName(chosen(m_method));
    setSetting(plan, "solver", chosen(m_solver));
    plan.own = m_ownOptions->valuesFor(methodOf(plan));
}

void MethodSection::show(const RunSpecification& plan) {
    choose(m_method, plan.method->name());
    choose(m_solver, wordOf(plan, "solver"));
    m_ownOptions->setValues(methodOf(plan), plan.own);
}

void MethodSection::enableWhatCounts(const RunSpecification& plan) {
    const Method& method = methodOf(plan);
    enable({m_solver}, method.uses("solver"));
    m_ownOptions->showFor(plan);
    const bool paper = isPaper(plan);
    m_paper->setEnabled(!paper);
    const std::optional<Effort> effort = effortOf(plan);
    m_effort->setCurrentIndex(effort ? m_effort->findData(QString::fromUtf8(name(*effort))) : -1);
    m_paper->setText(paper ? tr("These are the paper's settings") : tr("Use the paper's settings"));
}

}  // namespace cospadi::ui
