// CacheModel: incomplete responses and ranges (RFC 9111 §3.3 and §3.4, RFC 9110 §14).

import Foundation

// RFC 9111 §3.3 and §3.4: incomplete responses; RFC 9110 §14: ranges.
extension CacheModel {
    /// RFC 9110 §14.4, for bytes: which bytes, of how many. A range without an end is no answer.
    func contentRange(_ response: ModelResponse) -> (range: Range<Int64>, total: Int64?)? {
        guard let text = response.fields.combined("Content-Range"), text.lowercased().hasPrefix("bytes ") else {
            return nil
        }
        let parts = text.dropFirst("bytes ".count).components(separatedBy: "/")
        guard parts.count == 2 else { return nil }
        let ends = parts[0].components(separatedBy: "-")
        guard ends.count == 2, ends.allSatisfy(\.isDigits), let first = Int64(ends[0]), let last = Int64(ends[1]),
            first <= last, last < .max
        else { return nil }
        if parts[1] == "*" { return (first..<(last + 1), nil) }
        guard parts[1].isDigits, let total = Int64(parts[1]), last < total else { return nil }
        return (first..<(last + 1), total)
    }

    enum Wanted: Equatable {
        /// From a byte to a byte, both included; nil: to the end.
        case from(Int64, Int64?)
        /// The last bytes.
        case last(Int64)
    }

    /// RFC 9110 §14.1.2: the ranges of `Range: bytes=…`; nil when there is none that means anything.
    func ranges(_ request: ModelRequest) -> [Wanted]? {
        guard let text = request.fields.combined("Range"), text.lowercased().hasPrefix("bytes=") else { return nil }
        let specs = text.dropFirst("bytes=".count).components(separatedBy: ",").map(\.trimmed).filter { !$0.isEmpty }
        let wanted = specs.map { spec -> Wanted? in
            let ends = spec.components(separatedBy: "-")
            guard ends.count == 2 else { return nil }
            if ends[0].isEmpty { return number(ends[1]).map(Wanted.last) }
            guard let first = number(ends[0]) else { return nil }
            if ends[1].isEmpty { return .from(first, nil) }
            guard let last = number(ends[1]), first <= last else { return nil }
            return .from(first, last)
        }
        guard !wanted.isEmpty, wanted.allSatisfy({ $0 != nil }) else { return nil }
        return wanted.compactMap(\.self)
    }

    /// A number that may be too great to represent, and then is the greatest.
    private func number(_ text: String) -> Int64? { text.isDigits ? Int64(text) ?? .max : nil }

    /// RFC 9111 §3.3: what is incomplete answers only a request for a range wholly within it.
    func covers(_ stored: ModelStored, _ request: ModelRequest) -> Bool {
        guard let part = stored.part else { return true }
        if let total = stored.total, part == 0..<total { return true }
        guard request.method == "GET", let wanted = ranges(request), wanted.count == 1, holdsIfRange(stored, request)
        else { return false }
        switch wanted[0] {
        case .from(let first, let last):
            guard part.contains(first) else { return false }
            if let last { return min(last, (stored.total ?? .max) - 1) < part.upperBound }
            return stored.total == part.upperBound
        case .last(let count):
            guard let total = stored.total, count > 0 else { return false }
            return part.upperBound == total && max(0, total - count) >= part.lowerBound
        }
    }

    /// The bytes that a single range picks from `length` of them; nil when it picks none. RFC 9110 §14.1.2.
    func bytes(_ wanted: Wanted, of length: Int64) -> Range<Int64>? {
        switch wanted {
        case .from(let first, let last):
            guard first < length else { return nil }
            return first..<(min(last ?? .max, length - 1) + 1)
        case .last(let count):
            guard count > 0, length > 0 else { return nil }
            return max(0, length - count)..<length
        }
    }

    /// RFC 9111 §3.4, RFC 9110 §15.3.7.3: both have the same strong validator.
    func mayCombine(_ stored: ModelStored, with response: ModelResponse) -> Bool {
        guard response.status == 206, let part = stored.part, let new = contentRange(response),
            let old = strongTag(stored.response.fields), old == strongTag(response.fields)
        else { return false }
        if let one = stored.total, let other = new.total, one != other { return false }
        return new.range.lowerBound <= part.upperBound && part.lowerBound <= new.range.upperBound
    }
}
