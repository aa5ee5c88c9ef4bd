// PageWriter: writes the body of a page.

/// Writes the body of a page.
struct PageWriter {
    private(set) var mentioned: [ModelServer.ResourceID] = []
    private var mutations = ""

    mutating func write(_ change: ModelServer.Change, of id: ModelServer.ResourceID) {
        let form = Form(change.kind, of: id)
        if !mentioned.isEmpty { mutations += "," }
        mentioned.append(id)
        // Piece by piece: interpolation makes a new text of each line, and this is where a simulation spends its time.
        for piece in [
            "{\"sequence\":", String(change.sequence), ",\"type\":\"", form.type, "\",\"resource_group\":\"", id.group,
            "\",\"resource_id\":", String(id.id), ",\"resource_content_id\":", ModelServer.contentID(of: id),
            ",\"record_type\":", form.recordType, ",\"record_key\":", form.recordKey, ",\"source_record_id\":",
            form.sourceID, ",\"changed_at\":\"", Self.time(of: change.sequence), "\",\"data\":", form.data,
            ",\"snapshot_url\":", form.copyPath, ",\"unavailable_reason\":", form.reason, "}",
        ] { mutations += piece }
    }

    /// The page; `next` is the position of the one that follows, if one does.
    func answer(_ run: ModelTicket.Cursor, next: Int64?) -> ModelAnswer {
        var text = "{\"sync\":{\"sync_until_sequence\":\(run.bound),\"has_more\":"
        if let next {
            let cursor = ModelTicket.Cursor(
                isBootstrap: run.isBootstrap, timeline: run.timeline, bound: run.bound, position: next,
                perPage: run.perPage,
                filter: run.filter)
            text += "true,\"next_page_url\":\"/api/v4/resources/sync?cursor=\(cursor.text)\",\"next_sync_token\":null"
        } else {
            let token = ModelTicket.Token(timeline: run.timeline, sequence: run.bound, filter: run.filter)
            text += "false,\"next_page_url\":null,\"next_sync_token\":\"\(token.text)\""
        }
        text += ",\"mutations\":["
        text += mutations
        text += "]}}"
        return ModelAnswer(status: 200, body: Array(text.utf8), mentioned: mentioned)
    }

    /// One second for each change, from 2026-01-01 on and never beyond that month.
    private static func time(of sequence: Int64) -> String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : String(number) }
        let (day, second) = (sequence / 86_400 % 31 + 1, sequence % 86_400)
        return "2026-01-\(two(day))T\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))Z"
    }

    /// The members that differ from kind to kind, as JSON.
    private struct Form {
        let type: String
        var recordType = "null"
        var recordKey = "null"
        var sourceID = "null"
        var data = "null"
        var copyPath = "null"
        var reason = "null"

        init(_ kind: ModelServer.Change.Kind, of id: ModelServer.ResourceID) {
            switch kind {
            case .create: type = "RESOURCE_CREATE"
            case .invalidate: type = "RESOURCE_INVALIDATE"
            case .update: type = "RESOURCE_UPDATE"
            case .delete(let why):
                type = "RESOURCE_DELETE"
                reason = "\"\(why)\""
            case .rowCreate(let row):
                type = "ROW_CREATE"
                name(row.id)
                data = row.payload
            case .rowUpdate(let row):
                type = "ROW_UPDATE"
                name(row.id)
                data = row.payload
            case .rowDelete(let row):
                type = "ROW_DELETE"
                name(row)
            }
            switch kind {
            case .create, .invalidate: copyPath = "\"/api/v4/resources/snapshots/\(id)\""
            default: break
            }
        }

        private mutating func name(_ row: ModelServer.RowID) {
            recordType = "\"\(row.type)\""
            recordKey = "\"\(row.key)\""
            sourceID = Int64(row.key).map { String($0) } ?? "null"
        }
    }
}
