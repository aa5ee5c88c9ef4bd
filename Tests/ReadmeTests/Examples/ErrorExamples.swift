// Proves that the examples in the doc comments of errors compile.

#if AsyncHTTPClient
import HTTPTypes
import Larder
import LarderOutbox
import LarderStore
import LarderSync
import LarderTransport

private func engineErrorExample(cache: ContentCache, note: Note) async throws {
    // Example of EngineError
    do {
        try await cache.put(note, to: "/notes/9")
    } catch EngineError.diskFull {
        print("The device is full: the note is not saved.")  // the store is as it was before
    } catch let error as EngineError {
        print(error)  // one line, with the remedy where there is one
    }
    // End of example
}

private func serverMismatchExample(store: Store, coordinator: SyncCoordinator, filter: ResourceFilter) async throws {
    // Example of ServerMismatch
    do {
        print(try await coordinator.sync(filter))
    } catch SyncError.otherServer(let mismatch) where mismatch.stored.contains("old.example.org") {
        try await store.adopt(mismatch)  // the same server under another name: what is stored stays valid
    }
    // End of example
}

private func syncErrorExample(coordinator: SyncCoordinator, filter: ResourceFilter) async {
    // Example of SyncError
    do throws(SyncError) {
        print(try await coordinator.sync(filter))
    } catch .offline {
        print("offline: the content is as of the last sync")
    } catch .unauthorized {
        print("sign in again")
    } catch {
        print(error.isRetryable ? "later: \(error)" : "\(error)")
    }
    // End of example
}

private func outboxErrorExample(cache: ContentCache, note: Note) async throws {
    // Example of OutboxError
    do {
        try await cache.put(note, to: "/notes/9")
    } catch OutboxError.notSignedIn {
        print("sign in to write notes")  // nothing was stored
    } catch OutboxError.full(let waiting) {
        print(waiting.entries, "writes wait already: connect to send them first")
    }
    // End of example
}

private func sessionErrorExample(session: Session, values: [SessionValue]) async throws {
    // Example of SessionError
    do {
        try await session.signIn(as: "jane", values: values)
    } catch SessionError.sealedWrites(let accounts, let unsent) {
        print(unsent.pending, "writes wait for", accounts, "to sign in")  // see `Session.discardSealed(of:)`
    } catch SessionError.contentOfOtherAccount {
        print("another account's content is stored")  // see `ContentCache.removeContent(discardingUnsent:)`
    }
    // End of example
}

private func transportErrorExample(transport: any Transport, request: HTTPRequest) async {
    // Example of TransportError
    do throws(TransportError) {
        print(try await transport.send(request).head.status)  // also 404 or 500, which are responses
    } catch .noConnection, .connectionRefused {
        print("the server cannot be reached, and has not seen the request")
    } catch {
        print(error.isRetryable ? "try again later" : "\(error)")
    }
    // End of example
}
#endif
