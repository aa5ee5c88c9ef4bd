internal import LarderFormat
public import LarderStore

extension TableDefinition {
    /// Returns the index over one of the columns, for `Store.declareIndexes(_:)`.
    ///
    /// It compares as the column does, so that it serves comparisons, prefixes and the order of the column.
    ///
    /// - Parameters:
    ///   - column: the name of a declared column.
    ///   - name: the name of the index; nil: `table.column`.
    /// - Throws: ``QueryError/definition(_:)`` when there is no such column.
    public func index(on column: String, name: String? = nil) throws(QueryError) -> IndexDefinition {
        guard let found = columns.first(where: { $0.name.asciiLowercased == column.asciiLowercased }) else {
            throw .definition("\(self.name) has no column \(column)")
        }
        let (group, id): (String, Int64?) =
            switch scope {
            case .resource(let key): (key.group, key.id)
            case .group(let group): (group, nil)
            }
        return IndexDefinition(
            name: name ?? "\(self.name).\(found.name)", group: group, id: id, type: type, path: found.path,
            collation: found.collation == .nocase ? .nocase : .binary)
    }
}
