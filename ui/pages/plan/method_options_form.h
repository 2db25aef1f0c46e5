// The options that one method alone has (Method::ownOptions()), as fields made from their
// description.
#pragma once

#include <QWidget>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/methods/method.h"

class QFormLayout;

namespace cospadi::ui {

class MethodOptionsForm : public QWidget {
    Q_OBJECT

  public:
    // explain: gives a field its symbol and help.
    using Explain = std::function<void(QWidget* field, const QString& symbol, const QString& help)>;

    MethodOptionsForm(const Method& method, const Explain& explain, QWidget* parent = nullptr);

    OptionValues values() const;  // those that are not as usual
    void setValues(const OptionValues& values);

  signals:
    void changed();

  private:
    QWidget* makeField(const Option& option);

    const Method& m_method;
    std::map<std::string, QWidget*> m_fields;  // by option
};

}  // namespace cospadi::ui
