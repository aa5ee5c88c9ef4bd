#if Postgres
internal import CPQ

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

// The only file of this module with `unsafe`: libpq's calls. A session is used by one thread at a time. No pointer of
// libpq outlives the call that has it: values and messages are copied.

/// A connection of libpq. Its calls block.
@safe
final class Session {
    private let connection: OpaquePointer
    /// The longest time that a statement may take, in milliseconds.
    private let statementLimit: Int32
    /// Whether the server may still be executing a statement whose result nobody waits for.
    private var isAbandoned = false

    /// Connects. Blocks for as long as `connect_timeout` allows.
    ///
    /// - Parameters:
    ///   - settings: a connection string or URI.
    ///   - statementLimit: the longest time that a statement may take, in milliseconds.
    /// - Throws: ``PostgresError/unavailable(_:)``.
    init(_ settings: String, statementLimit: Int32) throws(PostgresError) {
        // libpq returns nil only without memory. A later word of a list wins, so that the settings precede the defaults.
        guard let connection = unsafe Self.connect(settings) else { throw .unavailable("There is no memory.") }
        guard unsafe PQstatus(connection) == CONNECTION_OK else {
            let reason = unsafe Self.message(of: connection)
            unsafe PQfinish(connection)
            throw .unavailable(reason)
        }
        // Notices would be printed to standard error.
        _ = unsafe PQsetNoticeProcessor(connection, { _, _ in }, nil)
        unsafe self.connection = unsafe connection
        self.statementLimit = statementLimit
        // The server ends a statement; the limit here is for a server that does not reply. Neither ends a commit.
        _ = try run("SET statement_timeout = \(statementLimit)")
        _ = try run("SET bytea_output = hex")
    }

