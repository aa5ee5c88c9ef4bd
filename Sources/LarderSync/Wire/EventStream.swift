/// Reads server-sent events out of the chunks of a response (HTML Standard §9.2.6, `text/event-stream`).
///
/// ```swift
/// var stream = EventStream()
/// for try await chunk in body {
///     for event in try stream.events(in: chunk) { … }
/// }
/// ```
struct EventStream {
    /// One event; its type is not reported, since a server of content sends one type only.
    struct Event: Hashable {
        /// The text of the `data` fields, joined by line feeds.
        var data: String
        /// The text of the last `id` field of the stream.
        var id: String
    }

    /// The longest line, and the longest data of an event, in bytes.
    static let longest = 64 << 10

    private static let tooLong = WireError.tooLarge(path: "event", limit: longest)

    private var line: [UInt8] = []
    private var endsWithReturn = false
    private var isFirstLine = true
    private var data: [String] = []
    private var length = 0
    private var id = ""

    /// Returns the events that a chunk completes.
    ///
    /// - Throws: ``WireError/tooLarge(path:limit:)`` for a line or an event above ``longest``.
    mutating func events(in chunk: [UInt8]) throws(WireError) -> [Event] {
        var events: [Event] = []
        for byte in chunk {
            switch byte {
            // The line feed of a CR LF ends no second line.
            case 0x0A where endsWithReturn: endsWithReturn = false
            case 0x0A, 0x0D:
                endsWithReturn = byte == 0x0D
                if let event = try endLine() { events.append(event) }
            default:
                endsWithReturn = false
                guard line.count < Self.longest else { throw Self.tooLong }
                line.append(byte)
            }
        }
        return events
    }

    private mutating func endLine() throws(WireError) -> Event? {
        var text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        if isFirstLine, text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        isFirstLine = false
        guard !text.isEmpty else {
            defer { (data, length) = ([], 0) }
            return data.isEmpty ? nil : Event(data: data.joined(separator: "\n"), id: id)
        }
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = halves.count == 2 ? String(halves[1].first == " " ? halves[1].dropFirst() : halves[1]) : ""
        switch halves[0] {
        case "data":
            // The line feed that joins values counts, too.
            length += value.utf8.count + 1
            guard length <= Self.longest else { throw Self.tooLong }
            data.append(value)
        case "id" where !value.utf8.contains(0): id = value
        default: break
        }
        return nil
    }
}
