// InStep: the README's example of a running coordinator, compiled; a test compares the two.

#if AsyncHTTPClient
// What README.md shows of keeping in step, between the marks; a test compares the two.

// README begins
import Larder
import LarderStore
import LarderSync
import LarderAsyncHTTPClient

func keepInStep(store: Store, base: BaseURL, headers: HTTPFields) async throws {
    let coordinator = SyncCoordinator.system(  // by the system's network and battery
        store: store, transport: AsyncHTTPClientTransport(),
        configuration: SyncConfiguration(base: base), credentials: FixedCredentials(headers))
    coordinator.add(ResourceFilter("translations:19,20"), priority: .high)
    coordinator.add(ResourceFilter("recitations:*"), priority: .low)  // when nothing else is to be done

    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await coordinator.run() }  // a service, with the trait ServiceLifecycle
        group.addTask {
            for await status in coordinator.statuses() { print(status) }  // what is ready, running, waiting, and why
        }
        let ready = try await coordinator.waitUntilReady(ResourceFilter("translations:19,20"))
        print("the shops may shut: everything is here as of", ready.asOfSequence ?? 0)
        coordinator.trigger(.opened(ResourceKey("translations", 19)))  // read now, refreshed behind
        try await group.waitForAll()
    }
}
// README ends
#endif
