internal import LarderEngine
internal import LarderFormat
internal import LarderStore
internal import LarderSync
internal import LarderTesting

extension Simulator {
    /// Begins a full copy for a run.
    func begin(_ order: FullCopyOrder, _ run: SimulatedRun) throws {
        let copy = SimulatedCopy(nextNumber, run, order, attempts: scenario.fullCopyAttempts)
        nextNumber += 1
        copies[copy.number] = copy
        run.copies.insert(copy.number)
        copy.isCancelled = run.isCancelled
        note("copy \(copy.number) of \(copy.resource) for run \(run.number)")
        try perform(copy.machine.start(), copy)
    }

    /// Does a step of a copy, and tells the copy what came of it, at once or a little later.
    func answer(_ owner: Agenda.Owner, _ work: () throws -> CopyEvent?) throws {
        guard case .copy(let number) = owner, let copy = copies[number] else { return }
        let event: CopyEvent?
        do {
            event = try work()
        } catch let violation as Violation {
            throw violation
        } catch StoreError.stagingSuperseded {
            event = .superseded
        } catch {
            event = .failed(SyncError(error))
        }
        guard let event else { return }
        if delays.below(6) > 0 { return try deliver(event, to: copy) }
        agenda.add(
            at: now + delay(), owner, "hears",
            .copy { [unowned self] in
                try deliver(event, to: copy)
                return nil
            })
    }

    private func deliver(_ event: CopyEvent, to copy: SimulatedCopy) throws {
        if case .failed(let error) = event { note("copy \(copy.number) fails: \(error)") }
        if case .failed(.store(let error)) = event { throw Violation(.store, "\(error)") }
        try perform(copy.machine.step(event), copy)
    }

    private func perform(_ effects: [CopyEffect], _ copy: SimulatedCopy) throws {
        for effect in effects {
            switch effect {
            case .report(let event): note("copy \(copy.number) \(Self.label(of: event))")
            case .end(let outcome): try end(copy, outcome)
            case .claim(let order): claim(order, copy)
            case .fetch(let path):
                guard claims[copy.resource]?.holder == copy.number else {
                    throw Violation(.singleFlight, "\(copy.resource) is fetched out of turn")
                }
                fetch(path, copy)
            case .read: read(copy)
            case .open(let resource): open(resource, copy)
            case .pause(let attempt):
                copy.attempt = attempt + 1
                agenda.add(
                    at: now + Int64(attempt) * 1_000, copy.owner, "paused", isCancellable: true, .copy { .paused })
            case .discard(let staging):
                // Not to be cancelled.
                agenda.add(
                    at: now + delay(), copy.owner, "discards",
                    .copy { [unowned self] in
                        try discard(staging, copy)
                    })
            default: commit(effect, copy)
            }
        }
    }

    private func end(_ copy: SimulatedCopy, _ outcome: Result<FullCopyResult, SyncError>) throws {
        if slotHolder == copy.number { throw Violation(.staging, "copy \(copy.number) ends with a generation open") }
        copies[copy.number] = nil
        copy.run.copies.remove(copy.number)
        release(copy)
        if slotNext == copy.number { freeSlot() }
        let event: RunEvent =
            switch outcome {
            case .success(let result): .copied(copy.resource, result)
            case .failure(let error): .failed(error)
            }
        agenda.add(at: now, copy.run.owner, "copy \(copy.number) ended", .run { event })
    }

    func cancel(_ copy: SimulatedCopy) {
        copy.isCancelled = true
        switch copy.wait {
        case .claim(let resource):
            claims[resource]?.line.removeAll { $0 == copy.number }
            fail(copy)
        case .slot:
            slotLine.removeAll { $0 == copy.number }
            fail(copy)
        case nil:
            agenda.replace(
                of: copy.owner, at: now + 1, when: { _ in delays.below(4) > 0 },
                with: .copy { throw CancellationError() })
        }
        copy.wait = nil
    }

    private func fail(_ copy: SimulatedCopy) {
        agenda.add(at: now, copy.owner, "is cancelled", .copy { throw CancellationError() })
    }

