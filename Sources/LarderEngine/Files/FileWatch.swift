private import Dispatch
private import Synchronization

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A watch that announces writes of any process to one file, until it is cancelled. Linux: inotify(7). Darwin:
/// kqueue(2).
final class FileWatch: Sendable {
    /// The delay between the first of several writes and the announcement of them all.
    private static let delay = DispatchTimeInterval.milliseconds(5)

    private let end: @Sendable () -> Void

    private init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    func cancel() { end() }

    /// Runs `body` after the delay, on a thread of its own, because it may wait for the readers of one store.
    static func afterDelay(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue.global().asyncAfter(deadline: .now() + delay) { body() }
    }
}

#if os(Linux)
extension FileWatch {
    /// Calls `onWrite` after writes to the file at `path`; nil where the system allows no more watches.
    convenience init?(path: String, onWrite: @escaping @Sendable () -> Void) {
        guard let inotify = InotifyInstance.shared, let watch = inotify.add(path, onWrite) else { return nil }
        self.init { inotify.remove(watch) }
    }

    /// The one inotify instance of the process, because the system allows a user about a hundred.
    private final class InotifyInstance: @unchecked Sendable {
        // Sendable: everything but the source is. The source is set before the instance is shared, and only kept alive
        // afterwards.
        static let shared = InotifyInstance()

        private struct Watch {
            let onWrite: @Sendable () -> Void
            var isDue = false
        }

        private let descriptor: Int32
        private let queue = DispatchQueue(label: "larder.watch")
        private let source: any DispatchSourceRead
        private let watches = Mutex<[Int32: Watch]>([:])
        private let forkCount = ForkCounter.current

        private init?() {
            descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler { self.receive() }
            source.activate()
        }

        func add(_ path: String, _ onWrite: @escaping @Sendable () -> Void) -> Int32? {
            // A forked child shares the instance with its parent, whose watches it would change, and has no queues.
            if ForkCounter.current != forkCount { return nil }
            // The watch is added under the lock, so that the first event finds it.
            return watches.withLock { watches in
                let number = unsafe inotify_add_watch(descriptor, path, UInt32(IN_MODIFY))
                guard number >= 0 else { return nil }
                watches[number] = Watch(onWrite: onWrite)
                return number
            }
        }

        func remove(_ number: Int32) {
            watches.withLock { watches in
                watches[number] = nil
                inotify_rm_watch(descriptor, number)
            }
        }

        private func receive() {
            // An event of a file, unlike one of a directory, has no name, so all events have one size.
            let size = MemoryLayout<inotify_event>.size
            var events = [inotify_event](repeating: inotify_event(), count: 64)
            while true {
                // A commit writes many pages. They are mostly one event, because equal events in a row are merged.
                let count = unsafe events.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
                guard count > 0 else { return }
                for event in events.prefix(count / size) { scheduleCallback(event.wd) }
            }
        }

        /// Announces writes to a watched file, or to all of them: −1 means that the queue of events overflowed.
        private func scheduleCallback(_ number: Int32) {
            let due = watches.withLock { watches in
                let due = (number < 0 ? Array(watches.keys) : [number]).filter { watches[$0]?.isDue == false }
                for number in due { watches[number]?.isDue = true }
                return due
            }
            for number in due {
                afterDelay {
                    let onWrite = self.watches.withLock { watches in
                        watches[number]?.isDue = false
                        return watches[number]?.onWrite
                    }
                    onWrite?()
                }
            }
        }
    }
}
#else
extension FileWatch {
    /// Calls `onWrite` after writes to the file at `path`; nil where the file cannot be opened.
    convenience init?(path: String, onWrite: @escaping @Sendable () -> Void) {
        let file = unsafe open(path, O_EVTONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        let queue = DispatchQueue(label: "larder.watch")
        let source = DispatchSource.makeFileSystemObjectSource(fileDescriptor: file, eventMask: .write, queue: queue)
        let isDue = ScheduledFlag()
        source.setEventHandler {
            guard isDue.begin() else { return }
            afterDelay {
                isDue.value.withLock { $0 = false }
                onWrite()
            }
        }
        source.setCancelHandler { close(file) }
        source.activate()
        let watching = WatchSource(source: source)
        self.init { watching.source.cancel() }
    }

    /// Whether an announcement is scheduled.
    private final class ScheduledFlag: Sendable {
        let value = Mutex(false)

        /// Schedules an announcement; returns false when one is scheduled already.
        func begin() -> Bool {
            value.withLock { isDue in
                defer { isDue = true }
                return !isDue
            }
        }
    }

    /// Sendable because the source is only cancelled, which libdispatch allows from any thread.
    private struct WatchSource: @unchecked Sendable {
        let source: any DispatchSourceFileSystemObject
    }
}
#endif
