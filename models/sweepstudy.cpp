// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/sweepstudy.h"

#include "core/compaction/contextsize.h"
#include "core/compaction/parameters.h"
#include "core/values/json.h"
#include "models/display.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <format>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Sweep", text);
}

std::string quoted(std::string text)
{
    for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2)
        text.insert(at, 1, '"');
    return '"' + text + '"';
}

} // namespace

QString sweepFigureName(SweepFigure figure)
{
    switch (figure) {
    case SweepFigure::Events:
        return tr("Events");
    case SweepFigure::TokensSent:
        return tr("Tokens sent");
    case SweepFigure::PeakTokens:
        return tr("Largest request");
    case SweepFigure::KeptAtEnd:
        return tr("Kept at the end");
    case SweepFigure::SummaryTokens:
        return tr("Summary prompts");
    case SweepFigure::Cost:
        return tr("Cost in dollars");
    case SweepFigure::NeedlesLost:
        break;
    }
    return tr("Needles lost");
}

QString sweepStatName(SweepStat stat)
{
    switch (stat) {
    case SweepStat::Total:
        return tr("all threads together");
    case SweepStat::Median:
        return tr("median thread");
    case SweepStat::P90:
        return tr("90th percentile");
    case SweepStat::Worst:
        break;
    }
    return tr("worst thread");
}

namespace {

double figureOf(const RunFigures &figures, SweepFigure figure)
{
    switch (figure) {
    case SweepFigure::Events:
        return static_cast<double>(figures.events);
    case SweepFigure::TokensSent:
        return static_cast<double>(figures.tokensSent);
    case SweepFigure::PeakTokens:
        return static_cast<double>(figures.peakTokens);
    case SweepFigure::KeptAtEnd:
        return static_cast<double>(figures.tokensKeptAtEnd);
    case SweepFigure::SummaryTokens:
        return static_cast<double>(figures.summaryTokens);
    case SweepFigure::Cost:
        return figures.cost.value_or(0);
    case SweepFigure::NeedlesLost:
        break;
    }
    return static_cast<double>(figures.needlesLost());
}

} // namespace

std::optional<double> sweepFigure(const SweepCell &cell, SweepFigure figure, SweepStat stat)
{
    if (!cell.error().empty())
        return std::nullopt;
    const RunFigures total = cell.total();
    if (figure == SweepFigure::Cost && !total.cost)
        return std::nullopt;
    if (stat == SweepStat::Total)
        return figureOf(total, figure);
    const Spread spread = cell.spread([figure](const RunFigures &figures) { return figureOf(figures, figure); });
    return stat == SweepStat::Median ? spread.median : stat == SweepStat::P90 ? spread.p90 : spread.worst;
}

std::vector<SweepThread> worstThreads(const SweepCell &cell, SweepFigure figure, std::size_t count)
{
    std::vector<SweepThread> list;
    for (std::size_t i = 0; i < cell.threads.size(); ++i)
        list.push_back({i, figureOf(cell.threads[i].figures, figure)});
    std::ranges::stable_sort(list, std::ranges::greater(), &SweepThread::value);
    list.resize(std::min(list.size(), count));
    return list;
}

std::vector<SweepParameter> sweepParameters(double messages, double tokens)
{
    using Kind = ContextSize::Kind;
    std::vector<SweepParameter> list;
    const auto addSize = [&](const char *key, const QString &name, Kind kind, double from, double to) {
        list.push_back({key, name, kind != Kind::Fraction, from, to,
            [kind](double number) { return contextSizeToValue({kind, number}); }});
    };
    const double reach = std::max(10.0, std::round(messages));
    const double most = std::max(1000.0, std::round(tokens));
    addSize("trigger", tr("trigger, messages"), Kind::Messages, std::max(4.0, std::round(reach / 10)), reach);
    addSize("trigger", tr("trigger, tokens"), Kind::Tokens, std::round(most / 10), most);
    addSize("trigger", tr("trigger, part of the window"), Kind::Fraction, 0.1, 0.95);
    addSize("keep", tr("keep, messages"), Kind::Messages, 2, std::max(6.0, std::round(reach / 4)));
    addSize("keep", tr("keep, tokens"), Kind::Tokens, std::round(most / 40), std::round(most / 4));
    addSize("keep", tr("keep, part of the window"), Kind::Fraction, 0.02, 0.5);
    for (const Parameter &parameter : parameters()) {
        const bool real = parameter.type == Parameter::Type::OptionalReal;
        if (!real && parameter.type != Parameter::Type::Whole && parameter.type != Parameter::Type::OptionalWhole)
            continue;
        const double to = parameter.most.value_or(1000);
        list.push_back({std::string(parameter.key), toQString(parameter.name).toLower(), !real,
            std::max(parameter.least.value_or(1), real ? 1.0 : std::round(to / 20)), to,
            [real](double number) { return real ? Value(number) : Value(static_cast<std::int64_t>(number)); }});
    }
    return list;
}

