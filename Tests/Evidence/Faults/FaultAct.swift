// FaultAct: the process in which calls fail.

import Glibc
import LarderEngine
import LarderFormat
import LarderStore

/// The process in which calls fail: `act ROOT VERB`. The exit status is 0, or 1 with a line for a typed error.
enum FaultAct {
    /// Makes the store `store` of a directory, which the verbs are run on.
    static func prepare(_ root: String) throws {
        let player = try Player(root: root, seed: 5)
        try player.syncUnchanged()
        let operations: [Operation] = [
            .enqueue, .enqueue, .enqueue, .put, .replace, .response, .collection, .point, .reclaim,
        ]
        for operation in operations { try player.play(operation) }
        try player.close()
    }

    static func run(_ root: String, _ name: String) throws -> Int32 {
        guard let verb = FaultVerb(name: name, hasTool: false) else { throw ToolFailure("no verb \(name)") }
        do {
            try run(root, verb)
            return 0
        } catch let error as EngineError {
            print("error \(error)")
        } catch let error as StoreError {
            print("error \(error)")
        } catch {
            // Those of the sync and the outbox carry one of the others, or one of a transport.
            print("error \(type(of: error)) \(error)")
        }
        return 1
    }

    private static func run(_ root: String, _ verb: FaultVerb) throws {
        let path = root + "/store"
        switch verb {
        case .create:
            begin()
            try Store.open(at: root + "/new", host: .repeating()).close()
        case .open:
            begin()
            try Store.open(at: path, host: .repeating()).close()
        case .read:
            begin()
            let store = try Store.open(at: path, options: StoreOptions(access: .readOnly), host: .repeating())
            defer { try? store.close() }
            _ = try store.read { view in try TableDigests(view) }
        case .verify:
            begin()
            let store = try Store.open(at: path, options: StoreOptions(access: .readOnly), host: .repeating())
            defer { try? store.close() }
            _ = try store.verify { finding in throw ToolFailure("finding \(finding)") }
        case .salvage:
            begin()
            let report = try Store.salvage(at: path, to: root + "/saved", host: .repeating())
            if report.damagedPageCount + report.damagedRecordCount > 0 { throw ToolFailure("finding \(report)") }
        case .destroy:
            begin()
            try Store.destroy(at: path, discardingUnsent: true)
        case .operation(let operation):
            let player = try Player(root: root, seed: 77)
            begin()
            try player.play(operation)
            try player.close()
        case .tool: break
        }
    }

    /// Has the preloaded library count from now on.
    private static func begin() {
        guard let symbol = unsafe dlsym(nil, "evidence_faults_begin") else { return }
        // The library declares it so.
        let call = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> Void).self)
        call()
    }
}
