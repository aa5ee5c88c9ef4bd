internal import LarderEngine
internal import LarderFormat

extension Verifier {
    /// Checks `overlay`. FORMAT.md, Invariant 18.
    func verifyOverlay(_ snapshot: borrowing ReadTransaction) throws {
        var counts: [ResourceKey: Int64] = [:]
        try walk(.overlay, snapshot) { entry in
            guard let (row, sequence) = try key(of: entry, .overlay, OverlayKey.decode) else { return }
            counts[row.resource, default: 0] += 1
            highest.outboxSequence = max(highest.outboxSequence, sequence)
            do throws(FormatError) {
                try RowKeyCoding.checkBudget(resource: row.resource, type: row.type, key: row.key)
                let body = try Record.open(entry.value, key: entry.key, seed: TableName.overlay.seed)
                _ = try RecordHeader(decoding: entry.value).payloadCodec()
                _ = try OverlayBody(body: body)
            } catch {
                try find(damage: error, in: .overlay, at: "\(row.resource) \(row.type) \(row.key) \(sequence)")
            }
        }
        if broken.contains(.overlay) || broken.contains(.resources) { return }
        for name in Set(counts.keys).union(resources.keys).subtracting(damagedResources).sorted() {
            let found = counts[name] ?? 0
            guard let record = resources[name] else {
                try find(.orphan, in: .overlay, at: "\(name)", "\(found) overlays of a resource without a record")
                continue
            }
            if record.overlays != found {
                try find(.count, in: .resources, at: "\(name)", "\(record.overlays) overlays noted, \(found) found")
            }
        }
    }
}
