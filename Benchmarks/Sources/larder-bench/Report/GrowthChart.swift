// GrowthChart: draws how costs grow with the number of rows as an SVG image.

import Foundation

/// Draws the cost of each operation of ``Growth`` by the number of rows, as a multiple of its cost at the least number, on
/// logarithmic axes.
enum GrowthChart {
    private static let (width, height) = (860.0, 400.0)
    private static let (left, right, top, bottom) = (60.0, 300.0, 50.0, 50.0)
    private static let colors = ["#2f7d5b", "#c8722c", "#3b6ea5", "#8a4f9e", "#a33a3a", "#555555"]

    static func draw(_ measurements: [Measurement]) -> String {
        let all = measurements.filter { $0.suite == Growth.suite }
        var names: [String] = []
        for item in all where !names.contains(item.name) { names.append(item.name) }
        let curves = names.map { name in
            let points = all.filter { $0.name == name }.map { (Double($0.size) ?? 1, $0.larder.median) }
            return (name: name, points: points.map { ($0.0, $0.1 / points[0].1) })
        }
        let sizes = curves.first?.points.map(\.0) ?? [1]
        let plot = Plot(sizes: sizes, costs: curves.flatMap { $0.points.map(\.1) })
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(height))" width="\(Int(width))" \
            height="\(Int(height))" font-family="sans-serif" font-size="12" fill="#222">
            <rect width="100%" height="100%" fill="#fff"/>
            <text x="16" y="22" font-size="15" font-weight="bold">Cost by the number of rows, as a multiple of the cost \
            at \(Table.text(sizes[0])) rows</text>
            """
        ]
        lines += plot.grid(sizes)
        for (index, curve) in curves.enumerated() {
            lines.append(plot.draw(curve.points, curve.name, colors[index % colors.count], row: index))
        }
        return lines.joined(separator: "\n") + "\n</svg>\n"
    }

    private struct Plot {
        let sizes: ClosedRange<Double>
        let costs: ClosedRange<Double>

        init(sizes: [Double], costs: [Double]) {
            let logarithms = costs.map { log10($0) }
            self.sizes = log10(sizes[0])...max(log10(sizes.last ?? 1), log10(sizes[0]) + 0.1)
            self.costs = min(-0.5, logarithms.min() ?? 0)...max(1, logarithms.max() ?? 0)
        }

        private func place(_ size: Double, _ cost: Double) -> (x: String, y: String) {
            let x = (log10(size) - sizes.lowerBound) / (sizes.upperBound - sizes.lowerBound)
            let y = (log10(cost) - costs.lowerBound) / (costs.upperBound - costs.lowerBound)
            return (number(left + x * (width - left - right)), number(height - bottom - y * (height - top - bottom)))
        }

        func grid(_ labels: [Double]) -> [String] {
            let across = [0.5, 1, 2, 5, 10].map { cost in
                let (start, end) = (place(labels[0], cost), place(labels.last ?? 1, cost))
                return """
                    <line x1="\(start.x)" x2="\(end.x)" y1="\(start.y)" y2="\(start.y)" \
                    stroke="\(cost == 1 ? "#555" : "#ddd")"/>
                    <text x="\(number(left - 8))" y="\(start.y)" text-anchor="end" fill="#666">\(Table.text(cost))×</text>
                    """
            }
            return across
                + labels.map { size in
                    """
                    <text x="\(place(size, 1).x)" y="\(number(height - bottom + 22))" text-anchor="middle" fill="#666">\
                    \(Int(size)) rows</text>
                    """
                }
        }

        func draw(_ points: [(Double, Double)], _ name: String, _ color: String, row: Int) -> String {
            let path = points.map { place($0.0, $0.1) }.map { "\($0.x),\($0.y)" }.joined(separator: " ")
            let y = number(top + 20 + Double(row) * 22)
            return """
                <polyline points="\(path)" fill="none" stroke="\(color)" stroke-width="2"/>
                <text x="\(number(width - right + 40))" y="\(y)" fill="\(color)">\(name): \
                \(Table.text(points.last?.1 ?? 1))×</text>
                """
        }

        private func number(_ value: Double) -> String { String((value * 10).rounded() / 10) }
    }
}
