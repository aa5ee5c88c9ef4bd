private import Foundation
public import LarderFormat
internal import LarderStore
public import LarderSync
private import Synchronization

extension ContentCache {
    /// Keeps the content of a filter in sync from now on, and reports the progress until it can be read offline.
    ///
    /// The sequence ends with a progress whose ``KeepProgress/isReady`` is true, or whose ``KeepProgress/problem`` has
    /// to be resolved first: then keeping the filter again tries at once. It also ends when the app stops keeping the
    /// filter or the cache closes. Content is fetched while ``run()`` runs. The filter stays in sync when the sequence
    /// is not read to its end; ``stopKeeping(_:)`` ends that.
    ///
    /// Call it at each launch: which filters are kept is not stored.
    ///
    /// Without a network it waits, however long: an app that may start offline reads first and keeps in another task.
    ///
    /// ```swift
    /// for await progress in cache.keep("translations:*;tafsirs:*") {
    ///     bar.value = progress.fraction ?? 0
    ///     label.text = progress.problem ?? progress.description
    /// }
    /// ```
    ///
    /// - Precondition: The cache was opened with a content server.
    public func keep(_ filter: ResourceFilter, priority: SyncPriority = .normal) -> AsyncStream<KeepProgress> {
        let content = contentServer
        content.add(filter, priority: priority)
        let (stream, continuation) = AsyncStream<KeepProgress>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let following = Task {
            await Self.follow(filter, content, continuation)
            continuation.finish()
        }
        continuation.onTermination = { _ in following.cancel() }
        return stream
    }

    /// Stops keeping a filter in sync. Its content stays readable until the store needs the space.
    ///
    /// - Precondition: The cache was opened with a content server.
    public func stopKeeping(_ filter: ResourceFilter) { contentServer.remove(filter) }

    private var contentServer: SyncCoordinator {
        guard let content else { preconditionFailure("the cache was opened without a content server") }
        return content
    }

    private static func follow(
        _ filter: ResourceFilter, _ content: SyncCoordinator, _ continuation: AsyncStream<KeepProgress>.Continuation
    ) async {
        await withTaskGroup(of: KeepProgress?.self) { group in
            let shown = LastProgress()
            group.addTask {
                var last = KeepProgress()
                for await status in content.statuses() {
                    // The filter is listed from `add` on, until the app stops keeping it.
                    guard let found = status.filters.first(where: { $0.filter == filter.description }) else { break }
                    let next = KeepProgress(found, after: last)
                    shown.value.withLock { $0 = next }
                    // The end is reported once, by the wait below.
                    if next != last, !next.isReady { continuation.yield(next) }
                    last = next
                }
                return nil
            }
            group.addTask {
                do {
                    return KeepProgress(ready: try await content.waitUntilReady(filter), of: filter)
                } catch is CancellationError {
                    return nil
                } catch {
                    // Content that was complete and fails the wait is that of another server.
                    let last = shown.value.withLock { $0 }
                    var final = last.isReady ? KeepProgress() : last
                    final.problem = "\(error)"
                    return final
                }
            }
            let final = await group.next() ?? nil
            group.cancelAll()
            await group.waitForAll()
            if let final { continuation.yield(final) }
        }
    }
}

/// The progress that was shown last.
private final class LastProgress: Sendable {
    let value = Mutex(KeepProgress())
}

/// The progress of content on its way to being readable offline.
///
/// ```swift
/// for await progress in cache.keep("translations:*") { print(progress) }  // 40 %, 12 of 30 resources, 1.3 MB
/// ```
public struct KeepProgress: Hashable, Sendable {
    /// The part of the resources that is readable, from 0 to 1; nil until the server has listed the first ones. It
    /// never goes back within a run, and is 1 only when everything is readable.
    public var fraction: Double?
    /// The resources that are readable.
    public var readyResources = 0
    /// The resources that the server has listed so far.
    public var resources = 0
    /// The bytes that arrived in the run under way.
    public var bytes = 0
    /// Whether everything of the filter that the server has can be read without it.
    public var isReady = false
    /// The resources that the filter names by id and that the server does not have; empty until everything is ready.
    public var missing: [ResourceKey] = []
    /// The reason why a run that is due waits, for the user; nil while none waits.
    public var waitingFor: String?
    /// When the next try is due after a run that failed, in milliseconds since 1970-01-01 UTC; nil where the wait has
    /// another reason.
    public var nextTryAt: Int64?
    /// The reason why the content cannot arrive before the app or the user acts; the last error of a run otherwise.
    public var problem: String?

    /// No progress yet.
    package init() {}

    init(ready readiness: FilterReadiness, of filter: ResourceFilter) {
        let members = readiness.members.filter(\.isComplete).map(\.key)
        fraction = 1
        resources = members.count
        readyResources = resources
        isReady = true
        missing = filter.namedResources.filter { !members.contains($0) }
    }

    init(_ status: FilterStatus, after last: KeepProgress) {
        let members = (status.readiness?.members ?? []).filter { $0.state != .hidden }
        resources = members.count
        readyResources = members.count { $0.isComplete }
        isReady = status.readiness?.isComplete == true
        problem = status.lastError
        var share = 0.0
        switch status.activity {
        case .idle: break
        case .waiting(let reason):
            waitingFor = status.activity.description
            if case .retry(let time) = reason { nextTryAt = time }
        case .running(let progress):
            bytes = progress.bytes
            share = progress.arrivingShare
        }
        if isReady {
            fraction = 1
        } else if resources > 0 {
            let reached = min((Double(readyResources) + share) / Double(resources), 0.99)
            fraction = max(last.isReady ? 0 : last.fraction ?? 0, reached)
        } else {
            fraction = last.isReady ? nil : last.fraction
        }
    }
}

extension KeepProgress: CustomStringConvertible {
    /// The progress in one line for the user: `40 %, 12 of 30 resources, 1.3 MB`.
    public var description: String {
        if isReady {
            let lacking = missing.map(\.description).joined(separator: ", ")
            return "ready offline, \(resources) resource\(resources == 1 ? "" : "s")"
                + (lacking.isEmpty ? "" : ", not on the server: \(lacking)")
        }
        var parts: [String] = []
        if let fraction {
            parts.append("\(Int(fraction * 100)) %, \(readyResources) of \(resources) resources")
        }
        if bytes > 0 { parts.append(Self.size(bytes)) }
        if let waitingFor { parts.append(waitingFor + (nextTryAt.map { " at \(Self.time($0))" } ?? "")) }
        if let problem { parts.append(problem) }
        return parts.isEmpty ? "begins" : parts.joined(separator: ", ")
    }

    private static func time(_ milliseconds: Int64) -> String {
        RowSchema.DateForm.text(of: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    }

    private static func size(_ bytes: Int) -> String {
        if bytes < 1000 { return "\(bytes) bytes" }
        let (value, unit) = bytes < 1_000_000 ? (Double(bytes) / 1000, "kB") : (Double(bytes) / 1_000_000, "MB")
        return "\(Double(Int(value * 10)) / 10) \(unit)"
    }
}
