/// A part that removes the blobs which readers and writers have released.
protocol BlobDiscardHandler: SharedPart {
    /// Removes discarded blobs, after the last reader of one has released it or its writer was cancelled.
    func removeDiscardedBlobs(in shared: SharedState)
}

extension SharedState {
    /// Releases a blob that was read, and requests its removal if it was discarded.
    func releaseBlob(_ blob: Int64) {
        guard leases.release(blob) else { return }
        for part in parts(as: (any BlobDiscardHandler).self) { part.removeDiscardedBlobs(in: self) }
    }

    /// Requests the removal of a blob whose writer was cancelled, unless the blob became live.
    func abandonBlob(_ blob: Int64) {
        leases.abandon(blob)
        for part in parts(as: (any BlobDiscardHandler).self) { part.removeDiscardedBlobs(in: self) }
    }
}
