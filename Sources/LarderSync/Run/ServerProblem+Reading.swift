internal import HTTPTypes
internal import LarderTransport

extension ServerProblem {
    /// Reads an unsuccessful response; a body that cannot be read leaves the status, which is sufficient.
    ///
    /// - Throws: ``SyncError/cancelled`` when the task is cancelled.
    init(reading response: TransportResponse) async throws(SyncError) {
        let body: [UInt8]
        do throws(TransportError) {
            body = try await response.body.collect(upTo: Self.maximumBody)
        } catch .cancelled {
            throw .cancelled
        } catch {
            body = []
        }
        self.init(status: response.head.status.code, body: body)
    }
}
