internal import LarderEngine
internal import LarderFormat
internal import LarderJSON

extension Verifier {
    /// Checks `overlay`. FORMAT.md, Invariant 18.
    func verifyOverlay(_ snapshot: borrowing ReadTransaction) throws {
        var counts: [ResourceKey: Int64] = [:]
        var patched: [RowKey] = []
        try walk(.overlay, snapshot) { entry in
            guard let (row, sequence) = try key(of: entry, .overlay, OverlayKey.decode) else { return }
            counts[row.resource, default: 0] += 1
            highest.outboxSequence = max(highest.outboxSequence, sequence)
            do throws(FormatError) {
                try RowKeyCoding.checkBudget(resource: row.resource, type: row.type, key: row.key)
                let body = try Record.open(entry.value, key: entry.key, seed: TableName.overlay.seed)
                _ = try RecordHeader(decoding: entry.value).payloadCodec()
                let record = try OverlayBody(body: body).record
                if record.kind == .patch, patched.last != row { patched.append(row) }
                highest.journalSequence = max(highest.journalSequence, record.acceptance ?? 0)
            } catch {
                try find(damage: error, in: .overlay, at: Self.place(row, sequence))
            }
        }
        for row in patched { try verifyPatches(at: row, snapshot) }
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

    /// Checks that patches make of what lies beneath them now what is stored with them.
    private func verifyPatches(at row: RowKey, _ snapshot: borrowing ReadTransaction) throws {
        let stack: OverlayStack
        var beneath: RowContent?
        do {
            stack = try tables.stack(at: row, in: snapshot)
            if let server = try tables.row(at: row, in: snapshot) { beneath = RowContent(server) }
        } catch is StoreError {
            // What is damaged beneath is a finding of its own.
            return
        }
        var layers = stack.layers
        for index in layers.indices {
            let place = Self.place(row, layers[index].sequence)
            if let patch = layers[index].record.patch, JSONMergePatch(patch) == nil {
                try find(.undecodable, in: .overlay, at: place, "the patch is no JSON")
            } else if layers[index].remake(over: beneath) {
                try find(.derived, in: .overlay, at: place, "the row is not what the patch makes of what lies beneath")
            }
            beneath = layers[index].content
        }
    }

    private static func place(_ row: RowKey, _ sequence: Int64) -> String {
        "\(row.resource) \(row.type) \(row.key) \(sequence)"
    }
}
