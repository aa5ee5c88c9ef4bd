internal import LarderEngine
internal import LarderFormat

// A patch is stored with the row it makes of what lies beneath. Whatever changes beneath comes here in its transaction.

/// Brings patches in step with the server's rows beneath them.
final class PatchRebase: RowStage {
    init(_ file: OpenFile) {}

    func changed(_ row: RowChange, in transaction: inout Transaction) throws {
        if row.isOverlaid { try transaction.rebase(at: row.key, isRemoval: row.isRemoval) }
    }

    func replacedRows(of resource: ResourceKey, in transaction: inout Transaction) throws {
        try transaction.remakePatches(of: resource)
    }
}

extension Transaction {
    /// Brings the patches over a row in step with a change of the server's row, and has observers told of what is shown
    /// differently.
    fileprivate mutating func rebase(at key: RowKey, isRemoval: Bool) throws {
        switch try remakePatches(at: key) {
        case .bare: if isRemoval { effects.changes.noteRemoval(key) } else { effects.changes.noteUpsert(key) }
        case .changed: try noteMerged(key)
        case .same: break
        }
    }

    /// What making the patches over a row anew has come to.
    enum Remade {
        /// Nothing lies over the row.
        case bare
        /// What is shown is what was shown.
        case same
        /// Another row is shown, or none any more.
        case changed
    }

    /// Makes the patches over a row anew, as far as they make something else than before.
    ///
    /// Above a record that is damaged nothing is known of what lies beneath, so it stays as it is, and cannot be read, until
    /// that is mended: a damaged overlay must not keep its resource from being synced.
    @discardableResult
    mutating func remakePatches(at key: RowKey) throws -> Remade {
        try remakePatches(try tables.stack(at: key, in: engine))
    }

    private mutating func remakePatches(_ stack: OverlayStack) throws -> Remade {
        guard let lowest = stack.places.first else { return .bare }
        // The lowest patch alone asks for what the server has, and only when nothing whole lies beneath it.
        var beneath = Beneath.known(nil)
        if lowest.isPatch { beneath = try serverBeneath(stack.key) }
        var isTopChanged = false
        for place in stack.places {
            isTopChanged = false
            switch (place.layer, beneath) {
            case (.failure(let reason), _): beneath = .unknown(reason)
            case (.success(let layer), .unknown) where layer.record.kind == .patch: break
            case (.success(var layer), .known(let content)) where layer.record.kind == .patch:
                isTopChanged = layer.remake(over: content)
                if isTopChanged { try put(layer, key: Self.overlayKey(stack.key, layer.sequence)) }
                beneath = .known(layer.content)
            case (.success(let layer), _): beneath = .known(layer.content)
            }
        }
        return isTopChanged ? .changed : .same
    }

    private borrowing func serverBeneath(_ key: RowKey) throws -> Beneath {
        do {
            return .known(try serverContent(at: key))
        } catch StoreError.damaged(_, let reason) {
            return .unknown(reason)
        }
    }

    /// Makes all patches over a resource anew, after all of its rows were replaced or withdrawn at once.
    mutating func remakePatches(of resource: ResourceKey) throws {
        guard try record(of: resource)?.overlays ?? 0 > 0 else { return }
        for stack in try tables.stacks(of: resource, in: engine) { _ = try remakePatches(stack) }
    }

    /// Runs `body`, which changes the overlays of a row, and has observers told if another row is shown afterwards.
    mutating func changingShown(at key: RowKey, _ body: (inout Transaction) throws -> Void) throws {
        let before = shownContent(at: key)
        try body(&self)
        let after = shownContent(at: key)
        guard after.isReadable, !before.isReadable || before.row != after.row else { return }
        if after.row == nil { effects.changes.noteRemoval(key) } else { effects.changes.noteUpsert(key) }
    }

    /// The row that the server has, copied.
    borrowing func serverContent(at key: RowKey) throws -> RowContent? {
        guard let row = try tables.row(at: key, in: engine) else { return nil }
        return RowContent(row)
    }

    private borrowing func shownContent(at key: RowKey) -> (isReadable: Bool, row: RowContent?) {
        do {
            guard let row = try tables.mergedRow(at: key, in: engine) else { return (true, nil) }
            return (true, RowContent(row))
        } catch {
            return (false, nil)
        }
    }

    /// Tells observers what is shown at `key` from now on.
    private mutating func noteMerged(_ key: RowKey) throws {
        let isShown = try tables.mergedRow(at: key, in: engine) != nil
        if isShown { effects.changes.noteUpsert(key) } else { effects.changes.noteRemoval(key) }
    }
}
