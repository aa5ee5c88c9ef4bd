internal import LarderStore
internal import Logging
public import ServiceLifecycle

extension Outbox: Service {
    /// Sends what waits, and what is enqueued, until the service is shut down or the task is cancelled.
    ///
    /// Requests under way then are ended; they are sent again under their keys at the next start. While another outbox
    /// sends for the same store, in this process or another, it waits for that one's end and takes over then. Called once
    /// at a time; together with ``runOnce(within:)`` it is a programming error.
    ///
    /// - Throws: `CancellationError`; `EngineError` when `outbox.lock` in the store's directory cannot be used.
    public func run() async throws {
        reserve()
        do {
            if try !claim() { try await cancelWhenGracefulShutdown { try await self.waitForOwnership() } }
        } catch {
            unreserve()
            // Shut down while another one sent.
            if error is CancellationError { return try Task.checkCancellation() }
            throw error
        }
        // Here, so that a shutdown that came before the start ends the run.
        let (inputs, continuation) = AsyncStream<OutboxInput>.makeStream()
        await withGracefulShutdownHandler {
            await loop(inputs, continuation, within: nil)
        } onGracefulShutdown: {
            continuation.yield(.event(.stop))
        }
        try Task.checkCancellation()
    }

    /// Sends what can be sent within a time, and returns: for the few seconds that a system grants in the background.
    ///
    /// - Parameter limit: above zero; leave a second or so to what the system grants.
    /// - Returns: what waits still, and why; at once where another outbox sends for the store, which it then says.
    @discardableResult
    public func runOnce(within limit: Duration) async -> OutboxStatus {
        precondition(limit > .zero, "no time to send")
        reserve()
        do {
            if try await !own() {
                unreserve()
                return status
            }
        } catch {
            unreserve()
            store.host.logger.error("the outbox cannot be run", metadata: ["error": "\(error)"])
            return status
        }
        let (inputs, continuation) = AsyncStream<OutboxInput>.makeStream()
        await loop(inputs, continuation, within: limit)
        return status
    }
}
