// HostileBody: response bodies that no honest server sends, with the errors they must cause.

/// A body that no honest server sends, and how its receiver must call it.
struct HostileBody: Sendable, CustomStringConvertible {
    let description: String
    /// What stands before the part that is repeated.
    let begin: String
    /// Sent again and again until ``HostileSetup/flood`` bytes are out.
    var piece = " "
    /// How many bytes to send of it.
    var total = 200_000_000
    var framing = Framing.close
    /// What the error of the run says.
    let error: String

    /// How a body is delimited.
    enum Framing: String, Sendable {
        /// By a `Content-Length`, which is true.
        case length
        /// In chunks.
        case chunked
        /// By the end of the connection.
        case close
    }

    /// Sends the answer.
    func send(on connection: HostileConnection) -> Bool {
        switch framing {
        case .length:
            connection.send(ok(["Content-Type: application/json", "Content-Length: \(begin.utf8.count + total)"]))
            connection.send(begin)
            connection.sendRepeatedly(piece, total: total)
        case .close:
            connection.send(ok(["Content-Type: application/json", "Connection: close"]) + begin)
            connection.sendRepeatedly(piece, total: total)
        case .chunked:
            connection.send(ok(["Content-Type: application/json", "Transfer-Encoding: chunked"]))
            connection.send("\(String(begin.utf8.count, radix: 16))\r\n\(begin)\r\n")
            let whole = String(repeating: piece, count: max(1, 50_000 / piece.utf8.count))
            connection.sendRepeatedly("\(String(whole.utf8.count, radix: 16))\r\n\(whole)\r\n", total: total)
        }
        return false
    }

    /// Bodies of pages.
    static let pages: [HostileBody] = [
        HostileBody(
            description: "200 MB, as announced", begin: #"{"sync":{"#, framing: .length,
            error: "the body is longer than 33554432 bytes"),
        HostileBody(
            description: "200 MB in chunks", begin: #"{"sync":{"#, framing: .chunked,
            error: "the body is longer than 33554432 bytes"),
        HostileBody(
            description: "200 MB until the connection ends", begin: #"{"sync":{"#,
            error: "the body is longer than 33554432 bytes"),
        HostileBody(
            description: "a million brackets in a member nobody knows", begin: #"{"x":"#, piece: "[", total: 1_000_000,
            error: "JSON: nesting that is too deep at byte 132"),
        HostileBody(
            description: "a million brackets in a row", begin: #"{"sync":{"mutations":[{"data":"#, piece: "[",
            total: 1_000_000, error: "JSON: nesting that is too deep at byte 154"),
        HostileBody(
            description: "30 MB of empty changes", begin: #"{"sync":{"mutations":["#,
            piece: #"{"sequence":2,"type":"X","resource_group":"g","resource_id":1},"#, total: 30_000_000,
            error: "sync.mutations has more than 10000 elements"),
        HostileBody(
            description: "a name of 30 MB", begin: #"{"sync":{""#, piece: "n", total: 30_000_000,
            error: "JSON: a text that is too long at byte 10"),
        HostileBody(
            description: "a number of 30 MB", begin: #"{"sync":{"sync_until_sequence":"#, piece: "1",
            total: 30_000_000, error: "JSON: a text that is too long at byte 1048607"),
    ]

    /// A snapshot up to its first record.
    static let head = """
        {"resource_group":"translations","resource_id":19,"resource_content_id":null,"schema_version":1,\
        "sync_sequence":2,"records":[
        """

    /// Bodies of snapshots.
    static let copies: [HostileBody] = [
        HostileBody(
            description: "one record of 200 MB", begin: head + #"{"id":1,"text":""#, piece: "x",
            error: "records[0] is longer than 16777216 bytes"),
        HostileBody(
            description: "a name of 200 MB", begin: head + #"{""#, piece: "n",
            error: "JSON: a text that is too long at byte"),
        HostileBody(
            description: "a name of 200 MB deep inside", begin: head + #"{"id":1,"x":{""#, piece: "n",
            error: "records[0] is longer than 16777216 bytes"),
        HostileBody(
            description: "a key of 100 million digits", begin: head + #"{"id":"#, piece: "7", total: 100_000_000,
            error: "JSON: a text that is too long at byte"),
        HostileBody(
            description: "a number of 100 million digits beside the records", begin: #"{"x":"#, piece: "7",
            total: 100_000_000, error: "JSON: an early end at byte 100"),
        HostileBody(
            description: "200 MB of white space", begin: head, error: "JSON: an early end at byte 200"),
        HostileBody(
            description: "a million brackets in a record", begin: head + #"{"id":1,"x":"#, piece: "[",
            total: 1_000_000, error: "JSON: nesting that is too deep at byte"),
        HostileBody(
            description: "a million brackets beside the records", begin: #"{"x":"#, piece: "[", total: 1_000_000,
            error: "JSON: nesting that is too deep at byte 132"),
    ]
}
