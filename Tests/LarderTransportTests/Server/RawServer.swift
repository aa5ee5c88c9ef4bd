// RawServer: a server of raw bytes on 127.0.0.1: each connection runs a script on a thread of its own.

import Foundation

/// A server of raw bytes on 127.0.0.1: each connection runs a script on a thread of its own.
///
/// It knows nothing of HTTP but where a request ends, so that it can break every rule.
final class RawServer: Sendable {
    let port: UInt16
    /// Fires when a whole request has arrived.
    let received = Signal()
    /// Fires when a script has seen its client go away.
    let clientLeft = Signal()

    private let requestLog = Shared<[RawRequest]>([])
    private let listener: Int32

    /// Starts to listen; at most 1,000 connections are taken.
    init(script: @escaping @Sendable (RawServer, RawConnection) -> Void) throws {
        (listener, port) = try Self.listen()
        let thread = Thread { [listener, weak self] in
            for _ in 0..<1000 {
                let accepted = accept(listener, nil, nil)
                guard accepted >= 0, let server = self else { break }
                let connection = RawConnection(accepted)
                Thread.detachNewThread { script(server, connection) }
            }
            close(listener)
        }
        thread.start()
    }

    /// A server that answers the requests of each connection, one after the other, with `answer`.
    convenience init(answer: @escaping @Sendable (RawRequest) -> [UInt8]) throws {
        try self.init { server, connection in
            for _ in 0..<1000 {
                guard let request = server.next(on: connection), connection.send(answer(request)) else { break }
            }
        }
    }

    deinit {
        // Wakes the thread in `accept`, which closes the socket: closed here, its number could already be another
        // server's when that thread accepts again.
        _ = shutdown(listener, Int32(SHUT_RDWR))
    }

    /// The requests that have arrived whole.
    var requests: [RawRequest] { requestLog.withLock { $0 } }

    /// Reads one request and records it.
    func next(on connection: RawConnection) -> RawRequest? {
        guard let request = connection.readRequest() else { return nil }
        requestLog.withLock { $0.append(request) }
        received.fire()
        return request
    }

    /// Blocks until the client has closed or reset the connection.
    func waitForDisconnect(on connection: RawConnection) {
        connection.readToEnd()
        clientLeft.fire()
    }

    /// A port on which nobody listens.
    static func unusedPort() throws -> UInt16 {
        let (socket, port) = try listen()
        close(socket)
        return port
    }

    private static func listen() throws -> (socket: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // A small send buffer, inherited by each connection, makes the count of accepted bytes sharp.
        var sendBuffer: Int32 = 64 << 10
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe setsockopt(
                    listener, SOL_SOCKET, SO_SNDBUF, &sendBuffer, socklen_t(MemoryLayout<Int32>.size)) == 0
                    && bind(listener, pointer, length) == 0 && Glibc.listen(listener, 128) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return (listener, UInt16(bigEndian: address.sin_port))
    }
}

/// A request as it came over the wire.
struct RawRequest: Sendable {
    let line: String
    let fields: [String: String]
    let body: [UInt8]

    var path: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
}
