// EventReader: a client that listens to the events of a server, over a plain socket.

#if Server && canImport(Glibc)
import Foundation
import Testing

/// One event, as `translations:19 @ 7`.
final class EventReader {
    private let connection: RawConnection
    private var text = ""
    private(set) var isOver = false

    /// Sends the request; `query` is what follows the `?`.
    init(_ base: String, _ query: String, fields: String = "") throws {
        let port = try #require(URL(string: base)?.port)
        let head = "GET /content/api/v4/resources/events?\(query) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
        connection = try #require(RawConnection(port: UInt16(port), sending: head))
    }

    /// Returns the next event; `nil` when the server has ended the response.
    func next() async -> String? {
        while true {
            if let end = text.range(of: "\n\n") {
                let lines = text[..<end.lowerBound].split(whereSeparator: \.isNewline)
                text = String(text[end.upperBound...])
                let id = lines.first { $0.hasPrefix("id: ") }?.dropFirst(4)
                let data = lines.first { $0.hasPrefix("data: ") }?.dropFirst(6)
                if let id, let data { return "\(data) @ \(id)" }
            } else if isOver {
                return nil
            } else {
                await receive()
            }
        }
    }

    /// Waits until the head of the response and something of its body are there; returns both.
    func start() async -> String {
        while !text.contains("\n\n"), !text.contains("\r\n\r\n:"), !isOver { await receive() }
        return text
    }

    private func receive() async {
        let bytes = await connection.read(4096)
        text += String(decoding: bytes, as: UTF8.self).replacing("\r\n\r\n", with: "\n\n")
        // The end of a chunked body (RFC 9112 §7.1), or of the connection.
        if bytes.isEmpty || text.hasSuffix("0\n\n") { isOver = true }
    }
}
#endif
