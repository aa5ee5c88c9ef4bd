internal import LarderEngine
internal import LarderFormat
internal import LarderJSON

extension Verifier {
    /// Checks `overlay`. FORMAT.md, "Invariants".
    func verifyOverlay(_ source: ReadTransaction) throws {
        var counts: [ResourceKey: Int64] = [:]
        var overlaid: Set<RowKey> = []
        try walk(.overlay, source) { entry in
            guard let (row, sequence) = try key(of: entry, .overlay, OverlayKey.decode) else { return }
            overlaid.insert(row)
            if sequence == nil {
                counts[row.resource, default: 0] += 1
                indexes.addExpected(entry, .overlaid(row.resource), (row.type, row.key), of: row.resource)
            }
            do throws(FormatError) {
                try RowKeyCoding.checkBudget(resource: row.resource, type: row.type, key: row.key)
                if let sequence {
                    highest.outboxSequence = max(highest.outboxSequence, sequence)
                    let record = try OverlayRecord(
                        decoding: Record.open(
                            entry.value, key: entry.key, seed: TableName.overlay.seed, codec: RecordHeader.tupleCodec))
                    highest.journalSequence = max(highest.journalSequence, record.acceptance ?? 0)
                    if let patch = record.change.patch, JSONMergePatch(patch) == nil {
                        throw .invalidValue(field: "patch", value: Int64(patch.count))
                    }
                } else {
                    let codec = try RecordHeader(decoding: entry.value).payloadCodec()
                    let shown = try OverlayRow(
                        body: Record.open(entry.value, key: entry.key, seed: TableName.overlay.seed))
                    if shown.result != .row, codec != .opaque { throw .unexpectedCodec(codec.rawValue) }
                    if shown.result != .row, shown.updatedAt != 0 {
                        throw .invalidValue(field: "updatedAt", value: shown.updatedAt)
                    }
                }
            } catch {
                try reportDamage(error, in: .overlay, at: Self.place(row, sequence))
            }
        }
        for row in overlaid.sorted() { try verifyShown(row, source) }
        if broken.contains(.overlay) || broken.contains(.resources) { return }
        for name in Set(counts.keys).union(resources.keys).subtracting(damagedResources).sorted() {
            let found = counts[name] ?? 0
            guard let record = resources[name] else {
                try reportFinding(
                    .orphan, in: .overlay, at: "\(name)", "\(found) overlaid rows of a resource without a record")
                continue
            }
            try compare(record.overlays, found, "overlaid rows", in: .resources, at: "\(name)")
        }
    }

    /// Checks that the row stored for readers is the one that results from the server's row and the writes over it.
    private func verifyShown(_ row: RowKey, _ source: ReadTransaction) throws {
        let key = try Transaction.shownKey(row)
        let stack: OverlayStack
        let made: KnownRow?
        do {
            stack = try tables.stack(at: row, in: source)
            made = try tables.shown(of: stack, in: source)
        } catch is StoreError {
            return
        }
        let found = try source.value(forKey: key.rawSpan, in: tables.overlay)
        // A damaged record is a finding of its own; a row that depends on it may have been made before the damage.
        if case .failure? = made { return }
        if let found, (try? Record.open(found, key: key.rawSpan, seed: TableName.overlay.seed)) == nil { return }
        let wanted = made.map { stack.sealed($0, key: key) }
        if let found, let wanted, found.equals(wanted.rawSpan) { return }
        try reportFinding(
            .derived, in: .overlay, at: Self.place(row, nil),
            "the row is not what the writes over it make of the server's")
    }

    private static func place(_ row: RowKey, _ sequence: Int64?) -> String {
        "\(row.resource) \(row.type) \(row.key)" + (sequence.map { " \($0)" } ?? "")
    }
}
