import Foundation

/// Returns a length of time for display, in its largest unit; `-` when there is none.
func durationText(_ milliseconds: Int64?) -> String {
    guard let milliseconds else { return "-" }
    let seconds = milliseconds / 1000
    switch seconds {
    case ..<90: return "\(seconds) s"
    case ..<5400: return "\(seconds / 60) min"
    case ..<172_800: return "\(seconds / 3600) h"
    default: return "\(seconds / 86_400) days"
    }
}

/// Returns a time for display: ISO 8601, or the plain milliseconds where the calendar has no year for it.
func timeText(_ milliseconds: Int64?) -> String {
    guard let milliseconds else { return "-" }
    // The years 0001 to 9999.
    guard milliseconds >= -62_135_596_800_000, milliseconds < 253_402_300_800_000 else { return "\(milliseconds)ms" }
    let fraction = (milliseconds % 1000 + 1000) % 1000
    // Whole seconds are exact as floating point; the thousandths would not be.
    let seconds = Date(timeIntervalSince1970: Double((milliseconds - fraction) / 1000))
    let digits = String(fraction + 1000).dropFirst()
    return seconds.formatted(Date.ISO8601FormatStyle()).dropLast() + ".\(digits)Z"
}
