import ArgumentParser
import Foundation
import Larder
import LarderEngine
import LarderStore

/// The printing options of a verb.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON, one object per line, with the members that the help names.")
    var json = false

    @Flag(help: "Print sizes and hashes in place of content, keys and URLs.")
    var redact = false
}

/// The store that a verb reads.
struct StoreArgument: ParsableArguments {
    @Argument(
        help: "The store's directory; for reading also a file that an app's diagnostics() has made.",
        completion: .file())
    var store: String
    @OptionGroup var key: KeyArgument

    /// Calls `body` with a read view of the store, which is opened read-only: safe beside a live writer.
    func read<Result>(_ body: (borrowing ReadView) throws -> Result) throws -> Result {
        try Self.read(store, body)
    }

    /// Calls `body` with a read view of the store at `path`.
    static func read<Result>(_ path: String, _ body: (borrowing ReadView) throws -> Result) throws -> Result {
        let store = try open(path)
        defer { try? store.close() }
        return try store.read(body)
    }

    /// Opens the store in the directory or the file at `path` for reading. Of a diagnostic copy it is said that it is one.
    static func open(_ path: String) throws -> Store {
        let directory = try DiagnosticFile.directory(of: path)
        try check(directory)
        let store = try open(directory, StoreOptions(access: .readOnly), .system(logger: .tool))
        if let copy = try? store.read({ view in try view.diagnostics() }) {
            Terminal.printMessage("a diagnostic copy of \(timeText(copy.time)): it has no rows and no bodies")
        }
        return store
    }

    /// Opens the store at `path`; a signal ends the wait for a lock.
    static func open(_ path: String, _ options: StoreOptions, _ host: HostServices) throws -> Store {
        try checkIsNoFile(path)
        var options = options
        options.lockTimeout = lockStep
        options.compression = .tool
        return try KeyArgument.withEncryption { encryption in
            options.encryption = encryption
            return try whileLocked { [options] in try Store.open(at: path, options: options, host: host) }
        }
    }

    /// The time to wait for a lock between two checks for a signal.
    static let lockStep = Duration.seconds(1)
    /// The maximum number of such waits.
    private static let lockSteps = 5

    /// Runs `body`, which waits for ``lockStep`` while another program holds a lock, until it has the lock or
    /// ``lockSteps`` waits have failed.
    static func whileLocked<Result>(_ body: () throws -> Result) throws -> Result {
        let start = ContinuousClock.now
        var step = 1
        while true {
            do { return try body() } catch EngineError.lockedElsewhere(let name, _) {
                try Interrupt.check()
                if step == lockSteps {
                    let seconds = (ContinuousClock.now - start).components.seconds
                    throw EngineError.lockedElsewhere(name: name, seconds: Int(seconds))
                }
                step += 1
            }
        }
    }

    /// Throws an error for a missing store that explains more than the engine's.
    static func check(_ path: String) throws(ToolError) {
        let files = FileManager.default
        guard files.fileExists(atPath: path) else {
            throw .system("There is nothing at \(path): check the path.")
        }
        try checkIsNoFile(path)
        guard files.fileExists(atPath: path + "/data.mdb") else {
            throw .system("\(path) holds no data.mdb: name a store's directory.")
        }
        guard files.fileExists(atPath: path + "/guard.lock") else {
            throw .system("\(path) holds no guard.lock: if its data.mdb is a store's, create an empty one beside it.")
        }
    }

    private static func checkIsNoFile(_ path: String) throws(ToolError) {
        var isDirectory: ObjCBool = true
        if unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue {
            throw .system("\(path) is a file: name the directory of a store.")
        }
    }
}

/// GROUP/ID on a command line.
struct ResourceArgument: ExpressibleByArgument {
    let key: ResourceKey

    /// Splits at the last slash: a group may contain slashes, a number cannot.
    init?(argument: String) {
        guard let slash = argument.utf8.lastIndex(of: UInt8(ascii: "/")),
            slash > argument.startIndex, let id = Int64(argument[argument.index(after: slash)...])
        else { return nil }
        key = ResourceKey(String(argument[..<slash]), id)
    }
}
