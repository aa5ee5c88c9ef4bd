internal import LarderEngine
public import LarderFormat

extension ReadView {
    /// The metadata of a resource; nil when it is unknown.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``; ``StoreError/invalid(_:)`` for a group beyond the format's
    ///   limits.
    public borrowing func resource(_ key: ResourceKey) throws -> Resource? {
        try tables.resource(key, in: transaction).map { Resource(key, $0) }
    }

    /// Every known resource of the app, in the order of group and number, or those of one group.
    ///
    /// The library's own, such as `class:Note/0` for objects, are listed only where their group is named.
    ///
    /// - Throws: as ``resource(_:)``.
    public borrowing func resources(inGroup group: String? = nil) throws -> [Resource] {
        try allResources(inGroup: group).filter { group != nil || !$0.key.isReserved }
    }

    /// Every known resource, the library's own too, or those of one group.
    ///
    /// - Throws: as ``resource(_:)``.
    package borrowing func allResources(inGroup group: String? = nil) throws -> [Resource] {
        var found: [Resource] = []
        try tables.forEach(.resources, prefix: group.map(ResourceRecord.prefix) ?? [], in: transaction) { key, body in
            let resource = try decoding(.resources) { () throws(FormatError) in
                Resource(try ResourceRecord.decodeKey(key), try ResourceRecord(decoding: body))
            }
            found.append(resource)
            return true
        }
        return found
    }

    /// The resources as ``allResources(inGroup:)``, without those whose records cannot be read, and the number of these.
    ///
    /// - Throws: ``EngineError``.
    package borrowing func readableResources(
        inGroup group: String? = nil
    ) throws -> (resources: [Resource], damaged: Int) {
        var found: [Resource] = []
        let prefix = group.map(ResourceRecord.prefix) ?? []
        let count = try tables.forEachReadable(.resources, prefix: prefix, in: transaction) {
            (key, body) throws(FormatError) in
            Resource(try ResourceRecord.decodeKey(key), try ResourceRecord(decoding: body))
        } _: { (resource: Resource) in
            found.append(resource)
        }
        return (found, count - found.count)
    }

    /// The generation that the server's rows of a resource are shown from, and its record; nil where none are shown.
    ///
    /// - Throws: as ``resource(_:)``.
    package borrowing func visibleGeneration(
        of key: ResourceKey
    ) throws -> (number: Int64, record: GenerationRecord)? {
        guard let known = try tables.resource(key, in: transaction), known.state == .ready,
            let number = known.liveGeneration
        else { return nil }
        guard let record = try tables.generation(number, in: transaction) else {
            let reason = FormatError.invalidValue(field: "liveGeneration", value: number)
            throw StoreError.damaged(table: TableName.generations.rawValue, reason: reason)
        }
        return (number, record)
    }

    /// The place of everything that is shown of a resource.
    borrowing func mergedSource(of resource: ResourceKey) throws -> ShownSource {
        if let known = lastSource.find(resource) {
            recordUse(of: known)
            return known
        }
        let found = try tables.mergedSource(of: resource, in: transaction)
        lastSource.insert(found)
        recordUse(of: found)
        return found
    }
}
