internal import LarderEngine
package import LarderFormat
internal import Logging

/// A selection of responses to remove.
package enum ResponseSelection: Hashable, Sendable {
    /// The responses of one cache key.
    case key(String)
    /// The responses whose cache keys begin with a text.
    case prefix(String)
    /// The responses with a tag.
    case tag(String)
    /// All responses.
    case all
}

extension Store {
    /// The most responses removed in one commit.
    private static let batch = 128

    /// Removes responses, in commits of bounded size that let other writes go first.
    ///
    /// Readers may see some of many removed and others not yet. A response stored while this runs is removed or stays.
    ///
    /// - Returns: the number of responses removed.
    /// - Throws: `CancellationError` between two commits; ``EngineError``.
    package func removeResponses(_ selection: ResponseSelection) async throws -> Int {
        var removed = 0
        while true {
            try Task.checkCancellation()
            let places = try read { view in
                try view.tables.places(of: selection, limit: Self.batch, in: view.transaction)
            }
            if places.isEmpty { return removed }
            removed += try await writeBulk { transaction in
                try places.count { place in try transaction.remove(place, of: selection) }
            }
            if places.count < Self.batch { return removed }
        }
    }

    /// Schedules the removal of a response whose body is damaged; returns at once.
    ///
    /// - Parameter blob: the number of its blob; a response that replaced it has another and stays.
    package func removeResponseSoon(at place: ResponseAddress, blob: Int64) {
        if isReadOnly { return }
        do throws(EngineError) {
            try environment.onWriter {
                do {
                    try self.shared.transact(durability: .relaxed) { transaction in
                        guard try transaction.tables.response(at: place, in: transaction.engine)?.blob == blob else {
                            return
                        }
                        try transaction.removeResponse(at: place)
                    }
                } catch {
                    self.host.logger.warning("could not remove a damaged response", metadata: ["error": "\(error)"])
                }
            }
        } catch {
            // The store is closing; the next reader of the response removes it.
        }
    }
}

extension Transaction {
    /// Removes a response that `selection` found, and the index entry that led to it, which may be all there is.
    fileprivate mutating func remove(_ place: ResponseAddress, of selection: ResponseSelection) throws -> Bool {
        let isRemoved = try removeResponse(at: place)
        if case .tag(let tag) = selection {
            let element = tables.texts.tag(tag)
            try remove(key: Self.key { try ResponseKey.tag(element, place).append(to: &$0) }, in: .responses)
        }
        return isRemoved
    }
}

extension Tables {
    /// Returns the places of the selected responses, up to `limit` of them.
    fileprivate func places(
        of selection: ResponseSelection, limit: Int, in source: ReadTransaction
    ) throws -> [ResponseAddress] {
        var places: [ResponseAddress] = []
        func collect(_ prefix: [UInt8], _ isSelected: (ResponseRecord?) -> Bool) throws {
            try forEachResponse(from: prefix, in: source) { place, record in
                if isSelected(record) { places.append(place) }
                return places.count < limit
            }
        }
        switch selection {
        case .all: try collect(ResponseKey.responses) { _ in true }
        case .key(let key): try collect(ResponseKey.responses(of: key, texts)) { $0?.key.equalsBytewise(key) ?? true }
        case .prefix(let text):
            try collect(ResponseKey.responses(beginningWith: text, texts)) {
                $0?.key.utf8.starts(with: text.utf8) ?? false
            }
        case .tag(let tag): places = try self.places(tagged: tag, limit: limit, in: source)
        }
        return places
    }

    private func places(tagged tag: String, limit: Int, in source: ReadTransaction) throws -> [ResponseAddress] {
        var places: [ResponseAddress] = []
        try forEach(.responses, prefix: ResponseKey.responses(tagged: tag, texts), in: source) { key, _ in
            places.append(try decoding(.responses) { () throws(FormatError) in try ResponseKey(decoding: key).address })
            return places.count < limit
        }
        return places
    }
}
