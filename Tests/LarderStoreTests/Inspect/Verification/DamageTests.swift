// Proves that a record changed in any byte, moved or removed is refused or missed by every read, and found by verify.

import Foundation
import LarderEngine
import LarderFormat
import LarderStore
import Testing

/// What the public reads of a store say, each alone: an answer, or a typed error.
private struct Readings: Equatable {
    enum Reading: Equatable {
        case answer([String])
        case refusal
    }

    var byName: [String: Reading] = [:]
    private let onlyRows: Bool

    /// - Parameter onlyRows: whether to read rows alone, by keys, lists and an index.
    init(_ store: Store, onlyRows: Bool = false) throws {
        self.onlyRows = onlyRows
        let resources = [translations, tafsirs, ResourceKey("tafsirs", 2), ResourceKey("tafsirs", 3)]
        try addReading("resources") { try store.read { view in try view.allResources().map { "\($0)" } } }
        try addReading("filters") {
            try store.read { view in
                try view.filters().flatMap { ["\($0.filter) \($0.token ?? "")"] + $0.members.map(\.description) }
            }
        }
        try addReading("entries") { try store.read { view in try view.outboxEntries().map { "\($0)" } } }
        try addReading("outcomes") { try store.read { view in try view.outboxOutcomes().map { "\($0)" } } }
        for number in 1...3 {
            try addReading("entry \(number)") {
                try store.read { view in try view.outboxEntry(draft(number).id).map { ["\($0)"] } ?? [] }
            }
        }
        for resource in resources {
            try addReading("resource \(resource)") {
                try store.read { view in try view.resource(resource).map { ["\($0)"] } ?? [] }
            }
            try addReading("rows \(resource)") {
                try store.read { view in try view.rows(in: .all(of: resource)).map { "\($0)" } }
            }
        }
        for row in [key(1), key(2), key(3), key(4), key("intro"), key(7, tafsirs), key(1, ResourceKey("tafsirs", 2))] {
            try addReading("row \(row)") {
                try store.read { view in try view.payload(at: row).map { ["\($0)"] } ?? [] }
            }
        }
        for name in [sampleCollection, CollectionName(class: "translation", query: "all")] {
            try addReading("collection \(name.query)") {
                try store.read { view in
                    guard let found = try view.collection(name) else { return [] }
                    let content = try view.rows(of: found)
                    return ["\(found)"] + content.rows.map { "\($0)" } + content.missing.map { "missing \($0)" }
                }
            }
        }
        try addReading("collections") { try store.read { view in try view.collections().map { "\($0)" } } }
        try addReading("holding") { try store.read { view in try view.collections(holding: key(1)).map { "\($0)" } } }
        try addReading("single answer") {
            try store.read { view in try view.singleAnswer(at: key(2)).map { ["\($0)"] } ?? [] }
        }
        for language in ["de", nil] {
            try addReading("response \(language ?? "-")") {
                // A damaged response is as good as none: no answer, where a wrong one would be one.
                guard let entry = try store.storedResponse("https://a.test/", language: language),
                    let blob = try store.blob(entry.record.blob), blob.byteCount == entry.record.byteCount
                else { throw StoreError.blobRemoved }
                return ["\(entry)", "\(try blob.bytes(0..<blob.byteCount))"]
            }
        }
        try addReading("session") { try store.read { view in try view.session().map { ["\($0)"] } ?? [] } }
        for name in [sampleBuffer, BufferName("locations")] {
            try addReading("buffer \(name)") {
                try store.read { view in try view.buffer(name).map { ["\($0)"] } ?? [] }
            }
            try addReading("points \(name)") { try store.read { view in try view.points(in: name).map { "\($0)" } } }
        }
        try addReading("index") {
            try store.read { view in
                guard let index = try view.index(named: "n") else { throw StoreError.indexNotReady("n") }
                return try view.indexEntries(of: index, in: translations).map { "\($0)" }
            }
        }
        try addReading("commit") {
            _ = try store.statistics()
            return []
        }
    }

    private mutating func addReading(_ name: String, _ read: () throws -> [String]) throws {
        if onlyRows, !name.hasPrefix("row"), name != "index" { return }
        do {
            byName[name] = .answer(try read())
        } catch is StoreError {
            byName[name] = .refusal
        } catch is EngineError {
            byName[name] = .refusal
        }
    }

    /// Whether every answer is one that the sound store gave; or part of it, or of what a store gave that the record
    /// was `missed` in.
    func isConsistent(with sound: Readings, missed: Readings? = nil) -> Bool {
        byName.allSatisfy { name, reading in
            guard case .answer(let answer) = reading else { return true }
            // A collection names what it misses, and that is no wrong answer.
            let present = missed == nil ? answer : answer.filter { !$0.hasPrefix("missing ") }
            if case .answer(let whole)? = sound.byName[name] {
                if answer == whole || (missed != nil && Set(present).isSubset(of: whole)) { return true }
            }
            guard case .answer(let rest)? = missed?.byName[name] else { return false }
            return Set(present).isSubset(of: rest)
        }
    }

    /// The readings that are other answers than those of the sound store.
    func wrong(_ sound: Readings) -> [String] {
        byName.filter { name, reading in
            if case .refusal = reading { return false }
            return reading != sound.byName[name]
        }.map(\.key)
    }
}

@Suite(.serialized) struct `A record that changed on the medium` {
    /// In memory where there is such a place: thousands of commits.
    private let directory = TemporaryStore(
        in: FileManager.default.fileExists(atPath: "/dev/shm")
            ? "/dev/shm" : FileManager.default.temporaryDirectory.path)

