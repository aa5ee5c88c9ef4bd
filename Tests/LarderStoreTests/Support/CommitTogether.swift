// commitTogether: holds the writer thread so that several writes share one commit.

import Foundation
import LarderStore

/// Keeps the writer thread busy until it is opened, so that what is written meanwhile shares a commit.
final class WriterBarrier: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func holdWriter(_ store: Store) async -> Task<Void, any Error> {
        let (began, signal) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await store.write { _ in
                signal.finish()
                self.semaphore.wait()
            }
        }
        for await _ in began {}
        return task
    }

    func release() { semaphore.signal() }
}

/// Starts `writes` while the writer is held, lets it go when all are in line, and answers how each ended.
func commitTogether<Value: Sendable>(
    _ store: Store, _ writes: [@Sendable (inout Transaction) throws -> Value]
) async throws -> [Result<Value, any Error>] {
    let barrier = WriterBarrier()
    let holder = await barrier.holdWriter(store)
    let tasks = writes.map { body in Task { try await store.write(body) } }
    // Long enough for all to be in line; were it not, the outcome would be the same in more commits.
    try await Task.sleep(for: .milliseconds(50))
    barrier.release()
    try await holder.value
    var outcomes: [Result<Value, any Error>] = []
    for task in tasks { outcomes.append(await task.result) }
    return outcomes
}
