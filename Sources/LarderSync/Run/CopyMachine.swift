internal import LarderFormat
internal import LarderStore

/// One full copy, from the claim to the swap, as a pure step function: an event in, effects out.
///
/// A copy that is older than it may be is fetched again a few times. A half-fetched one is never resumed.
package struct CopyMachine: Sendable {
    /// The bytes of a body that are read before the turn to write is waited for, so that a copy up to this size holds the turn
    /// only when it is there as a whole.
    package static let readAhead = 1 << 20

    private enum Phase {
        case idle, claiming, fetching, opening, reading, writing, closing, swapping, discarding, hiding, pausing
        case noting, ended
    }

    /// What follows a copy that was given up.
    private enum Sequel {
        case again
        /// The copy is noted as failed, and nothing else.
        case note(SyncError)
        /// So is one whose rows cannot be named, which the run passes over.
        case passOver
        case end(Result<FullCopyResult, SyncError>)
    }

    private let order: FullCopyOrder
    private let attempts: Int
    private let mapping: RowKeyMapping
    private let bodyLimit: Int
    private var phase = Phase.idle
    private var attempt = 1
    private var length: Int?
    /// What arrived before there was a generation to write it to: the whole body, or its beginning.
    private var ahead: [UInt8] = []
    private var intake: FullCopyIntake?
    private var header: FullCopyHeader?
    private var sequel = Sequel.again

    /// A copy that was not begun.
    ///
    /// - Parameters:
    ///   - attempts: how often it may be fetched.
    ///   - bodyLimit: the bytes of its body at most.
    package init(
        _ order: FullCopyOrder, attempts: Int, mapping: RowKeyMapping, bodyLimit: Int = FullCopyParser.maximumBody
    ) {
        self.bodyLimit = bodyLimit
        self.order = order
        self.attempts = attempts
        self.mapping = mapping
    }

    /// Begins; called once.
    package mutating func start() -> [CopyEffect] {
        phase = .claiming
        return [.claim(order)]
    }

    /// Takes what came of an effect, and says what to do next.
    package mutating func step(_ event: CopyEvent) -> [CopyEffect] {
        switch (phase, event) {
        case (.discarding, .discarded), (.discarding, .failed): return goOn()
        case (.noting, .failed(let error)): return end(.failure(error))
        case (.noting, .noted(let failure)): return noted(failure)
        case (_, .failed(let error)): return giveUp(sequel(of: error))
        case (.writing, .superseded), (.closing, .superseded), (.swapping, .superseded), (.swapping, .lagging):
            return giveUp(.again)
        case (.claiming, .claimed(let isSettled)): return isSettled ? end(.success(.settled)) : fetch()
        case (.fetching, .answered(let length)):
            self.length = length
            return read()
        case (.fetching, .missing): return miss()
        case (.reading, .chunk(let chunk)): return take(chunk)
        case (.reading, .bodyEnded): return endBody()
        case (.opening, .opened(let staging, let now)): return open(staging, now)
        case (.writing, .staged): return wrote()
        case (.closing, .staged): return swap()
        case (.swapping, .swapped(let took)): return swapped(took)
        case (.hiding, .hid(let isHidden)):
            return (isHidden ? [.report(.hidden(order.resource))] : []) + end(.success(isHidden ? .hidden : .left))
        case (.pausing, .paused): return fetch()
        default: preconditionFailure("an event that nothing asked for in the phase \(phase)")
        }
    }
}

extension CopyMachine {
    private mutating func fetch() -> [CopyEffect] {
        phase = .fetching
        ahead = []
        intake = nil
        return [.fetch(order.path)]
    }

    private mutating func read() -> [CopyEffect] {
        phase = .reading
        return [.read(intake?.staging)]
    }

    private mutating func take(_ chunk: [UInt8]) -> [CopyEffect] {
        guard intake != nil else {
            ahead += chunk
            return ahead.count < min(Self.readAhead, bodyLimit) ? read() : begin()
        }
        do throws(SyncError) {
            try intake?.take(chunk)
        } catch {
            return stumble(error)
        }
        guard let staging = intake?.staging, intake?.isFull == true, let batch = intake?.takeBatch() else {
            return read()
        }
        phase = .writing
        return [.stage(batch, staging)]
    }

