import Glibc

/// One lock as a row of /proc/locks has it, and a "lock:" line of /proc/PID/fdinfo.
///
/// Source: proc_locks(5); kernel, fs/locks.c, lock_get_status.
struct LockLine: Sendable, Hashable {
    var lock: LockRange
    /// Who took it, though dead and the lock inherited; −1 for an OFD lock, 0 for one outside our pid namespace.
    var taker: Int32
    /// Not held but waited for, by `taker`.
    var isWaiter: Bool
}

/// What is locked, and how.
struct LockRange: Sendable, Hashable {
    struct File: Sendable, Hashable {
        var major: UInt64 = 0
        var minor: UInt64 = 0
        /// 0 in the row of one who waits for a lease: it names no file.
        var inode: UInt64 = 0
    }
    var file: File
    var kind: HeldLock.Kind
    var access: HeldLock.Access
    var start: UInt64
    /// The last byte; nil to the file's end, however far that moves.
    var end: UInt64?

    /// Whether others are kept out by it though none waits: a lease is only ever given up, not waited for in vain.
    var countsByItself: Bool { access == .write && kind != .lease }

    /// Whether one of them has to wait until the other is gone, were they not of the same process.
    func conflicts(with other: LockRange) -> Bool {
        guard file == other.file, kind.isExcluded(by: other.kind) else { return false }
        // Who waits for a lease waits for all of it, and to read as much as to write.
        if kind == .lease { return true }
        guard access == .write || other.access == .write else { return false }
        return start <= other.end ?? .max && other.start <= end ?? .max
    }
}

extension HeldLock.Kind {
    /// POSIX and OFD locks exclude each other, flock's only their own. Source: fcntl_locking(2), flock(2).
    fileprivate func isExcluded(by other: Self) -> Bool {
        let isByRange = { (kind: Self) in kind == .posix || kind == .ofd }
        return self == other || (isByRange(self) && isByRange(other))
    }
}

extension LockLine {
    /// Parses `1: POSIX  ADVISORY  WRITE 24748 fe:00:16614164 5 14`; `-> ` before the kind is one who waits.
    init?(_ text: UnsafeRawBufferPointer) {
        var index = 0
        guard let id = text.word(at: &index), text[id.upperBound - 1] == UInt8(ascii: ":"),
            var word = text.word(at: &index)
        else {
            return nil
        }
        isWaiter = text.isEqual(word, "->")
        if isWaiter {
            guard let next = text.word(at: &index) else { return nil }
            word = next
        }
        guard let kind = HeldLock.Kind(text, word), text.word(at: &index) != nil,
            let access = text.word(at: &index), let taker = text.signedNumber(at: &index),
            let file = LockRange.File(text, at: &index), let start = text.wordNumber(at: &index),
            let end = text.word(at: &index)
        else {
            return nil
        }
        var digits = end.lowerBound
        let last = text.number(at: &digits)
        guard last != nil || text.isEqual(end, "EOF") else { return nil }
        self.taker = Int32(truncatingIfNeeded: taker)
        // A lease that is being broken can also say UNLCK.
        let isWrite = text.isEqual(access, "WRITE")
        lock = LockRange(file: file, kind: kind, access: isWrite ? .write : .read, start: start, end: last)
    }
}

extension HeldLock.Kind {
    fileprivate init?(_ text: UnsafeRawBufferPointer, _ word: Range<Int>) {
        if text.isEqual(word, "POSIX") {
            self = .posix
        } else if text.isEqual(word, "FLOCK") {
            self = .flock
        } else if text.isEqual(word, "OFDLCK") {
            self = .ofd
        } else if text.isEqual(word, "LEASE") || text.isEqual(word, "DELEG") {
            self = .lease
        } else {
            return nil
        }
    }
}

extension LockRange.File {
    /// `fe:00:16614164`: the device in hexadecimal, the inode in decimal; or `<none>:0`.
    fileprivate init?(_ text: UnsafeRawBufferPointer, at index: inout Int) {
        guard let word = text.word(at: &index) else { return nil }
        if text.isEqual(word, "<none>:0") {
            self.init()
            return
        }
        var place = word.lowerBound
        guard let major = text.hexadecimal(at: &place), text.passes(UInt8(ascii: ":"), at: &place),
            let minor = text.hexadecimal(at: &place), text.passes(UInt8(ascii: ":"), at: &place),
            let inode = text.number(at: &place), place == word.upperBound
        else {
            return nil
        }
        self.init(major: major, minor: minor, inode: inode)
    }

    /// As /proc/locks has it.
    var text: String {
        let hexadecimal = { (number: UInt64) in (number < 16 ? "0" : "") + String(number, radix: 16) }
        return "\(hexadecimal(major)):\(hexadecimal(minor)):\(inode)"
    }
}

extension UnsafeRawBufferPointer {
    /// The next run of bytes without blanks; nil at the end.
    fileprivate func word(at index: inout Int) -> Range<Int>? {
        skip(32, at: &index)
        let start = index
        while index < count, self[index] != 32 { index += 1 }
        return index > start ? start..<index : nil
    }

    fileprivate func wordNumber(at index: inout Int) -> UInt64? {
        skip(32, at: &index)
        return number(at: &index)
    }

    fileprivate func signedNumber(at index: inout Int) -> Int64? {
        skip(32, at: &index)
        let isNegative = passes(UInt8(ascii: "-"), at: &index)
        guard let magnitude = number(at: &index) else { return nil }
        let value = Int64(truncatingIfNeeded: magnitude)
        return isNegative ? 0 &- value : value
    }

    fileprivate func passes(_ byte: UInt8, at index: inout Int) -> Bool {
        guard index < count, self[index] == byte else { return false }
        index += 1
        return true
    }

    fileprivate func isEqual(_ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount, let base = baseAddress else { return false }
        return memcmp(base + range.lowerBound, text.utf8Start, range.count) == 0
    }
}
