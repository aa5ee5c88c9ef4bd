internal import LarderFormat
internal import LarderJSON

/// A parser of the body of a snapshot as it arrives, record by record, in memory bounded by one record.
///
/// Members may come in any order, `records` before `sync_sequence` included; unknown ones are checked and skipped.
/// Records must not be trusted before ``finish()`` has returned: the snapshot may still turn out to be cut off.
///
/// ```swift
/// for try await chunk in body {
///     var position = 0
///     while try parser.next(in: chunk, at: &position) { use(parser.record) }
/// }
/// let header = try parser.finish()
/// ```
package struct SnapshotParser: Sendable {
    /// The default limit of a record, in bytes: 16 MiB.
    package static let maximumRecord = 16 << 20

    /// The default limit of a body, in bytes: 1 GiB, some three million rows of 300 bytes.
    ///
    /// A body that never ends would otherwise occupy the writer's place for bulk work for ever.
    package static let maximumBody = 1 << 30

    /// The record that was found last; valid after ``next(in:at:)`` returned `true`, until it is called again.
    package private(set) var record: CapturedRecord

    private var scanner: JSONScanner
    private let recordLimit: Int
    private let bodyLimit: Int
    private var state = State.start
    /// The position at which the record in progress begins in the current chunk.
    private var recordStart = 0
    private var recordCount = 0
    private var header = HeaderMembers()
    /// The member whose value comes next: of the header at the root, of the record's fields in a record.
    private var member: Int?

    private enum State {
        case start, root, rootValue, recordsValue, records, record, recordValue, end
    }

    /// A parser at the start of a body.
    ///
    /// - Parameters:
    ///   - names: further members of the records to capture for a key, beside `id`, `record_type` and `record_key`.
    ///   - recordLimit: the largest record, in bytes.
    ///   - bodyLimit: the largest body, in bytes; checked once for each chunk, so some bytes more may be read.
    package init(
        capturing names: [String] = [], recordLimit: Int = maximumRecord, bodyLimit: Int = maximumBody
    ) {
        record = CapturedRecord(fields: RecordFields(further: names))
        self.recordLimit = recordLimit
        self.bodyLimit = bodyLimit
        scanner = JSONScanner(limits: JSONLimits(text: 64 << 10, document: Int64(bodyLimit)))
        scanner.maxReportedDepth = 1
        scanner.capturesValues = false
    }

    /// Advances past the next record that ends in `chunk`, or returns `false` when the chunk is used up.
    ///
    /// After `false` the next call must bring the next chunk, with `position` at 0. After an error the parser must not
    /// be used again.
    ///
    /// - Throws: ``WireError/json(_:)`` for text that is not JSON; ``WireError/missing(path:)``,
    ///   ``WireError/wrongType(path:expected:)``, ``WireError/empty(path:)``, ``WireError/outOfRange(path:)`` and
    ///   ``WireError/duplicate(path:)`` for a member that the protocol does not allow;
    ///   ``WireError/tooLarge(path:limit:)`` beyond a limit.
    package mutating func next(in chunk: [UInt8], at position: inout Int) throws(WireError) -> Bool {
        while let token = try token(in: chunk, at: &position) {
            if try handle(token, chunk, position) { return true }
        }
        if isInRecord {
            try appendRecord(chunk, to: chunk.count)
            recordStart = 0
        }
        return false
    }

    /// Ends the body, and returns the header.
    ///
    /// - Throws: ``WireError/json(_:)`` when it was cut off, ``WireError/missing(path:)`` when a member never came,
    ///   ``WireError/wrongType(path:expected:)`` for a number alone.
    package mutating func finish() throws(WireError) -> SnapshotHeader {
        let number: JSONToken?
        do throws(JSONError) {
            number = try scanner.finish()
        } catch {
            throw .json(error)
        }
        // A number alone is a complete JSON text, but not a snapshot.
        guard number == nil else { throw .wrongType(path: "", expected: .object) }
        return try header.makeHeader(recordCount: recordCount)
    }

    /// Whether the part of the snapshot read so far names another resource than this one.
    package func isForeign(to group: String, _ id: Int64) -> Bool { header.isForeign(to: group, id) }

    private var isInRecord: Bool { state == .record || state == .recordValue }

    private var recordPath: String { "records[\(recordCount)]" }

    private mutating func token(in chunk: [UInt8], at position: inout Int) throws(WireError) -> JSONToken? {
        // No key is made of these members.
        if state == .record {
            scanner.skipPlainMembers(in: chunk.rawSpan.bytes, from: &position, without: record.fields.names)
        }
        do throws(JSONError) {
            return try scanner.next(in: chunk.rawSpan.bytes, at: &position)
        } catch {
            if error.reason == .documentTooLong { throw .tooLarge(path: "", limit: bodyLimit) }
            throw .json(error)
        }
    }
}