    /// Puts a step of a copy into the agenda.
    func ask(
        _ copy: SimulatedCopy, _ label: String, at time: Int64? = nil,
        _ work: @escaping (SimulatedCopy, Store) throws -> CopyEvent?
    ) {
        agenda.add(
            at: time ?? now + delay(), copy.owner, label, isCancellable: true,
            .copy { [unowned self] in
                guard let store else { return nil }
                if copy.isCancelled { throw CancellationError() }
                return try work(copy, store)
            })
    }

    /// Has the store do what a copy asks for.
    private func commit(_ effect: CopyEffect, _ copy: SimulatedCopy) {
        switch effect {
        case .stage(let batch, let staging):
            ask(copy, "stages \(batch.count)") { [unowned self] _, store in
                try store.stageBlocking(batch, in: staging)
                try look(.staged)
                return .staged
            }
        case .swap(let staging, let header, let order):
            ask(copy, "swaps") { [unowned self] copy, store in
                do {
                    try store.swapBlocking(staging, durability: .relaxed) { transaction, record in
                        try transaction.accept(header, order, &record, now: wall)
                    }
                } catch is LaggingCopy {
                    return .lagging
                }
                freeSlot()
                try look(.swapped(copy.run.text, copy.resource, era: copy.era))
                return .swapped(took: .zero)
            }
        case .noteFailure(let order, let kind, let reason, let isLagging):
            ask(copy, "notes its failure") { [unowned self] _, store in
                .noted(
                    try write(store, .noted) {
                        try $0.noteFailure(of: order, kind, reason: reason, isLagging: isLagging, now: wall)
                    })
            }
        case .hide(let order):
            ask(copy, "hides") { [unowned self] copy, store in
                let isHidden = try write(store, .missing(copy.run.text, copy.resource, era: copy.era)) {
                    try $0.hideMissing(order)
                }
                return .hid(isHidden)
            }
        default: preconditionFailure("nothing for the store")
        }
    }

    private func discard(_ staging: Staging, _ copy: SimulatedCopy) throws -> CopyEvent {
        guard let store else { return .discarded }
        try working { try store.discardBlocking(staging) }
        freeSlot()
        try look(.staged)
        return .discarded
    }
}

// MARK: - Turns

extension Simulator {
    private func claim(_ order: FullCopyOrder, _ copy: SimulatedCopy) {
        if claims[copy.resource] != nil {
            claims[copy.resource]?.line.append(copy.number)
            copy.wait = .claim(copy.resource)
            // Told when its turn comes.
            settling[copy.number] = order
            return
        }
        claims[copy.resource] = (copy.number, [])
        take(order, copy, "has its turn")
    }

    private func release(_ copy: SimulatedCopy) {
        guard claims[copy.resource]?.holder == copy.number else { return }
        guard let next = claims[copy.resource]?.line.first, let waiting = copies[next],
            let order = settling.removeValue(forKey: next)
        else {
            claims[copy.resource] = nil
            return
        }
        claims[copy.resource]?.line.removeFirst()
        claims[copy.resource]?.holder = next
        waiting.wait = nil
        take(order, waiting, "has its turn at last")
    }

    private func take(_ order: FullCopyOrder, _ copy: SimulatedCopy, _ what: String) {
        ask(copy, what) { [unowned self] copy, store in
            let known = try store.read { view in try view.resource(order.resource) }
            guard order.isSettled(by: known) else { return .claimed(isSettled: false) }
            return .claimed(isSettled: try write(store, .listed(copy.run.text)) { try $0.settle(order) })
        }
    }

    private func open(_ resource: ResourceKey, _ copy: SimulatedCopy) {
        ask(copy, "opens") { [unowned self] copy, store in
            if slotNext == copy.number { slotNext = nil }
            guard let staging = try store.beginStagingBlocking(resource) else {
                slotLine.append(copy.number)
                copy.wait = .slot
                return nil
            }
            if slotHolder != nil { throw Violation(.staging, "two generations are written at once") }
            slotHolder = copy.number
            try look(.staged)
            return .opened(staging, now: wall)
        }
    }

    private func freeSlot() {
        slotHolder = nil
        slotNext = nil
        guard !slotLine.isEmpty, let next = copies[slotLine.removeFirst()] else { return }
        slotNext = next.number
        next.wait = nil
        open(next.resource, next)
    }
}
