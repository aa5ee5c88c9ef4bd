// HostileSample: a store full of characters that a terminal executes, hides or uses to reorder text.

import Foundation
import LarderFormat
import LarderStore
import Testing

/// Characters that a terminal executes, hides or uses to reorder text, with a line end and a tab.
enum Hostile {
    static let text =
        "x\u{1B}]0;t\u{07}\u{08}\n\t\r\u{9B}31m\u{85}\u{7F}\u{202E}\u{2066}\u{200B}\u{2028}\u{2029}\u{E0041}\u{FEFF}y"

    /// The first such scalar in `bytes`, as text; nil when all may be shown. Line ends and, where wanted, tabs may.
    static func found(in bytes: [UInt8], allowsTabs: Bool) -> String? {
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if scalar == "\n" || (scalar == "\t" && allowsTabs) { continue }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: return "U+" + String(scalar.value, radix: 16)
            default: continue
            }
        }
        return nil
    }

    /// Fails the test where a run of the tool has let one through.
    static func check(_ outcome: Outcome, _ arguments: [String], isJSON: Bool = false) {
        let harmful = found(in: outcome.output, allowsTabs: !isJSON)
        #expect(harmful == nil, "\(arguments.first ?? "") on standard output")
        let said = found(in: Array(outcome.errorOutput.utf8), allowsTabs: false)
        #expect(said == nil, "\(arguments.first ?? "") on standard error")
    }
}

/// A store in which every text that can be is ``Hostile/text``.
struct HostileSample {
    let directory = TemporaryDirectory()
    var path: String { directory.path + "/store" }

    static let resource = ResourceKey(Hostile.text, 7)
    static func id(_ number: UInt64) -> UUIDBytes { UUIDBytes(high: 3, low: number) }

    init() async throws {
        let store = try Store.open(at: path, host: .test)
        try await Self.fill(store)
        try store.close()
    }

    private static func fill(_ store: Store) async throws {
        let staging = try await store.beginStaging(resource)
        var batch = RowBatch(for: staging)
        try batch.append(bytes(Hostile.text).rawSpan, type: Hostile.text, key: Hostile.text, updatedAt: 1)
        try batch.append(bytes("{\"verse\":7}").rawSpan, type: "verse", key: "7", updatedAt: 1)
        try await store.stage(batch, in: staging)
        try await store.swap(staging) { transaction, record in
            record.snapshotPath = Hostile.text
            let number = try transaction.updateFilter(Hostile.text) {
                $0.token = Hostile.text
                $0.failures = 1
                $0.lastError = Hostile.text
            }
            try transaction.putMember(ofFilter: number, resource, MemberRecord(listedInRun: 1))
        }
        try await store.write { transaction in
            for number in UInt64(1)...4 { try enqueue(number, in: &transaction) }
            try transaction.removeEntry(id(4), outcome: Hostile.text, detail: Hostile.text, at: 1)
            var rejected = OutboxDelivery()
            rejected.lastError = Hostile.text
            try transaction.rejectEntry(id(1), rejected, detail: Hostile.text, at: 1)
            var session = StoredSession(state: .signedIn, account: Hostile.text, changedAt: 1, signedInAt: 1)
            session.setValue(bytes(Hostile.text), named: Hostile.text)
            try transaction.putSession(session)
            try transaction.appendPoint(
                bytes(Hostile.text), to: BufferName(Hostile.text, account: Hostile.text), at: 1)
        }
        let writer = try store.makeBlob()
        writer.append(bytes(Hostile.text).rawSpan)
        try await store.write { transaction in
            var response = ResponseRecord(
                key: Hostile.text, method: "GET", url: Hostile.text, status: 200,
                fields: [.init(name: "x-odd", value: bytes(Hostile.text))], requestedAt: 1, receivedAt: 2, storedAt: 3)
            response.setTags([Hostile.text])
            _ = try transaction.putResponse(response, body: try writer.finish(in: &transaction))
        }
    }

    private static func enqueue(_ number: UInt64, in transaction: inout Transaction) throws {
        var draft = OutboxDraft(
            id: id(number), lane: Hostile.text + "\(number)", createdAt: 1, mutationType: Hostile.text,
            method: Hostile.text, endpoint: Hostile.text, payload: bytes(Hostile.text))
        draft.account = Hostile.text
        draft.entity = Hostile.text
        draft.deduplicationKey = Hostile.text + "\(number)"
        draft.fields = [.init(name: Hostile.text, value: bytes(Hostile.text))]
        try transaction.enqueue(draft)
    }

    /// Changes one byte of a row where it lies in the file, so that what is damaged is named.
    func damage() throws {
        let file = URL(fileURLWithPath: path + "/data.mdb")
        var content = try Data(contentsOf: file)
        let payload = Data(Hostile.text.utf8)
        var start = content.startIndex
        while let found = content.range(of: payload, in: start..<content.endIndex) {
            content[found.lowerBound] ^= 1
            start = found.upperBound
        }
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: content)
        try handle.close()
    }
}
