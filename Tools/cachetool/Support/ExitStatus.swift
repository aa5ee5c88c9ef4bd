import ArgumentParser
import Foundation
import LarderEngine
import LarderFormat
import LarderHTTP
import LarderQuery
import LarderStore
import LarderSync
import LarderTransport

/// The exit status of the tool, the same for every verb.
enum ExitStatus: Int32 {
    case ok = 0
    /// There are findings or differences, or the requested item is not in the store.
    case findings = 1
    /// Stored bytes have changed since they were written.
    case damage = 2
    /// The file or a server's response is of another format or version, or the engine refuses it.
    case format = 3
    /// The system, the network or a server refused or failed.
    case system = 4
    /// An interrupt or a termination signal was received.
    case interrupted = 5
    /// The command line is wrong.
    case usage = 64

    /// The last paragraph of every verb's help.
    static let help = """
        EXIT STATUS: 0 ok, 1 findings or differences or nothing there, 2 damaged data, 3 foreign format or engine \
        error, 4 system error, 5 interrupted, 64 wrong usage.
        """

    /// Creates the status for an error that ended a verb; nil for an error that the argument parser reports itself.
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
        case .wire, .endlessResync, .inconsistentRun, .outsideFilter, .laggingSnapshot, .wrongSnapshot: .format
        case .transport, .unauthorized, .rateLimited, .unavailable, .refused, .credentials, .superseded, .offline,
            .intercepted, .list, .incomplete, .serverWait, .laggingServer:
            .system
        case .otherServer, .signedOut: .usage
        case .cancelled: .interrupted
        }
    }

    private static func of(_ error: HTTPCacheError) -> ExitStatus {
        switch error {
        case .transport(.cancelled): .interrupted
        case .notCached: .findings
        case .bodyRemoved, .unreadable: .damage
        case .invalidRequest, .notConfigured, .otherServer: .usage
        case .parse: .format
        case .transport, .server, .redirectedTooOften, .uploadTooLarge, .responseTooLarge, .notSignedIn: .system
        }
    }

    private static func of(_ error: EngineError) -> ExitStatus {
        switch error {
        case .corrupted, .truncated, .damagedMeta, .damagedPage: .damage
        // LMDB's own codes are negative: its pages contradict each other.
        case .system(let code, _) where code < 0: .damage
        case .notFound, .accessDenied, .unsupportedFileSystem, .readersFull, .diskFull, .ioFailure, .stopped, .closed,
            .system:
            .system
        default: .format
        }
    }
}

/// An error that the tool itself reports.
enum ToolError: Error, Equatable {
    /// A signal requested the end of the tool.
    case interrupted
    /// The reader of the output has closed it.
    case outputClosed
    /// The requested item is not in the store.
    case notFound(String)
    /// A record is damaged; its place and the reason.
    case damagedRecord(place: String, reason: String)
    /// A table has another number of records than it counts.
    case damagedTable(TableName, counted: Int, found: Int)
    /// This many writes are damaged and were left out; those with a readable identity can be dropped.
    case damagedWrites(Int, [UUIDBytes])
    /// A dump is incomplete or invalid.
    case badDump(line: Int, reason: String)
    /// The system reported an error, in words.
    case system(String)
    /// The arguments exclude each other, detected at run time.
    case usage(String)

    var status: ExitStatus {
        switch self {
        case .interrupted: .interrupted
        case .outputClosed, .system: .system
        case .notFound: .findings
        case .damagedRecord, .damagedTable, .damagedWrites, .badDump: .damage
        case .usage: .usage
        }
    }
}

extension ToolError: CustomStringConvertible {
    var description: String {
        switch self {
        case .interrupted: "Interrupted."
        case .outputClosed: "The output was closed."
        case .notFound(let what): what
        case .damagedRecord(let place, let reason):
            "The record \(place) is damaged (\(reason)): run verify, and sync its resource again."
        case .damagedTable(let table, let counted, let found):
            "The table \(table.rawValue) counts \(counted) records, and \(found) were found: restore the store from a copy."
        case .damagedWrites(let count, let ids):
            "\(count == 1 ? "A damaged write was" : "\(count) damaged writes were") left out: verify prints where."
                + (ids.isEmpty ? "" : " To drop: \(ids.map(\.description).joined(separator: " ")).")
        case .badDump(let line, let reason): "Line \(line) of the dump: \(reason). Nothing was loaded."
        case .system(let text), .usage(let text): text
        }
    }
}

extension ExitStatus {
    /// The error of a verb that has printed its messages already.
    var code: ExitCode { ExitCode(rawValue) }
}
