internal import LarderJSON

extension ConflictPolicy {
    /// Returns a policy that sends the server's JSON object with some top-level members of the local one.
    ///
    /// Where one side is removed, unknown or no JSON object, the server's version is kept. A merge that equals the
    /// server's version sends nothing.
    ///
    /// - Parameters:
    ///   - local: the members whose local values count; one that the local row lacks is removed.
    ///   - remote: members that never come from the device. They only document this, as no other member does either.
    public static func fieldMerge(local: Set<String>, remote: Set<String> = []) -> ConflictPolicy {
        precondition(local.isDisjoint(with: remote), "a member is listed for both sides")
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

    /// The merge of the source's example: `status` and `notes` come from the device, `approvedBy`, `approvedAt` and all
    /// else from the server.
    public static let source = fieldMerge(local: ["status", "notes"], remote: ["approvedBy", "approvedAt"])
}

/// The sides of a conflict as JSON objects.
struct JSONSides {
    /// The version that the write was made from; nil where it is unknown or no JSON object.
    let base: JSONMembers?
    let local: JSONMembers
    let remote: JSONMembers

    /// Nil when the local or the remote side is no JSON object.
    init?(_ conflict: Conflict) {
        guard let local = conflict.local.payload.flatMap({ JSONMembers($0) }),
            let remote = conflict.remote?.payload.flatMap({ JSONMembers($0) })
        else { return nil }
        base = conflict.base?.payload.flatMap { JSONMembers($0) }
        self.local = local
        self.remote = remote
    }
}
