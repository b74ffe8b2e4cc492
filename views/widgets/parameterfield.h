// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/parameters.h"
#include "views/widgets/contextsizeeditor.h"

#include <QWidget>

class QLabel;

namespace palimpsest {

class Theme;

/// One row of the form: the parameter's name, a field of its type, and below it why its value makes no sense. Built
/// from the parameter's description alone.
class ParameterField : public QWidget {
    Q_OBJECT
public:
    ParameterField(const Parameter &parameter, const Theme &theme, QWidget *parent = nullptr);
    ~ParameterField() override;

    [[nodiscard]] const Parameter &parameter() const { return m_parameter; }
    /// Shows a value; tells nobody.
    void setValue(const Value &value);
    void setReach(const SliderReach &reach);
    /// Empty: the value makes sense.
    void setFault(const QString &fault);
    [[nodiscard]] QString fault() const;
    /// What an empty settings file means, for the tool tip.
    void setDefault(const Value &value);
    /// The field itself, to find in tests and to give the focus.
    [[nodiscard]] QWidget *field() const { return m_field; }

Q_SIGNALS:
    /// `goesOn`: the same gesture as the change before.
    void edited(const palimpsest::Value &value, bool goesOn);
    /// Tools or a system prompt are to be brought in.
    void importWanted();

private:
    void restyle();
    void writeTip();

    const Parameter &m_parameter;
    const Theme &m_theme;
    QLabel *m_name;
    QWidget *m_field = nullptr;
    QLabel *m_fault;
    Value m_default;
    bool m_showing = false; ///< a value is being shown: what fields tell is no edit
    std::function<void(const Value &)> m_show;
    std::function<void(const SliderReach &)> m_scale;

    friend class FieldBuilder;
};

} // namespace palimpsest
