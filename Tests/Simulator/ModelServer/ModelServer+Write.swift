// ModelServer+Write: applies the writes of clients.

extension ModelServer {
    /// What a client's write does to a row.
    enum WriteChange: Hashable, Sendable {
        /// The row is this payload.
        case put(String)
        /// The row's note is this text, and the rest stays.
        case setNote(String)
        /// The row is gone.
        case delete
    }

    /// Performs a client's write of a public resource.
    ///
    /// - Returns: its number, or nil with nothing done where there is nothing to write to.
    mutating func write(_ change: WriteChange, to name: RowID, of id: ResourceID) -> Int64? {
        guard let place = existing(id), resources[place].content != nil else { return nil }
        var rows = rows(at: place)
        let index = rows.firstIndex { $0.id >= name } ?? rows.endIndex
        let old = index < rows.endIndex && rows[index].id == name ? rows[index] : nil
        switch change {
        case .put(let payload): put(payload)
        case .setNote(let note):
            guard let old else { return nil }
            put(Self.settingNote(note, in: old.payload))
        case .delete:
            guard old != nil else { return nil }
            rows.remove(at: index)
            self.change(at: place, to: rows, .rowDelete(name))
        }
        return sequence

        func put(_ payload: String) {
            issued[payload] = IssuedRow(resource: id, row: name)
            let row = Row(id: name, payload: payload)
            if old != nil { rows[index] = row } else { rows.insert(row, at: index) }
            self.change(at: place, to: rows, old != nil ? .rowUpdate(row) : .rowCreate(row))
        }
    }

    /// The payload that a client's write gives to a row.
    static func payload(of name: RowID, in group: String, note: String) -> String {
        payloadPrefix(name, in: group) + "\"note\":\"\(note)\"}"
    }

    /// What was to be seen of a row since a change: each payload, and nil for none.
    func payloads(of name: RowID, in id: ResourceID, since sequence: Int64) -> Set<String?> {
        guard let place = place(of: id) else { return [] }
        var found: Set<String?> = []
        let versions = resources[place].versions
        let first = versions.lastIndex { $0.sequence <= sequence } ?? 0
        for version in versions[first...] { found.insert(version.content?.rows.first { $0.id == name }?.payload) }
        return found
    }

    /// An object with its member `note` put in place of any there is.
    private static func settingNote(_ note: String, in payload: String) -> String {
        let members = payload.dropFirst().dropLast().split(separator: ",").filter { !$0.hasPrefix("\"note\":") }
        return "{" + (members + ["\"note\":\"\(note)\""]).joined(separator: ",") + "}"
    }
}
