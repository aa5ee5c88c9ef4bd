/// What the store has at the key of an item.
package enum LocalRow: Hashable, Sendable {
    /// No row.
    case none
    /// The same row.
    case same
    /// Another row; `members` as in ``ListChanges/Update/members``.
    case changed(members: [String]?)
}
