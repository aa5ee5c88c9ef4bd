// acknowledge(_:): writes each acknowledgement with one system call, so that it survives a kill.

import CrashWorld

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes acknowledgements to standard output, one call to the system each: what is written survives any death.
func acknowledge(_ acknowledgement: Acknowledgement) {
    printLine(acknowledgement.line)
}

/// Writes one line, as ``acknowledge(_:)`` does.
func printLine(_ text: String) {
    var line = Array(text.utf8)
    line.append(0x0A)
    let written = unsafe line.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
    precondition(written == line.count, "a line is written whole")
}
