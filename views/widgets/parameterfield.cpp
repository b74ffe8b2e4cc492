// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/parameterfield.h"

#include "core/compaction/contextsize.h"
#include "core/serde/json.h"
#include "core/values/json.h"
#include "models/display.h"
#include "views/theme.h"
#include "views/widgets/steadywheel.h"
#include "views/widgets/triggereditor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

namespace palimpsest {

using namespace Qt::StringLiterals;

using Type = Parameter::Type;

/// Makes the field of each type and says how a value is shown in it.
class FieldBuilder {
public:
    FieldBuilder(ParameterField &row, const Parameter &parameter, const Theme &theme)
        : m_row(row)
        , m_parameter(parameter)
        , m_theme(theme)
    {
    }

    QWidget *build()
    {
        switch (m_parameter.type) {
        case Type::Choice:
        case Type::OptionalSwitch:
            return choice();
        case Type::Text:
            return line();
        case Type::LongText:
            return longText();
        case Type::Switch:
        case Type::Group:
            return check();
        case Type::Whole:
        case Type::OptionalWhole:
        case Type::OptionalReal:
            return number();
        case Type::Size:
        case Type::OptionalSize:
            return size();
        case Type::Clauses:
            return clauses();
        case Type::Tools:
        case Type::System:
            return counted();
        case Type::Refusals:
        case Type::Document:
            break;
        }
        return document();
    }

private:
    void tell(const Value &value, bool goesOn) const
    {
        if (!m_row.m_showing)
            Q_EMIT m_row.edited(value, goesOn);
    }

    QWidget *choice()
    {
        auto *box = new QComboBox;
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(8);
        if (m_parameter.type == Type::OptionalSwitch) {
            box->addItem(ParameterField::tr("yes"), true);
            box->addItem(ParameterField::tr("no"), false);
            box->addItem(ParameterField::tr("cannot be told"));
        } else {
            for (const std::string_view choice : m_parameter.choices)
                box->addItem(toQString(choice), toQString(choice));
        }
        keepWheelForScrolling(box);
        QObject::connect(box, &QComboBox::activated, &m_row, [this_ = *this, box](int at) {
            const QVariant data = box->itemData(at);
            this_.tell(!data.isValid()                       ? Value()
                    : data.typeId() == QMetaType::Type::Bool ? Value(data.toBool())
                                                             : Value(fromQString(data.toString())),
                false);
        });
        m_row.m_show = [box](const Value &value) {
            int at = box->findData(value.isBool() ? QVariant(value.asBool())
                    : value.isNil()               ? QVariant()
                                                  : QVariant(toQString(value.asText())));
            if (at < 0) { // another version of a known package
                box->addItem(toQString(value.asText()), toQString(value.asText()));
                at = box->count() - 1;
            }
            box->setCurrentIndex(at);
        };
        return box;
    }

    QWidget *line()
    {
        auto *edit = new QLineEdit;
        QObject::connect(edit, &QLineEdit::textEdited, &m_row,
            [this_ = *this](const QString &text) { this_.tell(Value(fromQString(text)), true); });
        m_row.m_show = [edit](const Value &value) {
            const QString text = toQString(value.asText());
            if (edit->text() != text)
                edit->setText(text);
        };
        return edit;
    }

    QPlainTextEdit *textArea(int lines)
    {
        auto *edit = new QPlainTextEdit;
        edit->setTabChangesFocus(true);
        edit->setFixedHeight(edit->fontMetrics().lineSpacing() * lines + 12);
        return edit;
    }

    QWidget *longText()
    {
        QPlainTextEdit *edit = textArea(3);
        edit->setPlaceholderText(ParameterField::tr("none"));
        QObject::connect(edit, &QPlainTextEdit::textChanged, &m_row, [this_ = *this, edit]() {
            const QString text = edit->toPlainText();
            this_.tell(text.isEmpty() ? Value() : Value(fromQString(text)), true);
        });
        m_row.m_show = [edit](const Value &value) {
            const QString text = toQString(value.asText());
            if (edit->toPlainText() != text)
                edit->setPlainText(text);
        };
        return edit;
    }

    QWidget *check()
    {
        auto *box = new QCheckBox(toQString(m_parameter.name));
        const bool group = m_parameter.type == Type::Group;
        QObject::connect(box, &QCheckBox::toggled, &m_row, [this_ = *this, group](bool on) {
            this_.tell(!group ? Value(on) : on ? Value(Value::Map{}) : Value(), false);
        });
        m_row.m_show = [box](const Value &value) { box->setChecked(value.isMap() || value.asBool()); };
        return box;
    }

