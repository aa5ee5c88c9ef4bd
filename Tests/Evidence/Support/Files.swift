// Reading and writing files and directories of the tools.

import Glibc

/// A fault of a tool, or of its arguments.
struct ToolFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Files and directories of the tools.
enum Files {
    static func read(_ path: String) throws -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw ToolFailure("\(path) cannot be read") }
        defer { close(file) }
        let size = Int(lseek(file, 0, SEEK_END))
        return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let got = unsafe pread(file, buffer.baseAddress! + count, size - count, off_t(count))
                if got <= 0 { break }
                count += got
            }
        }
    }

    static func text(_ path: String) throws -> String { String(decoding: try read(path), as: UTF8.self) }

    static func write(_ bytes: [UInt8], to path: String) throws {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw ToolFailure("\(path) cannot be made") }
        defer { close(file) }
        var done = 0
        while done < bytes.count {
            let put = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress! + done, $0.count - done) }
            if put <= 0 { throw ToolFailure("\(path) cannot be written") }
            done += put
        }
    }

    static func append(_ text: String, to path: String) {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        _ = unsafe Glibc.write(file, text, text.utf8.count)
        close(file)
    }

    /// The inode of a file; nil when there is none.
    static func identity(_ path: String) -> (device: UInt64, inode: UInt64)? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? (UInt64(status.st_dev), UInt64(status.st_ino)) : nil
    }

    static func makeDirectory(_ path: String) { _ = unsafe mkdir(path, 0o700) }

    /// The names in a directory, sorted.
    static func names(_ path: String) -> [String] {
        guard let stream = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            // readdir ends the name with a zero byte within the field.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                unsafe String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes a file, or a directory with everything in it.
    static func remove(_ path: String) {
        if unsafe unlink(path) == 0 || errno == ENOENT { return }
        for name in names(path) { remove(path + "/" + name) }
        _ = unsafe rmdir(path)
    }

    /// Copies a directory with everything in it.
    static func copy(_ path: String, to other: String) throws {
        makeDirectory(other)
        for name in names(path) {
            var status = stat()
            _ = unsafe lstat(path + "/" + name, &status)
            if status.st_mode & S_IFMT == S_IFDIR {
                try copy(path + "/" + name, to: other + "/" + name)
            } else {
                try write(read(path + "/" + name), to: other + "/" + name)
            }
        }
    }
}
