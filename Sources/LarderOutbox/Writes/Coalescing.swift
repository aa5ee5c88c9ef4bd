internal import LarderFormat
internal import LarderJSON
internal import LarderStore

/// The way a write is merged into the one before it that was never sent, so that both are one request.
///
/// The write is merged into the last entry of its lane, if that entry
///
/// - is to be sent, and no send of it was ever begun,
/// - was made under the same account, and has the same entity, type, method, endpoint, header fields and number of
///   attempts, comes after the same entries, and loads its response or does not, as the write does,
/// - has no deduplication key, and the write has none: the content that a key stands for must not change,
/// - has no entry that comes after it: that entry would be held, and rejected, because of the newer write,
/// - is not hidden from readers by another write over a row that the newer one changes.
///
/// Otherwise the write is an entry of its own, as without coalescing; so it is where the merged body would not fit into
/// the bounds. No write is ever lost or refused because of it. The older write need not have requested it. A write that
/// must arrive as it is has a type of its own, or a deduplication key.
///
/// The entry keeps its identity, position and time. Cancelling or editing it affects all that was merged into it.
public enum Coalescing: Hashable, Sendable {
    /// The newer body replaces the older, and so do the effects: for a write that contains the whole entity, such as
    /// the PUT of an editor that saves automatically. Rows that only the older changed are shown as they are beneath
    /// it. A patch of a row that the older changed too is applied over that.
    case replaces
    /// Both bodies are JSON merge patches (RFC 7396), and become the one that does what both do in turn; so do the
    /// effects: for PATCH. Where no patch does that, as when a member is removed and then given members of its own, the
    /// newer is an entry of its own.
    case mergesPatch
}

extension Coalescing {
    /// Puts the merged body of both writes into `merged`, which holds the newer one; returns false when there is none.
    func mergeBody(of older: OutboxDraft, into merged: inout OutboxDraft) -> Bool {
        switch self {
        case .replaces: return true
        case .mergesPatch:
            guard older.blob == nil, merged.blob == nil, let first = JSONMergePatch(older.payload),
                let second = JSONMergePatch(merged.payload), let both = first.followed(by: second),
                both.count <= Limits.payload
            else { return false }
            merged.payload = both
            return true
        }
    }

    /// Returns the merged effects of both writes; nil when no effect represents both.
    func effects(_ older: [RowEffect], _ newer: [RowEffect]) -> [RowEffect]? {
        let order: [RowEffect]
        switch self {
        case .replaces: order = newer
        case .mergesPatch:
            // The first row is the one that a response is loaded into, so it stays first.
            let known = Set(older.map(\.key))
            order = older + newer.filter { !known.contains($0.key) }
        }
        var effects: [RowEffect] = []
        for effect in order {
            let before = older.first { $0.key == effect.key }?.change
            let after = newer.first { $0.key == effect.key }?.change
            let both = before.map { $0.followed(by: after) } ?? after
            guard let change = both else { return nil }
            effects.append(RowEffect(change, at: effect.key))
        }
        return effects
    }
}

extension OverlayChange {
    /// Returns the one change that has the effect of this one followed by `later`; nil where there is none.
    func followed(by later: OverlayChange?) -> OverlayChange? {
        guard let later else { return self }
        guard case .patch(let changes) = later else { return later }
        guard let patch = JSONMergePatch(changes) else { return nil }
        switch self {
        case .replacement(let payload, let codec):
            return .replacement(patch.merged(over: payload, codec: codec))
        case .removal:
            // A patch of a removed row creates none.
            return .removal
        case .patch(let own):
            return JSONMergePatch(own)?.followed(by: patch).map { .patch($0) }
        }
    }
}
