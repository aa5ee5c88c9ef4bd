internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

extension SyncCoordinator {
    /// Opens a connection over which the server reports changes, and posts what it reports until it ends.
    func listen(_ number: Int, _ request: EventsRequest, in group: inout DiscardingTaskGroup) {
        let task = Task {
            do throws(SyncError) {
                try await receive(number, request)
                post(.listeningEnded(number, nil))
            } catch {
                store.host.logger.debug("the connection for changes has ended", metadata: ["error": "\(error)"])
                post(.listeningEnded(number, error))
            }
        }
        state.withLock { $0.loop?.listener = (number, task) }
        group.addTask {
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    private func receive(_ number: Int, _ request: EventsRequest) async throws(SyncError) {
        guard case .body(let body, _) = try await content.eventsClient().get(request.path, .events) else { return }
        var stream = EventStream()
        var isOpen = false
        do {
            for try await chunk in body {
                if !isOpen { post(.listening(number)) }
                isOpen = true
                // Of several events of a filter the last one counts: a chunk may have thousands.
                var last: [String: Int64?] = [:]
                for event in try stream.events(in: chunk) where request.filters.contains(event.data) {
                    last[event.data] = .some(Int64(event.id))
                }
                for (filter, sequence) in last { post(.changed(filter, sequence: sequence)) }
            }
        } catch let error as WireError {
            throw .wire(error, request: .events)
        } catch {
            throw SyncError(error)
        }
    }
}
