internal import LarderEngine
internal import LarderFormat

// Resources, generations and rows, each record by itself.

extension Verifier {
    func verifyResources(_ source: ReadTransaction) throws {
        try walk(.resources, source) { entry in
            guard let name = try key(of: entry, .resources, ResourceRecord.decodeKey) else { return }
            if let record = try record(of: entry, .resources, at: "\(name)", ResourceRecord.init(decoding:)) {
                resources[name] = record
                highest.timeline = max(highest.timeline, record.applied.timeline)
            } else {
                damagedResources.insert(name)
            }
        }
    }

    func verifyGenerations(_ source: ReadTransaction) throws {
        try walk(.generations, source) { entry in
            guard let number = try key(of: entry, .generations, GenerationRecord.decodeKey) else { return }
            try checkPositive(number, in: .generations, at: "generation \(number)")
            highest.generation = max(highest.generation, number)
            let location = "generation \(number)"
            if let record = try record(of: entry, .generations, at: location, GenerationRecord.init(decoding:)) {
                generations[number] = record
            } else {
                damagedGenerations.insert(number)
            }
        }
    }

    func verifyRows(_ source: ReadTransaction) throws {
        var seeds = SeedCache()
        try walk(.rows, source) { entry in
            guard let (number, row) = try key(of: entry, .rows, RowKeyCoding.decode) else { return }
            highest.generation = max(highest.generation, number)
            if let row {
                try verifyRow(entry, number, row, &seeds)
            } else {
                try checkPositive(number, in: .rows, at: "generation \(number)")
                contents[number, default: GenerationContent()].hasOwnerRow = true
                contents[number]?.owner =
                    try record(of: entry, .rows, at: "owner of generation \(number)", OwnerRecord.init(decoding:))?
                    .owner
            }
        }
    }

    private func verifyRow(
        _ entry: borrowing Entry, _ number: Int64, _ row: (type: String, key: String), _ seeds: inout SeedCache
    ) throws {
        var content = contents[number, default: GenerationContent()]
        defer { contents[number] = content }
        content.add(entry)
        let recorded = generations[number]?.owner
        guard let owner = content.owner ?? recorded else {
            content.unverified += 1
            return
        }
        do throws(FormatError) {
            try RowKeyCoding.checkBudget(resource: owner, type: row.type, key: row.key)
            do throws(FormatError) {
                try Self.open(entry, seeds.seed(of: owner))
            } catch .checksumMismatch {
                // The owner row itself may be the one that is wrong.
                guard let recorded, recorded != owner else { throw .checksumMismatch }
                try Self.open(entry, seeds.seed(of: recorded))
            }
            indexes.addExpected(entry, .generation(number), row, of: recorded)
        } catch {
            indexes.unreadable.insert(.generation(number))
            let location = "\(owner) \(row.type) \(row.key) (generation \(number))"
            try reportDamage(error, in: .rows, at: location)
        }
    }

    private static func open(_ entry: borrowing Entry, _ seed: UInt64) throws(FormatError) {
        let body = try Record.open(entry.value, key: entry.key, seed: seed)
        _ = try RecordHeader(decoding: entry.value).payloadCodec()
        _ = try RowBody(body: body)
    }

    /// Reports a number below 1: the numbers that a store assigns begin at 1.
    func checkPositive(_ number: Int64, in name: TableName, at location: String) throws(CallbackError) {
        if number < 1 { try reportFinding(.key, in: name, at: location, "numbers begin at 1") }
    }
}

/// The seed of the last owner: rows of one owner are adjacent.
private struct SeedCache {
    private var last: (owner: ResourceKey, seed: UInt64)?

    mutating func seed(of owner: ResourceKey) -> UInt64 {
        if let last, last.owner == owner { return last.seed }
        let seed = Checksum.ownerSeed(owner)
        last = (owner, seed)
        return seed
    }
}
