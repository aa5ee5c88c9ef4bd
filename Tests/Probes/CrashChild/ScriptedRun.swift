// ScriptedRun: performs the script from one step on to its end.

import CrashWorld
import Larder
import LarderStore
import LarderSync
import LarderTesting

/// Plays the script from one step on to its end.
struct ScriptedRun {
    let path: String
    let firstStep: Int

    func run() async throws {
        let script = Script()
        for number in 0..<firstStep { try script.apply(number) }
        let store = try Store.open(at: path, host: .still)
        for number in firstStep..<Script.steps.count {
            acknowledge(.step(number))
            try script.apply(number)
            try await perform(Script.steps[number], store, script)
        }
        try await store.reclaim()
        try store.close()
        acknowledge(.done)
    }

    private func perform(_ step: Script.Step, _ store: Store, _ script: Script) async throws {
        if step.syncs {
            let base = BaseURL("http://127.0.0.1/content")
            let sync = ContentSync(
                store: store, transport: OriginTransport(script.origin),
                configuration: SyncConfiguration(base: base, concurrentSnapshots: 1))
            _ = try await sync.sync(ResourceFilter(Script.filter))
        }
        for number in step.enqueues { try await enqueue(number, store) }
        for number in step.completes {
            let id = Entries.id(number, seed: Script.seed)
            // Gone already when the step is repeated.
            guard try store.read({ try $0.outboxEntry(id) }) != nil else { continue }
            try await store.write { try $0.removeEntry(id, outcome: "accepted", at: 0) }
            acknowledge(.completed(number))
        }
        if step.reclaims { try await store.reclaim() }
    }

    private func enqueue(_ number: Int, _ store: Store) async throws {
        let draft = Entries.draft(number, seed: Script.seed)
        let gone = try store.read { try $0.outboxOutcomes() }
        if gone.contains(where: { $0.id == draft.id }) { return }
        do {
            let sequence = try await store.write { transaction in
                let entry = try transaction.enqueue(draft)
                try transaction.put(Array("{}".utf8), at: Entries.row(number), updatedAt: 0)
                return entry.sequence
            }
            acknowledge(.enqueued(number, sequence: sequence))
        } catch StoreError.duplicateEntry {
            // The step is repeated, and the first time got that far.
        }
    }
}

extension HostServices {
    /// A host whose clocks stand still, so that bulk work ends its batches by their size alone.
    static let still = HostServices(
        now: { 1_700_000_000_000 }, elapsed: { .zero }, sleepUntil: { try await Task.sleep(for: $0) },
        makeID: {
            var generator = SystemRandomNumberGenerator()
            return UUIDBytes.random(using: &generator)
        },
        logger: Logger(label: "larder"))
}
