internal import CoreMetrics
internal import Tracing

extension HostServices {
    /// Runs `body` in a span of a client, and reports how long it took.
    ///
    /// - Parameters:
    ///   - span: the name of the span.
    ///   - timer: the name of the timer.
    ///   - labels: the dimensions of the timer for a result, always of the same names; the span has them as attributes.
    /// - Throws: the error of `body`.
    package func measuring<Value, Failure: Error>(
        span: String, timer: String, labels: (Result<Value, Failure>) -> [(String, String)],
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let start = elapsed()
        let result = await tracer.withAnySpan(span, ofKind: .client) { span in
            let result: Result<Value, Failure>
            do throws(Failure) { result = .success(try await body()) } catch { result = .failure(error) }
            for (name, value) in labels(result) { span.attributes["larder.\(name)"] = value }
            // The text of an error may have content.
            if case .failure = result { span.setStatus(SpanStatus(code: .error)) }
            return result
        }
        Timer(label: timer, dimensions: labels(result), factory: metrics).record(elapsed() - start)
        return try result.get()
    }
}

extension Timer {
    /// Records a duration.
    func record(_ duration: Duration) { recordNanoseconds(Int64(clamping: duration.attoseconds / 1_000_000_000)) }
}