    /// A spin box whose lowest place says "none" where the value may be null, with a slider beside it.
    QWidget *number()
    {
        const bool real = m_parameter.type == Type::OptionalReal;
        const bool optional = m_parameter.type != Type::Whole;
        auto *body = new QWidget;
        auto *row = new QHBoxLayout(body);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(6);
        auto *spin = new QDoubleSpinBox;
        const double least = m_parameter.least.value_or(0);
        spin->setDecimals(real ? 2 : 0);
        spin->setSingleStep(real ? 0.1 : std::max(1.0, m_parameter.most.value_or(100) / 100));
        spin->setGroupSeparatorShown(true);
        const double none = least - (real ? 0.1 : 1);
        spin->setRange(optional ? none : least, 1e9);
        if (optional)
            spin->setSpecialValueText(ParameterField::tr("none"));
        spin->setMinimumWidth(92);
        auto *slider = new QSlider(Qt::Horizontal);
        slider->setRange(0, 1000);
        slider->setMinimumWidth(50);
        slider->setAccessibleName(toQString(m_parameter.name));
        const double most = m_parameter.most.value_or(1000);
        row->addWidget(spin);
        row->addWidget(slider, 1);
        body->setFocusProxy(spin);
        keepWheelForScrolling(spin);
        keepWheelForScrolling(slider);
        const auto valueOf = [real, optional, none](double number) {
            if (optional && number <= none)
                return Value();
            return real ? Value(number) : Value(static_cast<std::int64_t>(number));
        };
        const auto follow = [slider, most](double number) {
            const QSignalBlocker quiet(slider);
            slider->setValue(static_cast<int>(std::lround(std::clamp(number / most, 0.0, 1.0) * 1000)));
        };
        QObject::connect(spin, &QDoubleSpinBox::valueChanged, &m_row, [this_ = *this, valueOf, follow](double number) {
            follow(number);
            this_.tell(valueOf(number), true);
        });
        QObject::connect(slider, &QSlider::valueChanged, &m_row, [spin, most, least, real](int step) {
            const double number = most * step / 1000;
            spin->setValue(std::max(least, real ? number : std::round(number)));
        });
        m_row.m_show = [spin, none, follow](const Value &value) {
            const double number = value.isNil() ? none : value.asDouble();
            if (spin->value() != number)
                spin->setValue(number);
            follow(number);
        };
        return body;
    }

    QWidget *size()
    {
        auto *editor = new ContextSizeEditor(m_parameter.type == Type::OptionalSize);
        QObject::connect(editor, &ContextSizeEditor::edited, &m_row, [this_ = *this, editor](bool goesOn) {
            const auto size = editor->size();
            this_.tell(size ? contextSizeToValue(*size) : Value(), goesOn);
        });
        m_row.m_show = [editor](const Value &value) {
            editor->setSize(value.isList() ? readLooseContextSize(value) : std::nullopt);
        };
        m_row.m_scale = [editor](const SliderReach &reach) { editor->setReach(reach); };
        return editor;
    }

    QWidget *clauses()
    {
        auto *editor = new TriggerEditor(m_theme);
        QObject::connect(editor, &TriggerEditor::edited, &m_row, [this_ = *this, editor](bool goesOn) {
            const Trigger trigger = editor->trigger();
            this_.tell(trigger.empty() ? Value() : triggerToValue(trigger), goesOn);
        });
        m_row.m_show = [editor](const Value &value) {
            if (const auto trigger = readTrigger(value, PairForm::Json))
                editor->setTrigger(*trigger);
        };
        m_row.m_scale = [editor](const SliderReach &reach) { editor->setReach(reach); };
        return editor;
    }

    /// Tools or a system message: what was imported, or a number of tokens.
    QWidget *counted()
    {
        auto *body = new QWidget;
        auto *row = new QHBoxLayout(body);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(6);
        auto *spin = new QSpinBox;
        spin->setRange(0, std::numeric_limits<int>::max());
        spin->setGroupSeparatorShown(true);
        spin->setSingleStep(100);
        spin->setMinimumWidth(92);
        auto *words = new QLabel;
        words->setFont(m_theme.smallFont());
        words->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        auto *import = new QPushButton(ParameterField::tr("Import…"));
        import->setToolTip(m_parameter.type == Type::Tools
                ? ParameterField::tr("Tools of OpenAI's or Anthropic's form, an MCP tools/list answer, or a LangSmith "
                                     "run as a JSON file")
                : ParameterField::tr("A system message as JSON or text, or a LangSmith run as a JSON file"));
        row->addWidget(spin);
        row->addWidget(words, 1);
        row->addWidget(import);
        body->setFocusProxy(spin);
        keepWheelForScrolling(spin);
        QObject::connect(
            spin, &QSpinBox::valueChanged, &m_row, [this_ = *this](int tokens) { this_.tell(Value(tokens), true); });
        QObject::connect(import, &QPushButton::clicked, &m_row, &ParameterField::importWanted);
        const bool tools = m_parameter.type == Type::Tools;
        m_row.m_show = [spin, words, tools](const Value &value) {
            if (value.isInt()) {
                spin->setValue(static_cast<int>(value.asInt()));
                words->setText(ParameterField::tr("tokens"));
            } else {
                spin->setValue(0);
                words->setText(value.isList() && !value.asList().empty()
                        ? ParameterField::tr("%n imported", nullptr, static_cast<int>(value.asList().size()))
                        : value.truthy() && !tools ? ParameterField::tr("imported")
                                                   : ParameterField::tr("tokens"));
            }
        };
        return body;
    }