    private func check(
        isPartial: Bool, _ variants: (RawRecord) -> [RawRecord]
    ) async throws {
        let store = try directory.open()
        try await fillSample(store)
        let raw = try RawStore(directory.path)
        let records = try raw.records()
        #expect(Set(records.map(\.table)) == Set(tablesOfSample))
        #expect(try store.findings() == [])
        let sound = try Readings(store)
        let usedKeys = Set(records.map { [$0.table.rawValue, "\($0.key)"] })
        for record in records {
            var missed: Readings?
            if isPartial {
                try raw.replace([record], by: [])
                missed = try Readings(store)
                try raw.replace([], by: [record])
            }
            for variant in variants(record) {
                if variant.key != record.key, usedKeys.contains([variant.table.rawValue, "\(variant.key)"]) {
                    continue
                }
                try raw.replace([record], by: [variant])
                let findings = try store.findings()
                let isTrue = try Readings(store).isConsistent(with: sound, missed: missed)
                if findings.isEmpty || !isTrue {
                    Issue.record(
                        "\(record) as \(variant): \(findings.count) findings, readings \(isTrue ? "true" : "wrong")")
                }
                try raw.replace([variant], by: [record])
            }
        }
        #expect(try store.findings() == [])
        try raw.close()
        try store.close()
    }

    @Test func `in any byte of its value is refused or read unchanged, and found`() async throws {
        try await check(isPartial: false) { record in
            record.value.indices.map { index in
                var variant = record
                variant.value[index] ^= index % 3 == 0 ? 0xFF : 1 << (index % 8)
                return variant
            }
        }
    }

    @Test func `in the length of its value is refused or read unchanged, and found`() async throws {
        try await check(isPartial: false) { record in
            (0..<record.value.count).map { count in
                var variant = record
                variant.value.removeLast(record.value.count - count)
                return variant
            }
                + [UInt8(0), 1].map { byte in
                    var variant = record
                    variant.value.append(byte)
                    return variant
                }
        }
    }

    @Test func `in any byte or the length of its key is refused or missed, and found`() async throws {
        try await check(isPartial: true) { record in
            record.key.indices.map { index in
                var variant = record
                variant.key[index] ^= index % 3 == 0 ? 0xFF : 1 << (index % 8)
                return variant
            }
                + (1..<max(record.key.count, 1)).map { count in
                    var variant = record
                    variant.key.removeLast(record.key.count - count)
                    return variant
                }
        }
    }

    @Test func `in its key, at the same place, is refused where a row would be missing`() async throws {
        let store = try directory.open()
        try await fillSample(store)
        let raw = try RawStore(directory.path)
        let records = try raw.records()
        let sound = try Readings(store, onlyRows: true)
        var count = 0
        for (place, record) in records.enumerated() {
            let bounds = [place - 1, place + 1].map { beside -> [UInt8]? in
                guard records.indices.contains(beside), records[beside].table == record.table else { return nil }
                return records[beside].key
            }
            for bit in 0..<8 * record.key.count {
                var variant = record
                variant.key[bit / 8] ^= 1 << (bit % 8)
                // Elsewhere the check of the page finds that keys are not in order.
                if let before = bounds[0], !before.lexicographicallyPrecedes(variant.key) { continue }
                if let after = bounds[1], !variant.key.lexicographicallyPrecedes(after) { continue }
                try raw.replace([record], by: [variant])
                let wrong = try Readings(store, onlyRows: true).wrong(sound)
                if !wrong.isEmpty { Issue.record("\(record) as \(variant): \(wrong)") }
                try raw.replace([variant], by: [record])
                count += 1
            }
        }
        #expect(count > 500)
        try raw.close()
        try store.close()
    }

    @Test func `by moving to another record's place is refused, and found`() async throws {
        let store = try directory.open()
        try await fillSample(store)
        let raw = try RawStore(directory.path)
        let records = try raw.records()
        let sound = try Readings(store)
        for record in records {
            for other in records where other != record {
                let variant = RawRecord(table: record.table, key: record.key, value: other.value)
                if variant == record { continue }
                try raw.replace([record], by: [variant])
                let isTrue = try Readings(store).isConsistent(with: sound)
                if try store.findings().isEmpty || !isTrue { Issue.record("\(other) in the place of \(record)") }
                try raw.replace([variant], by: [record])
            }
        }
        try raw.close()
        try store.close()
    }

    @Test func `by its removal is found`() async throws {
        let store = try directory.open()
        try await fillSample(store)
        let raw = try RawStore(directory.path)
        // A store without a session is one that nobody has ever signed in to.
        for record in try raw.records() where record.key != StoredSession.key {
            try raw.replace([record], by: [])
            // Only the stored size reveals a missing journal record.
            let findings = try store.findings()
            #expect(!findings.isEmpty, "\(record)")
            _ = try Readings(store)
            try raw.replace([], by: [record])
        }
        try raw.close()
        try store.close()
    }

    @Test func `by moving to a row of another owner is refused, and found`() async throws {
        let store = try directory.open()
        try await store.replace(translations, with: [(key(1), bytes("same"))])
        try await store.replace(tafsirs, with: [(key(1, tafsirs), bytes("same"))])
        let raw = try RawStore(directory.path)
        let rows = try raw.records().filter { $0.table == .rows && $0.key.count > 4 }
        #expect(rows.count == 2)
        var moved = rows[1]
        moved.value = rows[0].value
        try raw.replace([rows[1]], by: [moved])
        #expect(throws: StoreError.damaged(table: "rows", reason: .checksumMismatch)) {
            try store.read { view in try view.payload(at: key(1, tafsirs)) }
        }
        #expect(try store.read { view in try view.payload(at: key(1)) } == bytes("same"))
        #expect(try store.findings().first?.kind == .checksum)
        try raw.close()
        try store.close()
    }
}
