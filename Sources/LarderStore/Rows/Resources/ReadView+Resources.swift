internal import LarderEngine
public import LarderFormat
internal import Synchronization

extension ReadView {
    /// What is known of a resource, or nil.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)``.
    public borrowing func resource(_ key: ResourceKey) throws -> Resource? {
        try tables.resource(key, in: transaction).map { Resource(key, $0) }
    }

    /// Every resource known, in the order of group and number, or those of one group.
    public borrowing func resources(inGroup group: String? = nil) throws -> [Resource] {
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

    /// The generation that the server's rows of a resource are shown from, and its record; nil where none are shown.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)``.
    package borrowing func shownGeneration(
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

    /// Where all that is shown of a resource lies.
    borrowing func mergedSource(of resource: ResourceKey) throws -> MergedSource {
        if let last = lastSource.withLock({ $0 }), last.rows.owner == resource { return last }
        let found = try tables.mergedSource(of: resource, in: transaction)
        lastSource.withLock { $0 = found }
        if found.hasRows { shared.generationUses.note(found.rows.generation) }
        return found
    }
}
