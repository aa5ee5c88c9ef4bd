internal import LarderFormat

/// When a full copy may replace the rows of a resource.
///
/// A copy is current when it is fetched, and still may come from a server that lags behind the one that asked for it:
/// swapped in, it would lose changes for ever.
package struct FullCopyRule: Hashable, Sendable {
    /// The last change that it has to contain.
    var changeSequence: Int64
    /// In a bootstrap, the bound of the run.
    let bootstrapBound: Int64?
    /// Whether the floor may be lowered: once per resource, in a bootstrap after a rejected token.
    let mayLowerFloor: Bool

    /// Whether a copy of `sequence` may be swapped in above `floor`.
    func accepts(_ sequence: Int64, floor: Int64) -> Bool {
        if sequence < changeSequence { return false }
        if let bootstrapBound, sequence < bootstrapBound { return false }
        return mayLowerFloor || sequence >= floor
    }
}