    private mutating func endBody() -> [CopyEffect] {
        guard intake != nil else { return begin() }
        do throws(SyncError) {
            header = try intake?.finish()
        } catch {
            return stumble(error)
        }
        guard let staging = intake?.staging, let batch = intake?.takeBatch() else {
            preconditionFailure("a body without a generation to write to")
        }
        phase = .closing
        return [.stage(batch, staging)]
    }

    private mutating func begin() -> [CopyEffect] {
        phase = .opening
        return [.open(order.resource)]
    }

    private mutating func open(_ staging: Staging, _ now: Int64) -> [CopyEffect] {
        intake = FullCopyIntake(order.resource, staging, mapping, bodyLimit: bodyLimit, now: now)
        // A body that has ended already ends again behind it.
        defer { ahead = [] }
        return take(ahead)
    }

    private mutating func wrote() -> [CopyEffect] {
        guard let intake else { preconditionFailure("rows without a generation") }
        return [
            .report(.fullCopy(order.resource, rows: intake.rows, bytes: intake.bytes, totalBytes: length))
        ] + read()
    }

    private mutating func swap() -> [CopyEffect] {
        guard let staging = intake?.staging, let header else { preconditionFailure("a swap before the end") }
        phase = .swapping
        return [.swap(staging, header, order)]
    }

    private mutating func swapped(_ took: Duration) -> [CopyEffect] {
        guard let intake, let header else { preconditionFailure("a swap before the end") }
        var events: [CopyEffect] = []
        if let old = order.knownSchema, old != header.schemaVersion {
            events.append(.report(.schemaChanged(order.resource, from: old, to: header.schemaVersion)))
        }
        return events + [.report(.swapped(order.resource, rows: intake.rows, bytes: intake.bytes, took: took))]
            + end(.success(.swapped(rows: intake.rows, bytes: intake.bytes)))
    }
}

// MARK: - Giving up

extension CopyMachine {
    /// A copy whose rows nobody here can name is passed over, and the others go on; all else fails the run.
    private mutating func stumble(_ error: SyncError) -> [CopyEffect] {
        guard case .wire(.unknownGroup, _) = error else { return giveUp(sequel(of: error)) }
        return [.report(.unknownGroup(order.resource))] + giveUp(order.run == nil ? .end(.success(.left)) : .passOver)
    }

    /// What fails for this resource alone is noted with it; so is what may.
    private func sequel(of error: SyncError) -> Sequel {
        order.run != nil && error.mayConcernResource ? .note(error) : .end(.failure(error))
    }

    /// The server that said that there is something to fetch may be ahead of the one that has nothing: it is asked again
    /// as one whose copy is too old is, and believed in the end.
    private mutating func miss() -> [CopyEffect] {
        if attempt < attempts { return pause() }
        phase = .hiding
        return [.hide(order)]
    }

    private mutating func giveUp(_ sequel: Sequel) -> [CopyEffect] {
        self.sequel = sequel
        guard let staging = intake?.staging else { return goOn() }
        intake = nil
        phase = .discarding
        return [.discard(staging)]
    }

    /// Asks a server that lags again, or ends.
    private mutating func goOn() -> [CopyEffect] {
        switch sequel {
        case .end(let outcome): return end(outcome)
        case .note(let error):
            if case .laggingFullCopy = error { return note(error.failureKind, error.description, isLagging: true) }
            return note(error.failureKind, error.description)
        case .passOver: return note(.passedOver, "The rows of the snapshot cannot be named.")
        case .again: break
        }
        if attempt < attempts { return pause() }
        let error = SyncError.laggingFullCopy(order.resource)
        sequel = sequel(of: error)
        return goOn()
    }

    private mutating func pause() -> [CopyEffect] {
        phase = .pausing
        defer { attempt += 1 }
        return [.report(.lagging(order.resource)), .pause(attempt: attempt)]
    }

    private mutating func note(
        _ kind: SnapshotFailure.Kind, _ reason: String, isLagging: Bool = false
    ) -> [CopyEffect] {
        phase = .noting
        return [.noteFailure(order, kind, reason: reason, isLagging: isLagging)]
    }

    private mutating func noted(_ failure: ResourceFailure) -> [CopyEffect] {
        guard case .note(let error) = sequel else { return end(.success(.left)) }
        return [.report(.resourceFailed(failure))] + end(.success(.failed(failure, error)))
    }

    private mutating func end(_ outcome: Result<FullCopyResult, SyncError>) -> [CopyEffect] {
        phase = .ended
        return [.end(outcome)]
    }
}
