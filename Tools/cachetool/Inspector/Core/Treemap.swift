/// Divides an area among values: each gets a rectangle of its share, as near to a square as the order allows.
///
/// Squarified treemaps, M. Bruls, K. Huizing and J. van Wijk, 2000.
struct Treemap: Hashable, Sendable {
    /// A part of the area.
    struct Rectangle: Hashable, Sendable {
        var x = 0.0
        var y = 0.0
        var width: Double
        var height: Double
    }

    /// The rectangles, one for each value, in the order of the values.
    let rectangles: [Rectangle]

    /// - Parameters:
    ///   - values: the values, none below 0, the largest first.
    ///   - width: the width of the area.
    ///   - height: the height of the area.
    init(_ values: [Double], width: Double, height: Double) {
        let sum = values.reduce(0, +)
        var rectangles: [Rectangle] = []
        var free = Rectangle(width: width, height: height)
        var rest = values[...].map { sum > 0 ? $0 / sum * width * height : 0 }[...]
        while !rest.isEmpty {
            let side = min(free.width, free.height)
            // A row takes one more value as long as that makes its worst rectangle no longer.
            var count = 1
            while count < rest.count,
                Self.worst(rest.prefix(count + 1), side) <= Self.worst(rest.prefix(count), side)
            { count += 1 }
            rectangles += Self.row(rest.prefix(count), &free)
            rest = rest.dropFirst(count)
        }
        self.rectangles = rectangles
    }

    /// Returns the longest of the rectangles that a row along a side has, as length by width.
    private static func worst(_ areas: ArraySlice<Double>, _ side: Double) -> Double {
        let sum = areas.reduce(0, +)
        guard sum > 0, side > 0, let least = areas.min(), let most = areas.max(), least > 0 else { return .infinity }
        return max(side * side * most / (sum * sum), sum * sum / (side * side * least))
    }

    /// Places a row along the shorter side of what is free, and takes it away from that.
    private static func row(_ areas: ArraySlice<Double>, _ free: inout Rectangle) -> [Rectangle] {
        let sum = areas.reduce(0, +)
        let isUpright = free.width >= free.height
        let side = isUpright ? free.height : free.width
        let depth = side > 0 ? sum / side : 0
        var offset = 0.0
        let placed = areas.map { area in
            let length = depth > 0 ? area / depth : 0
            defer { offset += length }
            return isUpright
                ? Rectangle(x: free.x, y: free.y + offset, width: depth, height: length)
                : Rectangle(x: free.x + offset, y: free.y, width: length, height: depth)
        }
        if isUpright {
            free = Rectangle(x: free.x + depth, y: free.y, width: max(0, free.width - depth), height: free.height)
        } else {
            free = Rectangle(x: free.x, y: free.y + depth, width: free.width, height: max(0, free.height - depth))
        }
        return placed
    }
}

extension Treemap {
    /// A part of a picture, with the page that it leads to.
    struct Part: Sendable {
        let name: String
        let bytes: Int64
        var link: InspectorLink?
        /// The number of its color, which parts of one kind share.
        var color = 0
    }

    /// The number of colors of the style sheet.
    static let colors = 8

    /// Returns a picture of parts by their sizes. Its table has the same facts, so assistive technology skips it.
    static func html(_ parts: [Part]) -> HTML {
        let parts = parts.filter { $0.bytes > 0 }.sorted { $0.bytes > $1.bytes }
        if parts.isEmpty { return "" }
        let (width, height) = (1200.0, 220.0)
        let map = Treemap(parts.map { Double($0.bytes) }, width: width, height: height)
        let boxes = zip(parts, map.rectangles).map { part, box -> HTML in
            let (x, y) = (tenth(box.x), tenth(box.y))
            let label: HTML =
                box.width > 70 && box.height > 30
                ? """
                <svg x="\(x)" y="\(y)" width="\(tenth(box.width))" height="\(tenth(box.height))"><text x="6" y="17">\(part.name)</text><text x="6" y="32" class="small">\(box.height > 40 ? sizeText(part.bytes) : "")</text></svg>
                """ : ""
            let shape: HTML = """
                <rect class="part color\(part.color % colors)" x="\(x)" y="\(y)" width="\(tenth(box.width))" height="\(tenth(box.height))"><title>\(part.name): \(sizeText(part.bytes))</title></rect>\(label)
                """
            return part.link.map { "<a href=\"\($0.target)\" tabindex=\"-1\">\(shape)</a>\n" } ?? "\(shape)\n"
        }
        return """
            <svg class="treemap" viewBox="0 0 \(Int(width)) \(Int(height))" aria-hidden="true">
            \(boxes)</svg>
            """
    }

    private static func tenth(_ value: Double) -> String { String((value * 10).rounded() / 10) }
}
