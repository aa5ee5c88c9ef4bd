/// A place in the server's count of changes.
///
/// A server that is restored from a backup counts anew what was counted before. So a sequence belongs to a *timeline*, which
/// the store counts itself: positions are compared by their timelines first. FORMAT.md, "Positions".
package struct ServerPosition: Hashable, Comparable, Sendable {
    /// Before all that any server has counted.
    package static let zero = ServerPosition(0, 0)

    /// How often the server was found restored before.
    package var timeline: Int64
    /// The server's count.
    package var sequence: Int64

    package init(_ timeline: Int64, _ sequence: Int64) {
        self.timeline = timeline
        self.sequence = sequence
    }

    package static func < (left: ServerPosition, right: ServerPosition) -> Bool {
        (left.timeline, left.sequence) < (right.timeline, right.sequence)
    }

    /// Its two elements in a record.
    mutating func codeFields(_ coder: inout FieldCoder) {
        coder.count("timeline", &timeline)
        // There has to be a next one.
        coder.require(timeline < .max, "timeline", timeline)
        coder.integer(&sequence)
    }
}