extension SnapshotParser {
    /// Handles one token that ended at `position`; returns `true` where it ended a record.
    private mutating func handle(_ token: JSONToken, _ chunk: [UInt8], _ position: Int) throws(WireError) -> Bool {
        switch state {
        case .record:
            if token == .name {
                handleRecordName()
            } else {
                // The only other token that is possible in place of a name ends the object.
                try appendRecord(chunk, to: position)
                recordCount += 1
                state = .records
                return true
            }
        case .recordValue:
            try handleRecordValue(token)
        case .records:
            try handleElement(token, position)
        case .start:
            guard token == .objectBegin else { throw .wrongType(path: "", expected: .object) }
            state = .root
        case .root:
            if token == .name { try handleRootName() } else { state = .end }
        case .rootValue:
            try handleRootValue(token)
        case .recordsValue:
            guard token == .arrayBegin else {
                throw token == .null ? .missing(path: "records") : .wrongType(path: "records", expected: .array)
            }
            scanner.maxReportedDepth = 3
            state = .records
        case .end:
            preconditionFailure("unreachable: the scanner refuses what follows the text")
        }
        return false
    }

    private mutating func handleElement(_ token: JSONToken, _ position: Int) throws(WireError) {
        switch token {
        case .objectBegin:
            record.bytes.removeAll(keepingCapacity: true)
            record.fields.clear()
            recordStart = position - 1
            state = .record
        case .arrayEnd:
            scanner.maxReportedDepth = 1
            state = .root
        default:
            throw .wrongType(path: recordPath, expected: .object)
        }
    }

    private mutating func handleRecordName() {
        member = scanner.place(in: record.fields.names)
        scanner.capturesValues = member != nil
        state = .recordValue
    }

    private mutating func handleRecordValue(_ token: JSONToken) throws(WireError) {
        // The end of a container follows its begin, and ends the value.
        if token == .objectBegin || token == .arrayBegin { return }
        state = .record
        guard let index = member else { return }
        guard record.fields.values[index] == nil else {
            let name = String(decoding: record.fields.names[index], as: UTF8.self)
            throw .duplicate(path: "\(recordPath).\(name)")
        }
        record.fields.values[index] = scalar(token)
    }

    private mutating func handleRootName() throws(WireError) {
        member = scanner.place(in: HeaderMembers.names)
        scanner.capturesValues = member != nil
        if let member { try header.markSeen(member) }
        state = member == HeaderMembers.records ? .recordsValue : .rootValue
    }

    private mutating func handleRootValue(_ token: JSONToken) throws(WireError) {
        if token == .objectBegin || token == .arrayBegin { return }
        state = .root
        guard let member else { return }
        try header.set(member, to: scalar(token))
    }

    private func scalar(_ token: JSONToken) -> JSONScalar {
        switch token {
        case .string: .string(String(decoding: scanner.text, as: UTF8.self))
        case .number: Int64(jsonNumber: scanner.text).map(JSONScalar.integer) ?? .other
        case .null: .null
        default: .other
        }
    }

    /// Copies the part of the record in progress that is in this chunk.
    private mutating func appendRecord(_ chunk: [UInt8], to end: Int) throws(WireError) {
        guard end - recordStart <= recordLimit - record.bytes.count else {
            throw .tooLarge(path: recordPath, limit: recordLimit)
        }
        record.bytes.append(contentsOf: chunk[recordStart..<end])
    }
}
