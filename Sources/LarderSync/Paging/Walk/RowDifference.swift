/// The stored row of an item, compared with the item.
package enum RowDifference: Hashable, Sendable {
    /// No row.
    case none
    /// The same row.
    case same
    /// Another row; `members` as in ``ListChanges/Update/members``.
    case changed(members: [String]?)
}
