import ArgumentParser
import Foundation
import LarderEngine
import LarderFormat
import LarderHTTP
import LarderQuery
import LarderStore
import LarderSync
import LarderTransport

/// How the tool ends, the same for every verb.
enum ExitStatus: Int32 {
    case ok = 0
    /// There are findings or differences, or what was asked for is not there.
    case findings = 1
    /// Bytes are not what they were when they were written.
    case damage = 2
    /// The file or a server's answer is of another format or version, or the engine refuses it.
    case format = 3
    /// The system, the network or a server refused or failed.
    case system = 4
    /// An interrupt or a termination signal came.
    case interrupted = 5
    /// The command line is wrong.
    case usage = 64

    /// What every verb's help ends with.
    static let help = """
        EXIT STATUS: 0 ok, 1 findings or differences or nothing there, 2 damaged data, 3 foreign format or engine \
        error, 4 system error, 5 interrupted, 64 wrong usage.
        """

    /// The status for an error that ended a verb; nil for what the argument parser knows better.
    init?(_ error: any Error) {
        switch error {
        case let error as ToolError: self = error.status
        case let error as StoreError: self = Self.of(error)
        case let error as EngineError: self = Self.of(error)
        case let error as FormatError: self = Self.of(StoreError.damaged(table: "", reason: error))
        case let error as QueryError: self = Self.of(error)
        case let error as SyncError: self = Self.of(error)
        case let error as HTTPCacheError: self = Self.of(error)
        case is CancellationError: self = .interrupted
        case is CocoaError, is POSIXError: self = .system
        default: return nil
        }
    }

    private static func of(_ error: StoreError) -> ExitStatus {
        switch error {
        case .damaged, .tableLost, .verificationFailed: .damage
        case .invalid: .usage
        default: .format
        }
    }

    private static func of(_ error: QueryError) -> ExitStatus {
        switch error {
        case .interrupted: .interrupted
        case .tooLarge, .searchUnavailable: .system
        default: .usage
        }
    }

    private static func of(_ error: SyncError) -> ExitStatus {
        switch error {
        case .store(let error): ExitStatus(error) ?? .system
        case .wire, .endlessResync, .inconsistentRun, .outsideFilter, .laggingFullCopy, .wrongFullCopy: .format
        case .transport, .unauthorized, .rateLimited, .unavailable, .refused, .credentials, .superseded, .offline,
            .intercepted, .list, .incomplete, .serverWait, .laggingServer:
            .system
        case .otherServer: .usage
        case .cancelled: .interrupted
        }
    }

    private static func of(_ error: HTTPCacheError) -> ExitStatus {
        switch error {
        case .transport(.cancelled): .interrupted
        case .notCached: .findings
        case .bodyGone, .unreadable: .damage
        case .invalidRequest, .notConfigured, .otherServer: .usage
        case .parse: .format
        case .transport, .server, .redirectedTooOften, .uploadTooLarge, .answerTooLarge, .notSignedIn: .system
        }
    }

    private static func of(_ error: EngineError) -> ExitStatus {
        switch error {
        case .corrupted, .truncated, .damagedMeta: .damage
        case .notFound, .accessDenied, .unsupportedFileSystem, .diskFull, .ioFailure, .system: .system
        default: .format
        }
    }
}

/// What the tool itself reports.
enum ToolError: Error, Equatable {
    /// A signal asked the tool to end.
    case interrupted
    /// Whoever read the output has gone.
    case outputClosed
    /// What was asked for is not in the store.
    case notThere(String)
    /// A record is not what it should be; where and why.
    case damagedRecord(place: String, reason: String)
    /// So many writes are damaged, and were left out; those that have an identity all the same can be dropped.
    case damagedWrites(Int, [UUIDBytes])
    /// A dump is not whole, or not one.
    case badDump(line: Int, reason: String)
    /// The system refused; in words.
    case system(String)
    /// Arguments that do not go together, noticed while running.
    case usage(String)

    var status: ExitStatus {
        switch self {
        case .interrupted: .interrupted
        case .outputClosed, .system: .system
        case .notThere: .findings
        case .damagedRecord, .damagedWrites, .badDump: .damage
        case .usage: .usage
        }
    }
}

extension ToolError: CustomStringConvertible {
    var description: String {
        switch self {
        case .interrupted: "Interrupted."
        case .outputClosed: "The output was closed."
        case .notThere(let what): what
        case .damagedRecord(let place, let reason):
            "The record \(place) is damaged (\(reason)): run verify, and sync its resource again."
        case .damagedWrites(let count, let ids):
            "\(count == 1 ? "A damaged write was" : "\(count) damaged writes were") left out: verify says where."
                + (ids.isEmpty ? "" : " To drop: \(ids.map(\.description).joined(separator: " ")).")
        case .badDump(let line, let reason): "Line \(line) of the dump: \(reason). Nothing was loaded."
        case .system(let text), .usage(let text): text
        }
    }
}

extension ExitStatus {
    /// To be thrown by a verb that has said everything already.
    var code: ExitCode { ExitCode(rawValue) }
}
