import LarderStore
import LarderSync
import Synchronization

/// Shows the progress of a run: a bar on a terminal, otherwise a plain line for each step.
final class SyncDisplay: Sendable {
    private static let barWidth = 30

    private let redactor: Redactor
    /// Whether a line is drawn; the lock keeps lines of several threads apart.
    private let isDrawn = Mutex(false)

    init(_ redactor: Redactor) { self.redactor = redactor }

    /// Shows an event.
    func show(_ event: SyncEvent) {
        isDrawn.withLock { isDrawn in
            if case .snapshot(let resource, let rows, let bytes, let total) = event {
                guard Terminal.isErrorTerminal else { return }
                Terminal.redraw("\(redactor.text(resource)) \(Self.bar(bytes, of: total)) \(rows) rows")
                isDrawn = true
                return
            }
            guard let line = line(event) else { return }
            if isDrawn { Terminal.redraw("") }
            isDrawn = false
            Terminal.printMessage(line)
        }
    }

    /// Clears the drawn line.
    func end() {
        isDrawn.withLock { isDrawn in
            if isDrawn { Terminal.redraw("") }
            isDrawn = false
        }
    }

    private func line(_ event: SyncEvent) -> String? {
        switch event {
        case .began(_, let kind): "\(kind.rawValue) began"
        case .tokenRejected: "the server rejected the token: everything is fetched again"
        case .page(let number, let mutations): "page \(number): \(mutations) changes"
        case .swapped(let resource, let rows, let bytes, _):
            "\(redactor.text(resource)): snapshot of \(rows) rows, \(bytes) bytes"
        case .lagging(let resource): "\(redactor.text(resource)): snapshot too old, fetched again"
        case .resourceFailed(let failure):
            "\(redactor.text(failure.resource)): no snapshot, postponed: \(redactor.text(failure.reason))"
        case .hidden(let resource): "\(redactor.text(resource)): withdrawn by the server"
        case .swept(let resource): "\(redactor.text(resource)): held by no filter any more"
        case .unknownMutation(_, let resource): "\(redactor.text(resource)): a change of an unknown type"
        case .unknownGroup(let resource): "\(redactor.text(resource)): rows without a type, passed over"
        case .schemaChanged(let resource, let from, let to):
            "\(redactor.text(resource)): rows of shape \(to), no more of \(from)"
        case .failed(let filter, let reason, let wait):
            "\(redactor.text(filter)): failed, next run in \(Self.seconds(wait)): \(redactor.text(reason))"
        case .slowed(let filter, let rejections, let wait):
            "\(redactor.text(filter)): \(rejections) tokens rejected in a row, next run in \(Self.seconds(wait))"
        case .overdue(let filter): "\(redactor.text(filter)): sync is overdue"
        case .intercepted: "something other than the server responds; the network may want a sign-in"
        case .snapshot, .notStored, .finished: nil
        }
    }

    private static func seconds(_ duration: Duration) -> String { durationText(duration.components.seconds * 1000) }

    /// Returns a bar where the length is known, else the bytes so far.
    private static func bar(_ bytes: Int, of total: Int?) -> String {
        guard let total, total > 0 else { return "\(bytes) bytes" }
        let share = min(1, Double(bytes) / Double(total))
        let filled = Int(share * Double(barWidth))
        return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: barWidth - filled) + "] "
            + "\(Int(share * 100)) %"
    }
}
