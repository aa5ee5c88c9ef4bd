/// A position in the server's sequence of changes.
///
/// A server that is restored from a backup assigns the same sequences again. Therefore a sequence belongs to a
/// *timeline*, which the store counts itself: positions are compared by their timelines first. FORMAT.md, "Positions".
package struct ServerPosition: Hashable, Comparable, Sendable {
    /// The position before every change of any server.
    package static let zero = ServerPosition(0, 0)

    /// The number of times that the server was found restored before.
    package var timeline: Int64
    /// The server's sequence.
    package var sequence: Int64

    package init(_ timeline: Int64, _ sequence: Int64) {
        self.timeline = timeline
        self.sequence = sequence
    }

    package static func < (left: ServerPosition, right: ServerPosition) -> Bool {
        (left.timeline, left.sequence) < (right.timeline, right.sequence)
    }

    /// Codes its two elements in a record.
    mutating func codeFields(_ coder: inout FieldCoder) {
        coder.count("timeline", &timeline)
        // The next timeline needs a higher number.
        coder.require(timeline < .max, "timeline", timeline)
        coder.integer(&sequence)
    }
}
