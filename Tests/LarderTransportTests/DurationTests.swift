// Proves that durations convert to whole milliseconds without overflow.

import LarderTransport
import Testing

@Suite struct `Milliseconds of a duration` {
    @Test func `are whole, rounded towards zero`() {
        #expect(Duration.nanoseconds(1_999_999).milliseconds == 1)
        #expect(Duration.nanoseconds(-1_999_999).milliseconds == -1)
        #expect(Duration.seconds(-3).milliseconds == -3000)
    }

    @Test func `are the greatest or the least number there is, where they are more`() {
        let whole = Int64.max / 1000
        #expect(Duration(secondsComponent: whole, attosecondsComponent: 0).milliseconds == whole * 1000)
        let beyond: [(Int64, Int64)] = [(whole, 999_999_999_999_999_999), (whole + 1, 0), (.max, 0)]
        for (seconds, attoseconds) in beyond {
            let long = Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
            #expect(long.milliseconds == .max)
            let early = Duration(secondsComponent: -seconds, attosecondsComponent: -attoseconds)
            #expect(early.milliseconds == .min)
        }
    }
}
