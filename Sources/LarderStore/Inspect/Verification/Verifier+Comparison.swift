internal import LarderFormat

// Comparisons of the tables with each other.

extension Verifier {
    /// Compares generations with their rows and their resources. FORMAT.md, "Invariants".
    func compareGenerations() throws {
        for (number, record) in generations.sorted(by: { $0.key < $1.key }) {
            let location = "generation \(number) of \(record.owner)"
            if !broken.contains(.rows) { try compareRows(of: number, record, location) }
            if broken.contains(.resources) || broken.contains(.garbage) || damagedResources.contains(record.owner) {
                continue
            }
            let resource = resources[record.owner]
            if isStaged(number) ? resource?.stagingGeneration != number : resource?.liveGeneration != number {
                try reportFinding(.orphan, in: .generations, at: location, "its owner does not refer to it")
            }
        }
        if broken.contains(.generations) { return }
        for (number, content) in contents.sorted(by: { $0.key < $1.key })
        where generations[number] == nil && !damagedGenerations.contains(number) && !isGarbage(.generation, number)
            && !broken.contains(.garbage)
        {
            try reportFinding(
                .orphan, in: .rows, at: "generation \(number)",
                "\(content.rows) rows without a record of their generation")
        }
    }

    private func compareRows(of number: Int64, _ record: GenerationRecord, _ location: String) throws(CallbackError) {
        let content = contents[number] ?? GenerationContent()
        if !content.hasOwnerRow {
            try reportFinding(.owner, in: .rows, at: location, "the generation has no owner row")
        } else if let owner = content.owner, owner != record.owner {
            try reportFinding(.owner, in: .rows, at: location, "the owner row names \(owner)")
        }
        if isStaged(number) || broken.contains(.garbage) { return }
        try compare(record.rowCount, content.rows, "rows", in: .generations, at: location)
        try compare(record.byteCount, content.bytes, "bytes", in: .generations, at: location)
        if content.digest != record.digest {
            try reportFinding(.digest, in: .generations, at: location, "the rows are not those that were written")
        }
    }

    /// Compares resources with the generations they point at. FORMAT.md, "Invariants".
    func compareResources() throws {
        for (name, record) in resources.sorted(by: { $0.key < $1.key }) {
            switch record.state {
            case .ready where record.liveGeneration == nil:
                try reportFinding(.pointer, in: .resources, at: "\(name)", "ready, without a live generation")
            case .evicted where record.liveGeneration != nil, .empty where record.liveGeneration != nil:
                try reportFinding(.pointer, in: .resources, at: "\(name)", "\(record.state), with a live generation")
            default: break
            }
            try comparePointer(of: name, to: record.liveGeneration, isStaged: false)
            try comparePointer(of: name, to: record.stagingGeneration, isStaged: true)
            try compareSizes(of: name, record)
        }
    }

    private func comparePointer(
        of name: ResourceKey, to number: Int64?, isStaged: Bool
    ) throws(CallbackError) {
        let state = isStaged ? "staging" : "live"
        guard let number, !broken.contains(.generations), !damagedGenerations.contains(number) else { return }
        guard let generation = generations[number] else {
            return try reportFinding(
                .pointer, in: .resources, at: "\(name)", "its \(state) generation \(number) has no record")
        }
        if self.isStaged(number) != isStaged, !broken.contains(.garbage) {
            try reportFinding(
                .pointer, in: .resources, at: "\(name)",
                "its \(state) generation \(number) is \(isStaged ? "not " : "")listed as being written")
        }
        if generation.owner != name {
            try reportFinding(
                .owner, in: .resources, at: "\(name)",
                "its \(state) generation \(number) belongs to \(generation.owner)")
        }
    }

    private func compareSizes(of name: ResourceKey, _ record: ResourceRecord) throws(CallbackError) {
        var expected: (rows: Int64, bytes: Int64) = (0, 0)
        if let live = record.liveGeneration {
            guard let generation = generations[live], !isStaged(live) else { return }
            expected = (generation.rowCount, generation.byteCount)
        }
        if (record.rowCount, record.byteCount) != expected {
            try reportFinding(
                .count, in: .resources, at: "\(name)",
                """
                \(record.rowCount) rows of \(record.byteCount) bytes recorded, \
                \(expected.rows) of \(expected.bytes) in its generation
                """)
        }
    }

    /// Compares the counters with the numbers and sizes found. FORMAT.md, "Invariants".
    func compareCounters(storedSize: Int64) throws {
        guard let counters else { return }
        let pairs: [(what: String, next: Int64, highest: Int64)] = [
            ("generation", counters.nextGeneration, highest.generation),
            ("outbox sequence", counters.nextOutboxSequence, highest.outboxSequence),
            ("filter", counters.nextFilter, highest.filter),
            ("blob", counters.nextBlob, highest.blob),
            ("journal sequence", counters.nextJournalSequence, highest.journalSequence),
            ("index", counters.nextIndex, highest.index),
            ("collection", counters.nextCollection, highest.collection),
            ("timeline", counters.applied.timeline + 1, highest.timeline),
        ]
        for (what, next, highest) in pairs where next <= highest {
            try reportFinding(
                .counter, in: .meta, at: "counters", "the next \(what) is \(next), and \(highest) is in use")
        }
        if counters.nextIndex > Limits.indexNumber + 1 {
            try reportFinding(
                .counter, in: .meta, at: "counters",
                "the next index is \(counters.nextIndex), and \(Limits.indexNumber) is the highest there may be")
        }
        if !broken.contains(.outbox),
            (counters.pendingEntries, counters.pendingBytes) != (pending.entries, pending.byteCount)
        {
            try reportFinding(
                .counter, in: .meta, at: "counters",
                "\(counters.pendingEntries) entries of \(counters.pendingBytes) bytes to be sent recorded, "
                    + "\(pending.entries) of \(pending.byteCount) found", severity: .minor)
        }
        if broken.isEmpty, counters.storedSize != storedSize {
            try reportFinding(
                .counter, in: .meta, at: "counters",
                "a stored size of \(counters.storedSize) bytes recorded, \(storedSize) found", severity: .minor)
        }
    }
}
