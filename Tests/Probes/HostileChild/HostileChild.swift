// HostileChild: a client of a hostile server, in a separate process so that its memory can be measured.

import Foundation
import HTTPTypes
import LarderAsyncHTTPClient
import LarderTransport
import LarderURLSession

/// A client of a hostile server, in a process of its own, so that its memory can be measured:
/// `hostile-child sync|get|join <transport> <base> <store> [<most bytes of the store>]`.
///
/// `sync` runs a filter once, which must succeed, and a second time, which is measured. `get` asks for `/` and then for
/// `/hostile`. `join` has two readers download the same at a time. What happened is printed line by line.
@main
struct HostileChild {
    static func main() async throws {
        let arguments = CommandLine.arguments
        precondition(arguments.count >= 5, "what to do, over what, whom to ask, and with which store")
        let transport = transport(named: arguments[2])
        guard let base = BaseURL(arguments[3]) else { preconditionFailure("no base: \(arguments[3])") }
        switch arguments[1] {
        case "sync":
            let cap = arguments.count > 5 ? Int(arguments[5]) : nil
            try await MeasuredSync(path: arguments[4], cap: cap, base: base, transport: transport).run()
        case "get": try await getTwice(base, transport)
        case "join": try await JoinedDownloads(path: arguments[4], base: base, transport: transport).run()
        default: preconditionFailure("unknown: \(arguments[1])")
        }
    }

    private static func transport(named name: String) -> any Transport {
        switch name {
        #if AsyncHTTPClient
        case "asyncHTTPClient": AsyncHTTPClientTransport()
        #endif
        case "urlSession": URLSessionTransport()
        default: preconditionFailure("no transport \(name)")
        }
    }

    private static func getTwice(_ base: BaseURL, _ transport: any Transport) async throws {
        _ = try await transport.send(base.request(appending: "/")).body.collect(upTo: 1 << 20)
        let memory = PeakMemory()
        do {
            let limits = TransportTimeouts(head: .seconds(5), idle: .seconds(5))
            let answer = try await transport.send(base.request(appending: "/hostile"), body: nil, timeouts: limits)
            let body = try await answer.body.collect(upTo: 1 << 20)
            printResult("outcome", "\(answer.head.status.code) with \(body.count) bytes")
        } catch {
            printResult("outcome", "\(error)")
        }
        printResult("growth", "\(memory.growth())")
    }
}

/// Prints one line of what happened.
func printResult(_ name: String, _ value: String) {
    FileHandle.standardOutput.write(Data("\(name) \(value)\n".utf8))
}
