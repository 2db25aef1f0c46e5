// The options that methods have of their own (Method::ownOptions()), as rows of a form made from
// their descriptions: an option that several methods share is one row, and keeps its value from one
// to the other.
#pragma once

#include <QObject>
#include <functional>
#include <map>
#include <string>

#include "core/store/run_specification.h"

class QFormLayout;
class QWidget;

namespace cospadi::ui {

class OwnOptionFields : public QObject {
    Q_OBJECT

  public:
    // explain: gives a field its symbol and help.
    using Explain = std::function<void(QWidget* field, const QString& symbol, const QString& help)>;

    OwnOptionFields(QFormLayout* form, const Explain& explain, QObject* parent);

    void showFor(const RunSpecification& plan);          // its method's rows, disabled where idle
    OptionValues valuesFor(const Method& method) const;  // those that are not as usual
    void setValues(const Method& method, const OptionValues& values);

  signals:
    void changed();

  private:
    QWidget* makeField(const Option& option);

    QFormLayout* m_form;
    std::map<std::string, QWidget*> m_fields;  // by option
};

}  // namespace cospadi::ui
