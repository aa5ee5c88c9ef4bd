import LarderFormat

/// The recorded runs of filters along a line of time, and in words.
enum RunTimeline {
    private static let width = 1200.0
    private static let lane = 26.0
    private static let names = 240.0

    /// Returns a picture with a line for each of the first 40 filters that have recorded runs, from the first run until
    /// now. The tables have the same facts, so assistive technology skips it.
    static func html(_ filters: [FilterState], now: Int64) -> HTML {
        let shown = filters.filter { !$0.runs.isEmpty }.prefix(40)
        guard let start = shown.flatMap(\.runs).map(\.beganAt).min(), start < now else { return "" }
        let lines = shown.enumerated().map { index, state in line(state, Double(index) * lane, start, now) }
        let height = Double(shown.count) * lane + 20
        return """
            <svg class="timeline" viewBox="0 0 \(Int(width)) \(Int(height))" aria-hidden="true">
            \(lines)<text x="\(Int(names))" y="\(Int(height - 4))">\(timeText(start).replacing("T", with: " ").prefix(19).description)</text>\
            <text x="\(Int(width))" y="\(Int(height - 4))" text-anchor="end">now</text>
            </svg>
            """
    }

    private static func line(_ state: FilterState, _ top: Double, _ start: Int64, _ now: Int64) -> HTML {
        // Distances are computed as fractions, because a damaged clock may have stored any time.
        let scale = (width - names) / (Double(now) - Double(start))
        let bars = state.runs.map { runs -> HTML in
            let left = min(max(0, (Double(runs.beganAt) - Double(start)) * scale), width - names)
            let right = min(max(left + 5, (Double(runs.endedAt) - Double(start)) * scale), width - names)
            let shift = min(left, width - names - 5)
            return """
                <rect class="\(style(runs))" x="\(Int(names + shift))" y="\(Int(top + 4))" \
                width="\(Int(max(5, right - left)))" height="16"><title>\(state.filter): \(sentence(runs))</title></rect>
                """
        }
        return """
            <text x="0" y="\(Int(top + 17))">\(String(state.filter.prefix(32)))</text>\
            <line x1="\(Int(names))" y1="\(Int(top + 12))" x2="\(Int(width))" y2="\(Int(top + 12))"/>\(bars)

            """
    }

    private static func style(_ runs: RecordedRuns) -> String {
        runs.error != nil ? "failed" : runs.rowsWritten > 0 ? "changed" : "same"
    }

    /// Returns what runs did, in words.
    static func sentence(_ runs: RecordedRuns) -> String {
        let subject = countText(Int(runs.count), "run")
        let rows = runs.rowsWritten > 0 ? " changed \(countText(Int(runs.rowsWritten), "row"))" : nil
        if let error = runs.error { return "\(subject)\(rows.map { $0 + " and" } ?? "") failed: \(error)" }
        return "\(subject)\(rows ?? " found nothing new")"
    }
}
