internal import LarderEngine
internal import LarderFormat
internal import LarderStore
internal import LarderSync
internal import LarderTesting

extension Simulator {
    /// Does a step of a run, and tells the run what came of it, at once or a little later.
    func answer(_ owner: Agenda.Owner, _ work: () throws -> RunEvent?) throws {
        guard case .run(let number) = owner, let run = runs[number] else { return }
        let event: RunEvent?
        do {
            event = try work()
        } catch let violation as Violation {
            throw violation
        } catch {
            event = .failed(SyncError(error))
        }
        guard let event else { return }
        if delays.below(6) > 0 { return try deliver(event, to: run) }
        agenda.add(
            at: now + delay(), owner, "hears",
            .run { [unowned self] in
                try deliver(event, to: run)
                return nil
            })
    }

    func deliver(_ event: RunEvent, to run: SimulatedRun) throws {
        if case .failed(let error) = event { note("run \(run.number) fails: \(error)") }
        if case .failed(.store(let error)) = event { throw Violation(.store, "\(error)") }
        if case .page(let page) = event { (run.nextPage, run.lastToken) = (page.nextPageURL, page.nextSyncToken) }
        try perform(run.machine.step(event), run)
    }

    func perform(_ effects: [RunEffect], _ run: SimulatedRun) throws {
        for effect in effects {
            switch effect {
            case .report(let event):
                note("run \(run.number) \(Self.label(of: event))")
                switch event {
                case .page(number: 1, _): try tell(.answered(run.text))
                case .tokenRejected(let text): mail(.rejected(text), "rejected \(text)")
                default: break
                }
            case .cancel: for number in run.copies.sorted() { if let copy = copies[number] { cancel(copy) } }
            case .end(let outcome): try end(run, outcome)
            case .copy(let order): try begin(order, run)
            case .fetchPage(let path): fetch(path, run)
            default: commit(effect, run)
            }
        }
    }

    private func end(_ run: SimulatedRun, _ outcome: Result<SyncReport, SyncError>) throws {
        if !run.copies.isEmpty { throw Violation(.lostEffect, "run \(run.number) ends with copies under way") }
        runs[run.number] = nil
        watch.isOver(run.text, outcome, isQuiet: run.isQuiet)
        mail(.ended(run.text, outcome), "ended \(run.text)")
    }

    func cancel(_ run: SimulatedRun) {
        run.isCancelled = true
        agenda.replace(
            of: run.owner, at: now + 1, when: { _ in delays.below(4) > 0 }, with: .run { throw CancellationError() })
        for number in run.copies.sorted() { if let copy = copies[number] { cancel(copy) } }
    }

    /// Puts a step of a run into the agenda.
    private func ask(
        _ run: SimulatedRun, _ label: String, _ work: @escaping (SimulatedRun, Store) throws -> RunEvent?
    ) {
        agenda.add(
            at: now + delay(), run.owner, label, isCancellable: true,
            .run { [unowned self] in
                guard let store else { return nil }
                if run.isCancelled { throw CancellationError() }
                return try work(run, store)
            })
    }

    /// Has the store do what a run asks for.
    private func commit(_ effect: RunEffect, _ run: SimulatedRun) {
        switch effect {
        case .begin(let text):
            run.looks = 0
            ask(run, "begins") { [unowned self] run, store in
                let begun = try write(store, .began(text)) { try $0.beginRun(text, now: wall, isByHand: run.isByHand) }
                return .begun(begun)
            }
        case .beginBootstrap(let old, let rejection):
            run.looks = 0
            ask(run, "begins anew") { [unowned self] run, store in
                let begun = try write(store, .rejected(run.text)) {
                    try $0.replaceRejected(old, after: rejection, now: wall)
                }
                return .begun(begun)
            }
        case .apply(let changes, let begun):
            ask(run, "applies \(changes.count)") { [unowned self] run, store in
                let step = StoreStep.applied(
                    run.text, changes.map { ResourceKey($0.resource.group, $0.resource.id) }, era: run.pageEra)
                let applied = try write(store, step) { try $0.apply(changes, begun) }
                return .applied(applied)
            }
        case .pause(let attempt):
            run.looks = attempt
            ask(run, "waits to look again") { _, _ in .paused }
        case .order(let changes, let begun, let bound): order(changes, begun, bound, run)
        case .orderProven(let proofs, let begun):
            ask(run, "orders what is public after all") { [unowned self] _, store in
                .ordered(try store.read { view in try proofs.orders(begun, in: view, now: self.wall) })
            }
        case .hold(let begun, let until):
            ask(run, "is incomplete") { [unowned self] _, store in
                try write(store, .noted) { try $0.hold(begun, until: until) }
                return .held
            }
        case .notePage(let number, let begun):
            ask(run, "notes page \(number)") { [unowned self] run, store in
                try write(store, .noted) { try $0.notePage(number, begun) }
                return .pageNoted
            }
        case .finish(let begun, let token, let bound): finish(begun, token, bound, run)
        default: preconditionFailure("nothing for the store")
        }
    }

    private func order(_ changes: [Mutation], _ begun: FilterRun, _ bound: Int64, _ run: SimulatedRun) {
        let requests = CopyRequests(changes)
        ask(run, "lists \(requests.resources.count)") { [unowned self] run, store in
            try write(store, .listed(run.text)) { try $0.list(requests, begun, bound: bound) }
            ask(run, "orders") { [unowned self] _, store in
                .ordered(try store.read { view in try requests.orders(begun, bound: bound, in: view, now: self.wall) })
            }
            return nil
        }
    }

    private func finish(_ begun: FilterRun, _ token: String, _ bound: Int64, _ run: SimulatedRun) {
        ask(run, "stores token") { [unowned self] run, store in
            guard token == run.lastToken else {
                throw Violation(.tokenBehindRows, "a token that the last page did not bring")
            }
            let swept = try write(store, .finished(run.text, token: token)) {
                try $0.finishRun(begun, token: token, untilSequence: bound, now: wall)
            }
            return .finished(swept: swept)
        }
    }

    /// Commits, and looks at what came of it.
    func write<Value>(
        _ store: Store, _ step: StoreStep, _ body: (inout Transaction) throws -> Value
    ) throws -> Value {
        let value = try store.writeBlocking(durability: .relaxed, body)
        try look(step)
        return value
    }
}
