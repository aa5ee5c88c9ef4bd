// Probe: performs one command on a store in a separate process, for tests that kill, fork or starve it.

import Foundation
import LarderEngine

/// Does one thing to a store in a process of its own, for tests that kill, fork or starve a process.
///
/// Prints `ready` when it stands where the test wants it, and lines of results after that.
@main
struct Probe {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count > 2, let command = commands[arguments[1]] else { exit(64) }
        do {
            try command(arguments[2], Array(arguments.dropFirst(3)))
        } catch {
            printLine("error \(error)")
            exit(1)
        }
    }

    private static let commands: [String: @Sendable (_ path: String, _ rest: [String]) throws -> Void] = [
        "hold-read": { path, _ in try holdRead(path) },
        "hold-write": { path, _ in try holdWrite(path) },
        "hold-open": { path, rest in try holdOpen(path, readers: Int(rest[0]) ?? 126) },
        "try-open": { path, rest in tryOpen(path, isReadOnly: rest.first == "reading") },
        "try-destroy": { path, _ in tryDestroy(path) },
        "remove-companions": { path, rest in try removeCompanions(path, rest) },
        "try-copy": { path, rest in tryCopy(path, to: rest[0]) },
        "grow": { path, rest in try grow(path, name: rest[0], rows: Int(rest[1]) ?? 0) },
        "churn": { path, rest in try reopenRepeatedly(path, cycles: Int(rest[0]) ?? 0) },
        "commit": { path, rest in try commit(path, count: Int(rest[0]) ?? 0) },
        "read": { path, rest in try readRows(path, key: rest[0]) },
        "read-all": { path, rest in try readAll(path, rows: Int(rest[0]) ?? 0) },
        "set-all": { path, rest in try changeAll(path, rows: Int(rest[0]) ?? 0, isRemoval: false) },
        "remove-all": { path, rest in try changeAll(path, rows: Int(rest[0]) ?? 0, isRemoval: true) },
        "read-twice": { path, rest in try readTwice(path, table: rest[0], key: rest[1]) },
        "salvage": { path, _ in try salvage(path) },
        "fork": { path, _ in try forkInside(path) },
        "query-lock": { path, _ in try queryLock(path) },
        "raw-twice": { path, _ in try openTwiceRaw(path) },
    ]
}

/// Writes a line at once.
func printLine(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Waits for the end of standard input, which the test closes, or for its signal.
func waitForTest() {
    printLine("ready")
    _ = FileHandle.standardInput.readDataToEndOfFile()
}
