// ModelServer+Answers: the server's responses to sync and snapshot requests.

extension ModelServer {
    /// The answer to a GET of `target`, which begins with `/api/v4/`.
    ///
    /// - Parameter lag: by how many changes the replica that answers is behind; 0 is the server itself. A replica gives
    ///   the pages and snapshots of then, and 404 for the snapshot of a resource that was not public then. Where that
    ///   would be a lie no client can see through, it answers 503: for a cursor of a run that it cannot know whole.
    package func answer(_ target: String, lag: Int64 = 0) -> ModelAnswer {
        do throws(ModelRequest.Refused) {
            return answer(try ModelRequest.reading(target), lag: lag)
        } catch {
            return error.answer
        }
    }

    /// The answer to a request that was read before.
    func answer(_ request: ModelRequest, lag: Int64) -> ModelAnswer {
        let now = max(horizon, sequence - max(0, lag))
        if case .snapshot(let id) = request.kind { return snapshot(of: id, at: now) }
        do throws(ModelRequest.Refused) {
            return try page(request, at: now)
        } catch {
            return error.answer
        }
    }

    private func snapshot(of id: ResourceID, at now: Int64) -> ModelAnswer {
        guard let place = place(of: id) else {
            return shape.groups.contains(id.group) || resources.contains { $0.id.group == id.group }
                ? .copyNotFound : .unknownGroup
        }
        if let status = broken[id] { return status == 200 ? Self.malformed : .problem(status) }
        guard let content = resources[place].content(at: now) else { return .copyNotFound }
        var text = "{\"resource_group\":\"\(id.group)\",\"resource_id\":\(id.id),\"resource_content_id\":"
        text += Self.contentID(of: id)
        text += ",\"schema_version\":\(content.schemaVersion),\"sync_sequence\":\(now),\"records\":["
        for (index, row) in content.rows.enumerated() {
            if index > 0 { text += "," }
            text += row.payload
        }
        text += "]}"
        return ModelAnswer(status: 200, body: Array(text.utf8), mentioned: [id])
    }

    /// A snapshot that no client can read.
    private static let malformed = ModelAnswer(status: 200, body: Array("{\"records\":[".utf8))

    private func page(_ request: ModelRequest, at now: Int64) throws(ModelRequest.Refused) -> ModelAnswer {
        guard let filter = request.filter else { throw ModelRequest.Refused(.invalidResources) }
        var run = ModelTicket.Cursor(
            isBootstrap: true, timeline: timeline, bound: now, position: 0, perPage: request.perPage, filter: filter)
        switch request.kind {
        case .changes(let token):
            let position = try start(token, filter, at: now)
            run = ModelTicket.Cursor(
                isBootstrap: false, timeline: timeline, bound: now, position: position, perPage: request.perPage,
                filter: filter)
        case .cursor(let cursor):
            let needed = cursor.isBootstrap ? cursor.bound : cursor.position
            guard cursor.timeline == timeline, needed >= horizon, cursor.bound <= sequence else {
                throw ModelRequest.Refused(.resyncRequired)
            }
            guard cursor.bound <= now else { throw ModelRequest.Refused(.problem(503)) }
            run = cursor
        default: break
        }
        return run.isBootstrap ? resourcePage(run, at: now) : changePage(run)
    }

    /// Behind which change a run with this token begins.
    private func start(
        _ token: ModelTicket.Token?, _ filter: ModelFilter, at now: Int64
    ) throws(ModelRequest.Refused) -> Int64 {
        guard let token else { throw ModelRequest.Refused(.resyncRequired) }
        guard token.filterHash == filter.hash else { throw ModelRequest.Refused(.tokenFilterMismatch) }
        // Nothing changed behind a token that is ahead, as far as this server knows.
        if token.sequence > now, shape.tokenAhead == .answered { return now }
        guard token.timeline == timeline, token.sequence >= horizon, token.sequence <= sequence else {
            throw ModelRequest.Refused(.resyncRequired)
        }
        guard token.sequence <= now else {
            throw ModelRequest.Refused(shape.tokenAhead == .refused ? .resyncRequired : .problem(503))
        }
        return token.sequence
    }

    private func changePage(_ run: ModelTicket.Cursor) -> ModelAnswer {
        var writer = PageWriter()
        var position = run.position
        for change in log[logIndex(after: run.position)...] {
            if change.sequence > run.bound { break }
            guard run.filter.covers(resources[change.resource].id) else { continue }
            if writer.mentioned.count == run.perPage { return writer.answer(run, next: position) }
            writer.write(change, of: resources[change.resource].id)
            position = change.sequence
        }
        return writer.answer(run, next: nil)
    }

    /// The resources that were public when the run began and are, in the order of their creation.
    private func resourcePage(_ run: ModelTicket.Cursor, at now: Int64) -> ModelAnswer {
        var writer = PageWriter()
        for place in resources.indices.dropFirst(Int(clamping: run.position)) {
            let resource = resources[place]
            guard let content = resource.content(at: now), content.publishedAt <= run.bound,
                run.filter.covers(resource.id)
            else { continue }
            if writer.mentioned.count == run.perPage { return writer.answer(run, next: Int64(place)) }
            writer.write(Change(sequence: content.publishedAt, resource: place, kind: .create), of: resource.id)
        }
        return writer.answer(run, next: nil)
    }

    /// `resource_content_id`, which some groups have and none may rely on.
    static func contentID(of id: ResourceID) -> String { id.group == "translations" ? String(id.id) : "null" }
}
