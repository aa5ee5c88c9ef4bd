internal import LarderEngine
internal import LarderFormat

// Filters and their members, resources, generations and rows.

extension SalvageRepair {
    /// Removes members of filters that are lost, and lets filters begin again whose lists of members are damaged.
    ///
    /// The bootstrap that follows fetches only resources that are not whole.
    mutating func repairFilters(_ transaction: inout Transaction) throws {
        let filters = try transaction.filters()
        let numbers = Set(filters.map(\.number))
        var orphans: [[UInt8]] = []
        try transaction.tables.forEachRaw(.members, prefix: [], in: transaction.engine) { entry in
            if let key = try? MemberRecord.decodeKey(entry.key), !numbers.contains(key.filter) {
                orphans.append([UInt8](copying: entry.key))
            }
            return true
        }
        for key in orphans { try transaction.remove(key: key, in: .members) }
        guard loader.hasLoss(of: .members) || loader.hasLoss(of: .filters) else { return }
        for (_, filter) in filters where filter.token != nil { try resync(filter.filter, &transaction) }
    }

    private mutating func resync(_ filter: String, _ transaction: inout Transaction) throws {
        try transaction.updateFilter(filter) {
            $0.token = nil
            $0.isBootstrapping = true
        }
        report.resyncedFilters.append(filter)
    }

    /// Keeps one generation of each resource, the one that readers saw, and counts its rows anew.
    mutating func repairContent(_ transaction: inout Transaction) throws {
        let tokens = Set(try transaction.filters().filter { $0.record.token != nil }.map(\.record.filter))
        let contents = try contents(transaction)
        let stored = try generations(transaction)
        let records = try resources(transaction)
        let live = try liveGenerations(records, Set(contents.keys).union(stored.keys))
        for generation in Set(contents.keys).union(stored.keys).sorted() where live[generation] == nil {
            try putOwner(of: generation, contents[generation], &transaction)
            try transaction.discardGeneration(generation)
        }
        for (generation, resource) in live.sorted(by: { $0.key < $1.key }) {
            let content = contents[generation] ?? GenerationContent()
            try putOwner(of: generation, content, &transaction)
            let found = GenerationRecord(
                owner: resource, rowCount: content.rows, byteCount: content.bytes, digest: content.digest)
            if stored[generation] != found { try transaction.putGeneration(generation, found) }
            let record = records[resource]
            let isCounted = record?.rowCount == found.rowCount && record?.byteCount == found.byteCount
            if stored[generation] == found, isCounted, try !isOld(resource) { continue }
            try putIncomplete(resource, record, generation, found, &transaction)
        }
        let owners = Set(live.values)
        for resource in Set(records.keys).union(try members(transaction)).subtracting(owners).sorted() {
            let record = records[resource]
            if let record, record.state != .ready { continue }
            try putIncomplete(resource, record, nil, nil, &transaction)
        }
        for resource in records.keys.sorted() {
            try transaction.update(resource) {
                $0.stagingGeneration = nil
                $0.overlays = 0
                if $0.state != .ready { $0.liveGeneration = nil }
            }
        }
        for filter in tokens where try transaction.filter(filter)?.record.token == nil {
            report.resyncedFilters.append(filter)
        }
    }

    /// Stores the record of a resource of which rows may be missing. A sync fetches its snapshot, as it was never synced.
    private mutating func putIncomplete(
        _ resource: ResourceKey, _ known: ResourceRecord?, _ generation: Int64?, _ content: GenerationRecord?,
        _ transaction: inout Transaction
    ) throws {
        var record = known ?? ResourceRecord()
        record.state = generation == nil ? .empty : .ready
        record.liveGeneration = generation
        record.stagingGeneration = nil
        record.rowCount = content?.rowCount ?? 0
        record.byteCount = content?.byteCount ?? 0
        record.syncedAt = nil
        record.overlays = 0
        try transaction.restore(&record, of: resource)
        try transaction.put(body: record.encode(), in: .resources) { try ResourceRecord.appendKey(resource, to: &$0) }
        report.incompleteResources.append(resource)
    }

    private func putOwner(
        of generation: Int64, _ content: GenerationContent?, _ transaction: inout Transaction
    ) throws {
        guard content?.hasOwnerRow != true, let owner = loader.owners[generation]?.resource else { return }
        let key = RowKeyCoding.prefix(generation: generation)
        try transaction.put(body: OwnerRecord(owner: owner).encode(), key: key, in: .rows)
    }

    /// Whether the record of a resource may be an old one.
    private func isOld(_ resource: ResourceKey) throws -> Bool {
        if loader.unreachedResources.isEmpty { return false }
        return loader.unreachedResources.contains(
            try Transaction.key { try ResourceRecord.appendKey(resource, to: &$0) })
    }

    /// Returns the generation that readers saw of each resource, with its owner: the one that its record names or, where
    /// the record is lost or may be an old one, the newest one.
    private func liveGenerations(
        _ records: [ResourceKey: ResourceRecord], _ generations: Set<Int64>
    ) throws -> [Int64: ResourceKey] {
        var live: [Int64: ResourceKey] = [:]
        for (resource, record) in records where try record.state == .ready && !isOld(resource) {
            guard let generation = record.liveGeneration, loader.owners[generation]?.resource == resource else {
                continue
            }
            live[generation] = resource
        }
        var newest: [ResourceKey: Int64] = [:]
        for generation in generations.subtracting(loader.unseenGenerations) {
            guard let owner = loader.owners[generation]?.resource else { continue }
            if try records[owner] != nil && !isOld(owner) { continue }
            newest[owner] = max(newest[owner] ?? generation, generation)
        }
        for (resource, generation) in newest { live[generation] = resource }
        return live
    }

    private func contents(_ transaction: borrowing Transaction) throws -> [Int64: GenerationContent] {
        var contents: [Int64: GenerationContent] = [:]
        try transaction.tables.forEachRaw(.rows, prefix: [], in: transaction.engine) { entry in
            guard let (generation, row) = try? RowKeyCoding.decode(entry.key) else { return true }
            if row == nil {
                contents[generation, default: GenerationContent()].hasOwnerRow = true
            } else {
                contents[generation, default: GenerationContent()].add(entry)
            }
            return true
        }
        return contents
    }

    private func generations(_ transaction: borrowing Transaction) throws -> [Int64: GenerationRecord] {
        var found: [Int64: GenerationRecord] = [:]
        try transaction.tables.forEachReadable(.generations, in: transaction.engine) { key, body throws(FormatError) in
            (try GenerationRecord.decodeKey(key), try GenerationRecord(decoding: body))
        } _: { (generation: (Int64, GenerationRecord)) in
            found[generation.0] = generation.1
        }
        return found
    }

    private func resources(_ transaction: borrowing Transaction) throws -> [ResourceKey: ResourceRecord] {
        var found: [ResourceKey: ResourceRecord] = [:]
        try transaction.tables.forEachReadable(.resources, in: transaction.engine) { key, body throws(FormatError) in
            (try ResourceRecord.decodeKey(key), try ResourceRecord(decoding: body))
        } _: { (resource: (ResourceKey, ResourceRecord)) in
            found[resource.0] = resource.1
        }
        return found
    }

    private func members(_ transaction: borrowing Transaction) throws -> Set<ResourceKey> {
        var found: Set<ResourceKey> = []
        try transaction.tables.forEachRaw(.members, prefix: [], in: transaction.engine) { entry in
            if let key = try? MemberRecord.decodeKey(entry.key) { found.insert(key.resource) }
            return true
        }
        return found
    }
}
