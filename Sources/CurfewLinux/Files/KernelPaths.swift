// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names are the C layer's.

import CCurfew

// The C layer's functions that take a path, by Swift's strings.
//
// Passed as it is, a string would be copied into an array of CChar, a type that the runtime makes at its first use: of a
// launch that costs a tenth of the instructions, and ten page faults.

func curfew_open_at(_ directory: Int32, _ path: String, _ flags: Int32, _ mode: Int32) -> Int32 {
    path.withCString { curfew_open_at(directory, $0, flags, mode) }
}

func curfew_mkdir_at(_ directory: Int32, _ path: String, _ mode: Int32) -> Int32 {
    path.withCString { curfew_mkdir_at(directory, $0, mode) }
}

func curfew_rmdir_at(_ directory: Int32, _ path: String) -> Int32 {
    path.withCString { curfew_rmdir_at(directory, $0) }
}

func curfew_unlink_at(_ directory: Int32, _ path: String) -> Int32 {
    path.withCString { curfew_unlink_at(directory, $0) }
}

func curfew_stat_at(
    _ directory: Int32, _ path: String, _ follow: Bool, _ status: UnsafeMutablePointer<curfew_file_status>
) -> Int32 {
    path.withCString { curfew_stat_at(directory, $0, follow, status) }
}

func curfew_write_file_at(_ directory: Int32, _ path: String, _ text: String) -> Int32 {
    path.withCString { path in text.withCString { curfew_write_file_at(directory, path, $0) } }
}

func curfew_unix_listen(_ path: String, _ backlog: Int32) -> Int32 {
    path.withCString { curfew_unix_listen($0, backlog) }
}

func curfew_unix_is_bound(_ path: String) -> Int32 { path.withCString { curfew_unix_is_bound($0) } }

func curfew_rename_new_at(_ directory: Int32, _ from: String, _ to: String) -> Int32 {
    from.withCString { from in to.withCString { curfew_rename_new_at(directory, from, $0) } }
}
