internal import LarderJSON

extension ConflictPolicy {
    /// The side that wins where both have changed the same member.
    public enum Precedence: Hashable, Sendable {
        /// The server.
        case remote
        /// The device.
        case local
        /// The side that wrote last, as ``ConflictPolicy/lastWriteWins`` decides.
        case latest
        /// Neither: the whole conflict waits for the host.
        case host
    }

    /// Returns a policy that merges the changes of both sides since the write was made, by top-level JSON members.
    ///
    /// A member that only the device has changed, added or removed comes from the device; one that only the server has
    /// changed comes from the server. Where both have, and differently, `precedence` decides. Without the row that the
    /// write was made from, every member that differs counts as changed on both sides. Where one side is removed or no
    /// JSON object, `precedence` decides about the whole. A merge that equals the server's version sends nothing.
    public static func threeWayMerge(otherwise precedence: Precedence = .remote) -> ConflictPolicy {
        ConflictPolicy("three-way-merge") { conflict in
            guard let remote = conflict.remote else { return precedence == .host ? .deferToHost : .keepRemote }
            let isLocalAhead: Bool? =
                switch precedence {
                case .remote: false
                case .local: true
                case .latest: conflict.local.isLater(than: remote, basedOn: conflict.base)
                case .host: nil
                }
            if conflict.local.payload == remote.payload { return .keepRemote }
            guard let sides = JSONSides(conflict) else {
                return isLocalAhead.map { $0 ? .keepLocal : .keepRemote } ?? .deferToHost
            }
            guard let merged = sides.merged(isLocalAhead: isLocalAhead) else { return .deferToHost }
            return merged == sides.remote ? .keepRemote : .send(merged.text)
        }
    }
}

extension JSONSides {
    /// Returns the server's object with the changes of the device; nil when both have changed the same member and
    /// `isLocalAhead` is nil.
    func merged(isLocalAhead: Bool?) -> JSONMembers? {
        var merged = remote
        let names = local.members.map(\.name) + remote.members.map(\.name).filter { local[$0] == nil }
        for name in names {
            let (ours, theirs) = (local[name], remote[name])
            if JSONMembers.isSame(ours, theirs) { continue }
            if let base, JSONMembers.isSame(ours, base[name]) { continue }
            if base.map({ !JSONMembers.isSame(theirs, $0[name]) }) ?? true {
                guard let isLocalAhead else { return nil }
                if !isLocalAhead { continue }
            }
            if let ours { merged.put(ours) } else { merged.remove(name) }
        }
        return merged
    }
}
