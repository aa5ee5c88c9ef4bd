internal import LarderEngine
internal import LarderFormat

// Content that is being written or was discarded. FORMAT.md, "Invariants".

extension Verifier {
    func verifyGarbage(_ source: ReadTransaction) throws {
        try walk(.garbage, source) { entry in
            guard let key = try key(of: entry, .garbage, GarbageKey.init(decoding:)) else { return }
            try checkPositive(key.number, in: .garbage, at: "\(key.kind) \(key.number)")
            switch key.kind {
            case .stagedGeneration, .generation: highest.generation = max(highest.generation, key.number)
            case .stagedBlob, .blob: highest.blob = max(highest.blob, key.number)
            case .index: highest.index = max(highest.index, key.number)
            }
            garbage.insert(key)
            _ = try record(of: entry, .garbage, at: "\(key.kind) \(key.number)", GarbageRecord.init(decoding:))
        }
    }

    func isGarbage(_ kind: GarbageKey.Kind, _ number: Int64) -> Bool { garbage.contains(GarbageKey(kind, number)) }

    /// Returns whether a generation that has a record is being written; no reader sees it.
    func isStaged(_ generation: Int64) -> Bool { isGarbage(.stagedGeneration, generation) }

    /// Compares what was discarded with what still exists, and what is being written with its record.
    func compareGarbage() throws {
        for key in garbage.sorted(by: { ($0.kind.rawValue, $0.number) < ($1.kind.rawValue, $1.number) }) {
            let hasRecord =
                switch key.kind {
                case .stagedGeneration, .generation:
                    generations[key.number] != nil || damagedGenerations.contains(key.number)
                case .index: indexes.numbers.contains(key.number)
                case .stagedBlob, .blob: blobs[key.number] != nil
                }
            if hasRecord, key.kind != .stagedGeneration {
                try reportFinding(.pointer, in: .garbage, at: "\(key.kind) \(key.number)", "it has a record of its own")
            }
            if key.kind == .stagedGeneration, !hasRecord, !broken.contains(.generations) {
                try reportFinding(.pointer, in: .garbage, at: "\(key.kind) \(key.number)", "it has no record")
            }
            if key.kind == .generation, contents[key.number]?.hasOwnerRow != true, !broken.contains(.rows) {
                try reportFinding(.owner, in: .rows, at: "generation \(key.number)", "the generation has no owner row")
            }
        }
    }
}
