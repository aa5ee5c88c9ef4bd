// HostileServer: a loopback server that sends any bytes and records every byte that it receives.

import Foundation
import Synchronization

/// A server on 127.0.0.1 that sends whatever bytes a test wants, and keeps every byte that it receives.
///
/// Each connection has a thread of its own. Requests go by the short names of ``CannedServer``.
final class HostileServer: Sendable {
    /// Writes the answer to one request; the connection stays open for the next one only when it returns true.
    typealias Answer = @Sendable (HostileConnection) -> Bool

    let port: UInt16
    private let listener: Int32
    private let state = Mutex((answers: [String: Answer](), names: [String](), connections: [HostileConnection]()))

    /// Starts to listen; at most 10,000 connections are taken.
    init() throws {
        (listener, port) = try Self.listen()
        let thread = Thread { [listener, weak self] in
            for _ in 0..<10_000 {
                let accepted = accept(listener, nil, nil)
                guard accepted >= 0 else { break }
                let connection = HostileConnection(accepted)
                guard let server = self else { break }
                server.state.withLock { $0.connections.append(connection) }
                Thread.detachNewThread { [weak server] in server?.serve(connection) }
            }
            close(listener)
        }
        thread.start()
    }

    deinit {
        // Wakes the thread in `accept`, which closes the socket.
        _ = shutdown(listener, Int32(SHUT_RDWR))
    }

    /// Where a client finds it.
    var base: String { "http://127.0.0.1:\(port)/content" }

    /// What was asked, by short names.
    var names: [String] { state.withLock { $0.names } }

    /// Every byte received, by connection.
    var received: [[UInt8]] { state.withLock { $0.connections }.map(\.received) }

    /// Sets the answer to requests of a name.
    func on(_ name: String, _ answer: @escaping Answer) {
        state.withLock { $0.answers[name] = answer }
    }

    /// Sets an honest answer to requests of a name.
    func on(_ name: String, _ body: String, fields: [String] = []) {
        on(name) { $0.send(ok(["Content-Length: \(body.utf8.count)"] + fields) + body) }
    }

    private func serve(_ connection: HostileConnection) {
        for _ in 0..<100_000 {
            guard let path = connection.nextPath() else { break }
            let name = CannedServer.name(path)
            let answer = state.withLock { state in
                state.names.append(name)
                return state.answers[name] ?? state.answers["*"]
            }
            let missing: Answer = { $0.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n") }
            guard (answer ?? missing)(connection) else { break }
        }
        connection.end()
    }

    private static func listen() throws -> (socket: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, length) == 0 && Glibc.listen(listener, 128) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return (listener, UInt16(bigEndian: address.sin_port))
    }
}

/// The head of a good answer with these header fields.
func ok(_ fields: [String] = []) -> String {
    (["HTTP/1.1 200 OK"] + fields + ["", ""]).joined(separator: "\r\n")
}
