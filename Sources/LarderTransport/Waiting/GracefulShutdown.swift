#if ServiceLifecycle
internal import ServiceLifecycle
#endif

// The graceful shutdown of a program that runs its services in a group of ServiceLifecycle (trait ServiceLifecycle). Without
// the trait there is none, and a program cancels the tasks.

/// Calls `body`, and `onShutdown` when a graceful shutdown begins meanwhile.
package func withShutdownHandler(
    _ body: () async -> Void, onShutdown: @escaping @Sendable () -> Void
) async {
    #if ServiceLifecycle
    await withGracefulShutdownHandler(operation: body, onGracefulShutdown: onShutdown)
    #else
    await body()
    #endif
}

/// Calls `body`, and cancels it when a graceful shutdown begins.
package func cancelledByShutdown<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    #if ServiceLifecycle
    try await cancelWhenGracefulShutdown(body)
    #else
    try await body()
    #endif
}
