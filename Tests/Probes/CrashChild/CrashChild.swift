// CrashChild: the process that crash tests kill: `crash-child <what> <store> <numbers>`.

import CrashWorld
import Larder
import LarderStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The process that crash tests kill: `crash-child <what> <store> <numbers>`.
@main
struct CrashChild {
    static func main() async throws {
        let arguments = CommandLine.arguments
        precondition(arguments.count >= 3, "what to do, and with which store")
        let numbers = arguments.dropFirst(3).compactMap { UInt64($0) }
        let path = arguments[2]
        switch (arguments[1], numbers.count) {
        case ("random", 3):
            try await RandomRun(
                path: path, seed: numbers[0], commands: Int(numbers[1]), firstEntry: Int(numbers[2])
            ).run()
        case ("bulk", 3):
            let content = BulkContent(resources: Int(numbers[0]), rowsPerResource: Int(numbers[1]))
            try await BulkSyncRun(path: path, content: content, perPage: Int(numbers[2])).run()
        case ("script", 1): try await ScriptedRun(path: path, firstStep: Int(numbers[0])).run()
        case ("create", 0):
            try Store.open(at: path).close()
            acknowledge(.done)
        case ("compact", 0):
            _ = try Store.compact(at: path, host: .still)
            acknowledge(.done)
        case ("stage", 2):
            try await StagingRun(path: path, resource: ResourceKey("staged", Int64(numbers[0])), rows: Int(numbers[1]))
                .run()
        case ("hold", 0):
            let store = try Store.open(at: path)
            acknowledge(.ready)
            withExtendedLifetime(store) { while true { _ = pause() } }
        case ("hold-read", 0):
            let store = try Store.open(at: path)
            try store.read { view in
                let commit = view.commit
                acknowledge(.ready)
                repeat { _ = pause() } while view.commit == commit
            }
        case ("write", 3):
            try await NumberedWriter(path: path, port: Int(numbers[0]), end: Int(numbers[1]), seed: numbers[2]).run()
        case ("share", 3):
            let first = Int(numbers[1])
            try await SharingWriter(path: path, port: Int(numbers[0]), numbers: first..<first + Int(numbers[2])).run()
        case ("edit", 2):
            try await RowEditor(path: path, port: Int(numbers[0]), random: SharedRandom(seed: numbers[1])).run()
        #if Server
        case ("serve", 2):
            try await WriteServer(path: path, port: Int(numbers[0]), seed: numbers[1]).run()
        case ("serve-edits", 2): try await EditServer(port: Int(numbers[0]), seed: numbers[1]).run()
        #endif
        default: preconditionFailure("unknown: \(arguments.dropFirst())")
        }
    }
}
