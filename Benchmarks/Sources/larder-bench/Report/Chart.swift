// Chart: draws the ratios of a report as an SVG image.

import Foundation

/// Draws the cost of Larder as a multiple of the cost of a peer, as bars on a logarithmic axis.
enum Chart {
    private static let width = 1_000.0
    private static let labels = 440.0
    private static let values = 150.0
    private static let row = 22.0
    private static let top = 52.0
    private static let met = "#2f7d5b"
    private static let missed = "#c8722c"

    /// An image of the verdicts that have a ratio.
    static func draw(_ verdicts: [Verdict]) -> String {
        let bars = verdicts.compactMap { verdict in verdict.cost.map { (verdict, $0) } }
        let axis = Axis(bars.flatMap { [$1.least, $1.most, $0.limit] })
        let height = top + row * Double(bars.count) + 46
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(height))" width="\(Int(width))" \
            height="\(Int(height))" font-family="sans-serif" font-size="12" fill="#222">
            <rect width="100%" height="100%" fill="#fff"/>
            <text x="16" y="22" font-size="15" font-weight="bold">Cost of Larder as a multiple of a peer's cost</text>
            """
        ]
        lines += axis.powers.map { grid($0, axis, bottom: height - 40) }
        for (index, bar) in bars.enumerated() {
            lines.append(draw(bar.0, bar.1, axis, y: top + row * Double(index)))
        }
        lines.append(legend(y: height - 14))
        return lines.joined(separator: "\n") + "\n</svg>\n"
    }

    private static func grid(_ value: Double, _ axis: Axis, bottom: Double) -> String {
        let x = number(axis.place(value))
        return """
            <line x1="\(x)" x2="\(x)" y1="\(number(top - 6))" y2="\(number(bottom))" \
            stroke="\(value == 1 ? "#555" : "#ddd")"/>
            <text x="\(x)" y="\(number(top - 12))" text-anchor="middle" fill="#666">\(Table.text(value))×</text>
            """
    }

    private static func draw(_ verdict: Verdict, _ cost: Series, _ axis: Axis, y: Double) -> String {
        let ends = [axis.place(1), axis.place(cost.median)].sorted()
        let color = verdict.isMet ? met : missed
        let limit = number(axis.place(verdict.limit))
        let middle = number(y + row / 2)
        return """
            <text x="\(number(labels - 10))" y="\(number(y + 15))" text-anchor="end">\
            \(escaped(verdict.title)) <tspan fill="#777">/ \(escaped(cost.name))</tspan></text>
            <rect x="\(number(ends[0]))" y="\(number(y + 5))" width="\(number(max(ends[1] - ends[0], 1)))" \
            height="\(number(row - 9))" fill="\(color)"/>
            <line x1="\(number(axis.place(cost.least)))" x2="\(number(axis.place(cost.most)))" y1="\(middle)" \
            y2="\(middle)" stroke="#222"/>
            <line x1="\(limit)" x2="\(limit)" y1="\(number(y + 2))" y2="\(number(y + row - 1))" stroke="#222" \
            stroke-width="2"/>
            <text x="\(number(width - values + 10))" y="\(number(y + 15))">\(Table.text(cost.median))× \
            <tspan fill="#777">(goal \(Table.text(verdict.limit)))</tspan></text>
            """
    }

    private static func legend(y: Double) -> String {
        """
        <text x="16" y="\(number(y))" fill="#666">Left of 1× Larder costs less. Bar: median; \
        thin line: least to most of the rounds; mark: goal. \
        <tspan fill="\(met)">Goal met.</tspan> <tspan fill="\(missed)">Goal missed.</tspan></text>
        """
    }

    private static func number(_ value: Double) -> String { String((value * 10).rounded() / 10) }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }

    /// A logarithmic axis that holds 1 and all values.
    private struct Axis {
        let least: Double
        let most: Double

        init(_ values: [Double]) {
            let logarithms = values.filter { $0 > 0 && $0.isFinite }.map { log10($0) }
            least = min(-1, (logarithms.min() ?? 0).rounded(.down))
            most = max(1, (logarithms.max() ?? 0).rounded(.up))
        }

        var powers: [Double] { stride(from: least, through: most, by: 1).map { pow(10, $0) } }

        func place(_ value: Double) -> Double {
            let part = (log10(max(value, 1e-9)) - least) / (most - least)
            return labels + min(max(part, 0), 1) * (width - labels - values)
        }
    }
}
