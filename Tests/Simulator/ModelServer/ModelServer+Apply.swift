// ModelServer+Apply: applies mutations to the content.

extension ModelServer {
    /// Does one thing; false, with nothing done, when it makes no sense in this state: a row of an unknown resource is
    /// put, a public one published, and so on. Histories with steps left out stay valid that way.
    @discardableResult
    package mutating func apply(_ mutation: ModelMutation) -> Bool {
        switch mutation {
        case .create(let id, let rows): return create(id, rows)
        case .hide(let id):
            return withdraw(id, keeping: true, reason: "hidden")
        case .publish(let id): return publish(id)
        case .delete(let id):
            return withdraw(id, keeping: false, reason: "deleted")
        case .put(let id, let row): return put(id, row)
        case .deleteRow(let id, let row): return deleteRow(id, row)
        case .replace(let id, let rows):
            guard let place = existing(id) else { return false }
            replaceRows(at: place, with: rows)
            return true
        case .touch(let id):
            guard let place = place(of: id), resources[place].content != nil else { return false }
            record(.update, at: place)
            return true
        case .changeSchema(let id):
            guard let place = existing(id) else { return false }
            resources[place].schemaVersion += 1
            replaceRows(at: place, with: rows(at: place).map(\.id))
            return true
        case .forgetLog(let first): return forgetLog(before: first)
        case .restore(let target): return restore(toSequence: target)
        }
    }

    /// Where a resource is that is not deleted.
    func existing(_ id: ResourceID) -> Int? {
        place(of: id).flatMap { resources[$0].content != nil || resources[$0].hidden != nil ? $0 : nil }
    }

    /// The rows of a resource, public or hidden.
    func rows(at place: Int) -> [Row] { resources[place].content?.rows ?? resources[place].hidden ?? [] }

    private mutating func create(_ id: ResourceID, _ names: [RowID]) -> Bool {
        guard existing(id) == nil else { return false }
        let place = place(of: id) ?? resources.count
        if place == resources.count { resources.append(Resource(id: id, versions: [])) }
        resources[place].hidden = nil
        let rows = freshRows(names, at: place)
        show(rows, at: place, publishedAt: record(.create, at: place))
        return true
    }

    private mutating func publish(_ id: ResourceID) -> Bool {
        guard let place = place(of: id), let rows = resources[place].hidden else { return false }
        resources[place].hidden = nil
        show(rows, at: place, publishedAt: record(.create, at: place))
        return true
    }

    private mutating func withdraw(_ id: ResourceID, keeping: Bool, reason: String) -> Bool {
        guard let place = existing(id) else { return false }
        let rows = rows(at: place)
        if resources[place].content != nil {
            let number = record(.delete(reason: reason), at: place)
            resources[place].versions.append(Version(sequence: number, content: nil))
        } else if keeping {
            return false
        }
        resources[place].hidden = keeping ? rows : nil
        return true
    }

    private mutating func put(_ id: ResourceID, _ name: RowID) -> Bool {
        guard let place = existing(id) else { return false }
        let row = freshRow(name, at: place)
        var rows = rows(at: place)
        let index = rows.firstIndex { $0.id >= name } ?? rows.endIndex
        let isUpdate = index < rows.endIndex && rows[index].id == name
        if isUpdate { rows[index] = row } else { rows.insert(row, at: index) }
        change(at: place, to: rows, isUpdate ? .rowUpdate(row) : .rowCreate(row))
        return true
    }

    private mutating func deleteRow(_ id: ResourceID, _ name: RowID) -> Bool {
        guard let place = existing(id) else { return false }
        var rows = rows(at: place)
        guard let index = rows.firstIndex(where: { $0.id == name }) else { return false }
        rows.remove(at: index)
        change(at: place, to: rows, .rowDelete(name))
        return true
    }

    private mutating func replaceRows(at place: Int, with names: [RowID]) {
        change(at: place, to: freshRows(names, at: place), .invalidate)
    }

    /// Sets the rows; the change is logged only while the resource is public.
    mutating func change(at place: Int, to rows: [Row], _ kind: Change.Kind) {
        guard let published = resources[place].content?.publishedAt else {
            resources[place].hidden = rows
            return
        }
        record(kind, at: place)
        show(rows, at: place, publishedAt: published)
    }

    private mutating func show(_ rows: [Row], at place: Int, publishedAt: Int64) {
        let content = Content(
            rows: rows, publishedAt: publishedAt, schemaVersion: resources[place].schemaVersion)
        resources[place].versions.append(Version(sequence: sequence, content: content))
    }

    @discardableResult
    private mutating func record(_ kind: Change.Kind, at place: Int) -> Int64 {
        sequence += 1
        log.append(Change(sequence: sequence, resource: place, kind: kind))
        // Some more than the limit before trimming, so that a change costs the same on average.
        if log.count > shape.logLimit + shape.logLimit / 4 {
            forgetLog(before: log[log.count - shape.logLimit].sequence)
        }
        return sequence
    }
}

extension ModelServer {
    @discardableResult
    private mutating func forgetLog(before first: Int64) -> Bool {
        guard first - 1 > horizon, first - 1 <= sequence else { return false }
        horizon = first - 1
        log.removeFirst(logIndex(after: horizon))
        return true
    }

    private mutating func restore(toSequence target: Int64) -> Bool {
        guard target >= 0, target < sequence else { return false }
        past.append(SavedState(resources: resources, sequence: sequence))
        timeline += 1
        sequence = target
        horizon = min(horizon, target)
        log.removeLast(log.count - logIndex(after: target))
        // Every resource begins with its creation, so those that are no more are the last ones.
        resources.removeAll { ($0.versions.first?.sequence ?? 0) > target }
        for place in resources.indices {
            resources[place].versions.removeAll { $0.sequence > target }
            resources[place].schemaVersion = resources[place].content?.schemaVersion ?? resources[place].schemaVersion
            if resources[place].content != nil { resources[place].hidden = nil }
        }
        return true
    }

    /// The place in the log of the first change above `sequence`.
    func logIndex(after sequence: Int64) -> Int {
        var low = 0
        var high = log.count
        while low < high {
            let middle = (low + high) / 2
            if log[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func freshRows(_ names: [RowID], at place: Int) -> [Row] {
        Set(names).sorted().map { freshRow($0, at: place) }
    }

    /// The beginning of a row's JSON object: its name, as its group's rows state it.
    static func payloadPrefix(_ name: RowID, in group: String) -> String {
        var text = "{"
        if group != "translations" { text += "\"record_type\":\"\(name.type)\"," }
        text += Int64(name.key).map { "\"id\":\($0)," } ?? "\"record_key\":\"\(name.key)\","
        return text
    }

    /// A row with a payload that no row ever had.
    private mutating func freshRow(_ name: RowID, at place: Int) -> Row {
        let resource = resources[place]
        var text = Self.payloadPrefix(name, in: resource.id.group)
        text += "\"schema\":\(resource.schemaVersion),\"version\":\(issued.count + 1)}"
        issued[text] = IssuedRow(resource: resource.id, row: name)
        return Row(id: name, payload: text)
    }
}
