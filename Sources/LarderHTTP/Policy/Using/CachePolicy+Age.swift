extension CachePolicy {
    /// Returns the age of a stored response, 0 or more, in milliseconds. RFC 9111 §4.2.3.
    ///
    /// A clock that was moved back never makes it less than `Age` and the time in transit were at its arrival.
    func age(of response: StoredResponse, at now: Int64) -> Int64 {
        let apparent = max(response.receivedAt.subtractingSaturated(date(of: response)), 0)
        let delay = max(response.receivedAt.subtractingSaturated(response.requestedAt), 0)
        let corrected = response.parsed.age.addingSaturated(delay)
        let resident = max(now.subtractingSaturated(response.receivedAt), 0)
        return max(apparent, corrected).addingSaturated(resident)
    }

    /// Returns the time when a response was made: its `Date`, or its arrival without one. RFC 9110 §6.6.1.
    func date(of response: StoredResponse) -> Int64 {
        response.parsed.date ?? response.receivedAt
    }
}

extension Int64 {
    func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : difference
    }
}
