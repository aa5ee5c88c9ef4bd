// ModelServer+History: the content at earlier sequences.

extension ModelServer {
    /// What a client in step with the server holds for a filter; empty for a text that is no filter.
    package func expectedRows(for filter: String) -> [ResourceID: [RowID: String]] {
        guard let filter = ModelFilter(filter) else { return [:] }
        var expected: [ResourceID: [RowID: String]] = [:]
        for resource in resources where filter.covers(resource.id) {
            guard let content = resource.content else { continue }
            expected[resource.id] = Self.table(content.rows)
        }
        return expected
    }

    /// What was public of a resource when the latest change was that of number `sequence`: one state for each era that
    /// got so far, the present one last. `nil` stands for a resource that was not public.
    package func states(of id: ResourceID, at sequence: Int64) -> [[RowID: String]?] {
        contents(of: id, at: sequence).map { $0.map { Self.table($0.rows) } }
    }

    /// Whether `rows` are exactly what was public of a resource at `sequence`, in any era; `nil` stands for a resource
    /// that was not public.
    ///
    /// - Complexity: O(*n*) for *n* rows, in each era.
    package func wasState(_ rows: [RowID: String]?, of id: ResourceID, at sequence: Int64) -> Bool {
        contents(of: id, at: sequence).contains { content in
            guard let rows, let content else { return rows == nil && content == nil }
            return rows.count == content.rows.count && content.rows.allSatisfy { rows[$0.id] == $0.payload }
        }
    }

    /// Whether a row ever had a payload.
    package func wasEver(_ payload: String, at row: RowID, of resource: ResourceID) -> Bool {
        guard let owner = issued[payload] else { return false }
        return owner.resource == resource && owner.row == row
    }

    /// The number of the last change up to `sequence`, in the present era, of what is public of a resource; 0 when there
    /// was none.
    ///
    /// A client that stored a token of `sequence` holds every covered resource with an applied sequence not below this.
    package func lastChange(of id: ResourceID, through sequence: Int64) -> Int64 {
        guard let place = place(of: id) else { return 0 }
        return resources[place].versions.last { $0.sequence <= sequence }?.sequence ?? 0
    }

    /// All public resources that a filter covers, in the order of their names.
    package func publicResources(in filter: ModelFilter) -> [ResourceID] {
        resources.filter { $0.content != nil && filter.covers($0.id) }.map(\.id).sorted()
    }

    /// Whether a resource is public.
    package func isPublic(_ id: ResourceID) -> Bool { place(of: id).map { resources[$0].content != nil } ?? false }

    /// The rows of a resource, public or hidden, in the order of their names.
    package func rows(of id: ResourceID) -> [Row] { place(of: id).map { rows(at: $0) } ?? [] }

    private func contents(of id: ResourceID, at sequence: Int64) -> [Content?] {
        var found: [Content?] = []
        for era in past where sequence <= era.sequence {
            found.append(era.resources.first { $0.id == id }?.content(at: sequence))
        }
        if sequence <= self.sequence {
            found.append(place(of: id).flatMap { resources[$0].content(at: sequence) })
        }
        return found
    }

    private static func table(_ rows: [Row]) -> [RowID: String] {
        var table = [RowID: String](minimumCapacity: rows.count)
        for row in rows { table[row.id] = row.payload }
        return table
    }
}
