// WriterHold: keeps the writer of a store busy until the test lets it go.

import Dispatch
import LarderStore

/// Keeps the writer of a store busy from its creation on.
final class WriterHold: Sendable {
    private let end = DispatchSemaphore(value: 0)
    private let task: Task<Void, any Error>

    init(_ store: Store) async {
        let (began, signal) = AsyncStream.makeStream(of: Void.self)
        task = Task { [end] in
            try await store.write { _ in
                signal.finish()
                end.wait()
            }
        }
        for await _ in began {}
    }

    func release() async throws {
        end.signal()
        try await task.value
    }
}
