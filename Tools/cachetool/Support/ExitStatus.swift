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

extension ToolError {
    var status: ExitStatus {
        switch self {
        case .interrupted: .interrupted
        case .outputClosed, .system: .system
        case .notFound: .findings
        case .damagedRecord, .damagedTable, .damagedWrites, .damagedFilters, .badDump: .damage
        case .usage: .usage
        }
    }
}

extension ExitStatus {
    /// The error of a verb that has printed its messages already.
    var code: ExitCode { ExitCode(rawValue) }
}