    private static func connect(_ settings: String) -> OpaquePointer? {
        // `dbname` may be a whole connection string, whose words replace those before it.
        let words = [
            ("connect_timeout", "5"), ("tcp_user_timeout", "10000"), ("fallback_application_name", "larder"),
            ("dbname", settings), ("client_encoding", "UTF8"),
        ]
        // Copies that live until the call has returned, each list ended by nil.
        let names = unsafe words.map { unsafe UnsafePointer(strdup($0.0)) } + [nil]
        let values = unsafe words.map { unsafe UnsafePointer(strdup($0.1)) } + [nil]
        defer { unsafe (names + values).forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
        return unsafe PQconnectdbParams(names, values, 1)
    }

    deinit { unsafe PQfinish(connection) }

    /// Whether the connection can still be used.
    var isUsable: Bool { unsafe PQstatus(connection) == CONNECTION_OK && !isAbandoned }

    /// Whether no transaction is open.
    var isIdle: Bool { unsafe PQtransactionStatus(connection) == PQTRANS_IDLE }

    /// Whether a transaction is open, whatever has failed in it.
    var isInTransaction: Bool {
        [PQTRANS_INTRANS, PQTRANS_INERROR].contains(unsafe PQtransactionStatus(connection))
    }

    /// Whether the connection can still be used, and the server has not closed it, as far as is known without a request.
    var isAlive: Bool {
        var request = pollfd(fd: unsafe PQsocket(connection), events: Int16(POLLIN), revents: 0)
        // What arrives without a request says that the server is ending; a notice costs a new connection.
        return unsafe poll(&request, 1, 0) == 0 && isUsable
    }

    /// Runs one statement and returns its rows, with the tag of the command, as "COMMIT" or "INSERT 0 1".
    ///
    /// - Throws: ``PostgresError/statement(state:message:)``; ``PostgresError/unavailable(_:)`` when the connection is lost
    ///   or the time is over.
    func run(_ sql: String, _ parameters: [PostgresValue] = []) throws(PostgresError) -> (
        rows: [PostgresRow], tag: String
    ) {
        try Self.check(sql, parameters)
        try send(sql, parameters)
        // libpq returns nil once a statement has ended; an unread result would be that of the next one.
        var last: Result<(rows: [PostgresRow], tag: String), PostgresError>?
        while true {
            try awaitResult()
            guard let result = unsafe PQgetResult(connection) else { break }
            defer { unsafe PQclear(result) }
            last = Result { () throws(PostgresError) in try unsafe read(result) }
            // A copy has results without end.
            if isAbandoned { break }
        }
        guard let last else { throw .unavailable(message) }
        return try last.get()
    }

    /// Throws ``PostgresError/statement(state:message:)`` for what libpq would cut off or not send.
    private static func check(_ sql: String, _ parameters: [PostgresValue]) throws(PostgresError) {
        if sql.utf8.contains(0) { throw .statement(state: "42601", message: "The statement has U+0000.") }
        if parameters.contains(where: \.hasZero) {
            throw .statement(state: "22021", message: "A text with U+0000 cannot be stored.")
        }
        if parameters.count > 65_535 {
            throw .statement(state: "54023", message: "There are more than 65,535 parameters.")
        }
    }

    private func send(_ sql: String, _ parameters: [PostgresValue]) throws(PostgresError) {
        let encoded = parameters.map(\.encoded)
        let lengths = encoded.map { Int32(clamping: $0?.bytes.count ?? 0) }
        let formats = encoded.map { Int32($0?.isBinary == true ? 1 : 0) }
        // One buffer has all values, each with the zero that ends a text.
        var buffer: [UInt8] = []
        var offsets: [Int?] = []
        for value in encoded {
            offsets.append(value == nil ? nil : buffer.count)
            if let value { buffer += value.bytes + [0] }
        }
        let isSent = unsafe buffer.withUnsafeBytes { bytes in
            // In bounds: each offset is that of a value in the buffer, which has an address where it has a value.
            let values = unsafe offsets.map { offset in
                unsafe offset.map { unsafe bytes.baseAddress!.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
            }
            return unsafe PQsendQueryParams(connection, sql, Int32(values.count), nil, values, lengths, formats, 0) == 1
        }
        if !isSent { throw .unavailable(message) }
    }

    /// Waits until the result can be read without blocking.
    private func awaitResult() throws(PostgresError) {
        let end = ContinuousClock.now + .milliseconds(statementLimit) + .seconds(1)
        while unsafe PQisBusy(connection) == 1 {
            let rest = (end - ContinuousClock.now) / .milliseconds(1)
            guard rest > 0 else {
                isAbandoned = true
                throw .unavailable("The server has not replied within \(statementLimit) ms.")
            }
            var request = pollfd(fd: unsafe PQsocket(connection), events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&request, 1, Int32(min(rest, 60_000).rounded(.up)))
            if unsafe PQconsumeInput(connection) == 0 { throw .unavailable(message) }
        }
    }

    private func read(_ result: OpaquePointer) throws(PostgresError) -> (rows: [PostgresRow], tag: String) {
        switch unsafe PQresultStatus(result) {
        case PGRES_EMPTY_QUERY: return ([], "")
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            isAbandoned = true
            throw .statement(state: "0A000", message: "COPY to or from the client is not supported.")
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
            let columns = unsafe PQnfields(result)
            let rows = unsafe (0..<PQntuples(result)).map { row in
                PostgresRow(values: (0..<columns).map { unsafe Self.value(result, row, $0) })
            }
            return (rows, unsafe String(cString: PQcmdStatus(result)))
        default:
            // The field `C` is the state; there is none where libpq itself has lost the connection.
            guard let state = unsafe PQresultErrorField(result, 0x43) else {
                throw .unavailable(message)
            }
            // The field `M` is the first line of the message.
            let message = unsafe PQresultErrorField(result, 0x4D)
            throw unsafe .statement(
                state: String(cString: state), message: message.map { unsafe String(cString: $0) } ?? "")
        }
    }

    /// Returns a copy of a value. The indices are those of rows and columns of the result.
    private static func value(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> [UInt8]? {
        if unsafe PQgetisnull(result, row, column) == 1 { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
        return unsafe [UInt8](bytes)
    }

    private var message: String { unsafe Self.message(of: connection) }

    private static func message(of connection: OpaquePointer) -> String {
        let text = unsafe String(cString: PQerrorMessage(connection))
        return text.split(separator: "\n").joined(separator: " ")
    }
}

extension PostgresValue {
    /// The bytes in PostgreSQL's text form, or in binary; nil for `NULL`.
    fileprivate var encoded: (bytes: [UInt8], isBinary: Bool)? {
        switch self {
        case .null: nil
        case .text(let text): (Array(text.utf8), false)
        case .integer(let number): (Array("\(number)".utf8), false)
        case .bool(let value): ([value ? UInt8(ascii: "t") : UInt8(ascii: "f")], false)
        case .bytes(let bytes): (bytes, true)
        }
    }

    /// Whether it is a text that would be cut off, as libpq's texts end at a zero.
    fileprivate var hasZero: Bool {
        if case .text(let text) = self { text.utf8.contains(0) } else { false }
    }
}
#endif