SweepAxis sweepAxis(const SweepParameter &parameter, double from, double to, int steps)
{
    SweepAxis axis{parameter.key, {}};
    const int count = std::max(1, steps);
    double last = std::nan("");
    for (int i = 0; i < count; ++i) {
        double number = count == 1 ? from : from + (to - from) * i / (count - 1);
        number = parameter.whole ? std::round(number) : std::round(number * 1000) / 1000;
        if (number == last)
            continue;
        last = number;
        axis.values.push_back(parameter.write(number));
    }
    return axis;
}

double sweepNumber(const Value &value)
{
    return value.isList() && value.asList().size() == 2 ? value.asList()[1].asDouble() : value.asDouble();
}

QString sweepWords(const Value &value)
{
    const bool pair = value.isList() && value.asList().size() == 2;
    const Value &number = pair ? value.asList()[1] : value;
    if (number.isInt())
        return QLocale(QLocale::English).toString(static_cast<qlonglong>(number.asInt()));
    return number.isFloat() ? QString::number(number.asDouble()) : toQString(toJson(value));
}

SweepStudy::SweepStudy(SweepGrid of)
    : grid(std::move(of))
    , cells(grid.axes.empty() ? 0 : grid.size())
    , slice(grid.axes.size() < 3 ? 0 : grid.axes.size() - 2, 0)
{
}

std::size_t SweepStudy::done() const
{
    return static_cast<std::size_t>(std::ranges::count_if(cells, [](const auto &cell) { return cell.has_value(); }));
}

std::size_t SweepStudy::columns() const
{
    return grid.axes.empty() ? 0 : grid.axes.front().values.size();
}

std::size_t SweepStudy::rows() const
{
    return grid.axes.size() < 2 ? 1 : grid.axes[1].values.size();
}

std::size_t SweepStudy::cellAt(std::size_t column, std::size_t row) const
{
    std::size_t place = column * rows() + row;
    for (std::size_t i = 0; i < slice.size(); ++i)
        place = place * grid.axes[i + 2].values.size() + slice[i];
    return place;
}

const SweepCell *SweepStudy::at(std::size_t column, std::size_t row) const
{
    const std::size_t cell = cellAt(column, row);
    return column < columns() && row < rows() && cell < cells.size() && cells[cell] ? &*cells[cell] : nullptr;
}

void SweepStudy::mark()
{
    std::vector<SweepCell> known;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (!cells[i])
            continue;
        known.push_back(*cells[i]);
        places.push_back(i);
    }
    markFront(known);
    for (std::size_t i = 0; i < places.size(); ++i)
        cells[places[i]]->onFront = known[i].onFront;
}

std::string sweepCsv(const SweepStudy &study)
{
    std::string text;
    for (const SweepAxis &axis : study.grid.axes)
        text += quoted(axis.key) + ",";
    text += "events,calls,tokens_sent,summary_tokens,peak_tokens,tokens_kept_at_end,summaries,cost,needles_kept,"
            "pareto,problem";
    const bool many = study.threads.size() > 1;
    constexpr std::pair<SweepFigure, const char *> spreads[] = {{SweepFigure::Events, "events"},
        {SweepFigure::TokensSent, "tokens_sent"}, {SweepFigure::PeakTokens, "peak_tokens"}};
    for (const auto &[figure, name] : spreads)
        if (many)
            text += std::format(",{0}_median,{0}_p90,{0}_worst,{0}_worst_thread", name);
    text += "\n";
    for (const auto &cell : study.cells) {
        if (!cell)
            continue;
        for (const Value &value : cell->values)
            text += quoted(toJson(value)) + ",";
        const RunFigures figures = cell->total();
        const std::string problem = cell->error().empty() ? cell->unworkable() : cell->error();
        text += std::format("{},{},{},{},{},{},{},{},{},{},{}", figures.events, figures.calls, figures.tokensSent,
            figures.summaryTokens, figures.peakTokens, figures.tokensKeptAtEnd, figures.summaries,
            figures.cost ? std::format("{}", *figures.cost) : "", std::ranges::count(figures.needles, true),
            cell->onFront ? 1 : 0, problem.empty() ? std::string() : quoted(problem));
        for (const auto &[figure, name] : spreads) {
            if (!many)
                break;
            const Spread spread =
                cell->spread([figure = figure](const RunFigures &one) { return figureOf(one, figure); });
            text += std::format(
                ",{},{},{},{}", spread.median, spread.p90, spread.worst, quoted(study.threads[spread.worstThread]));
        }
        text += "\n";
    }
    return text;
}

} // namespace palimpsest