    QWidget *document()
    {
        QPlainTextEdit *edit = textArea(3);
        edit->setFont(m_theme.codeFont());
        edit->setPlaceholderText(m_parameter.key == "prices"
                ? u"{\"input\": 2.5, \"cached_input\": 1.25, \"output\": 10}"_s
                : m_parameter.key == "refused_calls" ? u"{\"<task id>\": 1}"_s
                                                     : ParameterField::tr("none"));
        QObject::connect(edit, &QPlainTextEdit::textChanged, &m_row, [this_ = *this, edit, row = &m_row]() {
            if (row->m_showing)
                return;
            const std::string text = fromQString(edit->toPlainText().trimmed());
            if (text.empty()) {
                this_.tell(Value(), true);
                return;
            }
            const auto json = parseJson(text);
            if (json)
                this_.tell(*json, true);
            else
                row->setFault(ParameterField::tr("This is no JSON: %1").arg(toQString(json.error().what)));
        });
        m_row.m_show = [edit](const Value &value) {
            const auto shown = parseJson(fromQString(edit->toPlainText().trimmed()));
            if ((shown && *shown == value) || (!shown && edit->hasFocus()))
                return;
            edit->setPlainText(value.truthy() ? toQString(toJson(value)) : QString());
        };
        return edit;
    }

    ParameterField &m_row;
    const Parameter &m_parameter;
    const Theme &m_theme;
};

ParameterField::ParameterField(const Parameter &parameter, const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_parameter(parameter)
    , m_theme(theme)
    , m_name(new QLabel)
    , m_fault(new QLabel)
{
    setObjectName(toQString(parameter.key));
    QString name = toQString(parameter.name);
    if (!parameter.unit.empty())
        name += u" ("_s + toQString(parameter.unit) + u')';
    m_name->setText(name);
    m_fault->setWordWrap(true);
    m_fault->setTextFormat(Qt::PlainText);
    m_fault->hide();
    m_field = FieldBuilder(*this, parameter, theme).build();
    m_field->setAccessibleName(toQString(parameter.name));
    m_field->setAccessibleDescription(toQString(parameter.help));
    m_name->setBuddy(m_field);
    setFocusProxy(m_field);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 2, 0, 3);
    column->setSpacing(1);
    const bool says = parameter.type == Type::Switch || parameter.type == Type::Group;
    if (says)
        m_name->hide();
    const bool beside =
        parameter.type == Type::Choice || parameter.type == Type::OptionalSwitch || parameter.type == Type::Text;
    if (beside) {
        auto *row = new QHBoxLayout;
        row->setSpacing(8);
        row->addWidget(m_name);
        row->addWidget(m_field, 1);
        column->addLayout(row);
    } else {
        column->addWidget(m_name);
        column->addWidget(m_field);
    }
    column->addWidget(m_fault);
    connect(&theme, &Theme::changed, this, &ParameterField::restyle);
    restyle();
    writeTip();
}

ParameterField::~ParameterField() = default;

void ParameterField::restyle()
{
    m_name->setFont(m_theme.smallFont());
    m_fault->setFont(m_theme.smallFont());
    m_fault->setStyleSheet(u"color: %1; border-left: 3px solid %2; padding-left: 5px;"_s.arg(
        m_theme.text(Ink::Error).name(), m_theme.color(Ink::Error).name()));
}

void ParameterField::writeTip()
{
    const QString value = m_default.isNil() ? tr("none") : toQString(toJson(m_default)).left(120);
    QString tip = u"<p>%1</p><p><small>%2<br/>%3</small></p>"_s.arg(toQString(m_parameter.help).toHtmlEscaped(),
        tr("Without it: %1").arg(value).toHtmlEscaped(),
        tr("%1 — from %2").arg(toQString(m_parameter.key), toQString(m_parameter.source)).toHtmlEscaped());
    setToolTip(tip);
}

void ParameterField::setValue(const Value &value)
{
    m_showing = true;
    m_show(value);
    m_showing = false;
}

void ParameterField::setReach(const SliderReach &reach)
{
    m_showing = true;
    if (m_scale)
        m_scale(reach);
    m_showing = false;
}

void ParameterField::setFault(const QString &fault)
{
    m_fault->setText(fault.isEmpty() ? QString() : u"✕ "_s + fault);
    m_fault->setVisible(!fault.isEmpty());
}

QString ParameterField::fault() const
{
    return m_fault->text().mid(2);
}

void ParameterField::setDefault(const Value &value)
{
    if (value == m_default)
        return;
    m_default = value;
    writeTip();
}

} // namespace palimpsest
