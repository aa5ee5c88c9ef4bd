internal import LarderJSON

extension ConflictPolicy {
    /// What the server holds, with some members of the local row: of JSON objects, at the top level.
    ///
    /// What cannot be merged so, because one side is removed, unknown or no JSON object, is the server's. A merge that is what
    /// the server holds already sends nothing.
    ///
    /// - Parameters:
    ///   - local: the members that the device has the say in; one that the local row lacks is removed.
    ///   - remote: members that are never taken from the device, whatever it holds: said for the reader, as all others are not
    ///     either.
    public static func fieldMerge(local: Set<String>, remote: Set<String> = []) -> ConflictPolicy {
        precondition(local.isDisjoint(with: remote), "a member is taken from both sides")
        return ConflictPolicy("field-merge") { conflict in
            guard let sides = JSONSides(conflict) else { return .keepRemote }
            var merged = sides.remote
            for name in local.sorted() {
                let name = Array(name.utf8)
                if JSONMembers.isSame(sides.local[name], sides.remote[name]) { continue }
                if let member = sides.local[name] { merged.put(member) } else { merged.remove(name) }
            }
            return merged == sides.remote ? .keepRemote : .send(merged.text)
        }
    }

    /// The source's example: the device has the say in `status` and `notes`, the server in `approvedBy` and `approvedAt` and all
    /// else.
    public static let source = fieldMerge(local: ["status", "notes"], remote: ["approvedBy", "approvedAt"])
}

/// The sides of a conflict as JSON objects.
struct JSONSides {
    /// What the write was made from; nil where that is not known, or no JSON object.
    let base: JSONMembers?
    let local: JSONMembers
    let remote: JSONMembers

    /// Nil when the local or the remote side is none.
    init?(_ conflict: Conflict) {
        guard let local = conflict.local.payload.flatMap({ JSONMembers($0) }),
            let remote = conflict.remote?.payload.flatMap({ JSONMembers($0) })
        else { return nil }
        base = conflict.base?.payload.flatMap { JSONMembers($0) }
        self.local = local
        self.remote = remote
    }
}
