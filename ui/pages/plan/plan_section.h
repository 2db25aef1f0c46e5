// A section of the plan's form: fields, each with its help, in rows of a layout that several
// sections may share, so that their labels stand in one column. A section knows its fields, gives
// and takes their values, and says which of them count.
#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <initializer_list>
#include <string>

class QAbstractSpinBox;
class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLineEdit;
class QSpinBox;
class QWidget;

namespace cospadi::ui {

class PlanHelp;
class SliderSpin;

struct FieldWords {
    const char* name = "";  // of the widget
    QString title;          // as a screen reader says it
    QString symbol;         // the paper's, with the place where it stands; heads the help
    QString help;
};

struct FieldChoice {
    QString label;
    const char* value;  // as a specification has it
    QString tip;
};

class PlanSection : public QObject {
    Q_OBJECT

  public:
    PlanSection(QFormLayout* form, PlanHelp* help, QObject* parent);

    static QWidget* inRow(std::initializer_list<QWidget*> widgets);

  signals:
    // what: the field, as the step back is called.
    void changed(const QString& what);

  protected:
    // Fields that are named and explained, and tell of their changes as `what`.
    QComboBox* makeChoice(const FieldWords& words, const QList<FieldChoice>& choices,
                          const QString& what);
    QSpinBox* makeSpin(const FieldWords& words, int least, int greatest, int value,
                       const QString& what);
    QDoubleSpinBox* makeFraction(const FieldWords& words, double least, double greatest,
                                 double step, const QString& what);
    SliderSpin* makeSlider(const FieldWords& words, double least, double greatest, double step,
                           double value, const QString& what);
    QLineEdit* makeLine(const FieldWords& words, const QString& placeholder, const QString& what);
    QCheckBox* makeCheck(const FieldWords& words, const QString& label, const QString& what);
    void nameAndExplain(QWidget* field, const FieldWords& words);

    // Return selects the whole number, which then looks like something the user should act on.
    static void keepUnselected(QAbstractSpinBox* spin);
    static void enable(std::initializer_list<QWidget*> fields, bool doCount);
    static std::string chosen(const QComboBox* box);
    static void choose(QComboBox* box, const std::string& value);

    QFormLayout* form() const { return m_form; }
    PlanHelp* help() const { return m_help; }

  private:
    QFormLayout* m_form;
    PlanHelp* m_help;
};

}  // namespace cospadi::ui
