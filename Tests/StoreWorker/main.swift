// A server's store in a process of its own, for the store's tests.
//
//   store-worker hold DIR          opens it, says "open" or why not, and holds it until standard input ends
//   store-worker keep DIR          launches and ends apps that schedule something, for ever, and says what was kept once that is answered
//   store-worker live DIR          the same once, ends as a server does, and says "closed"
//   store-worker full DIR          on a disk of 1 MiB with a ballast in it; then the ballast is gone (in a mount namespace)
//   store-worker file-limit DIR    the same by RLIMIT_FSIZE
//   store-worker read-only DIR     on a disk that can't be written; then it can (in a mount namespace)

import CurfewStore
import Glibc

guard CommandLine.arguments.count == 3 else {
    say("usage: store-worker hold|keep|live|full|file-limit|read-only DIR")
    exit(64)
}
let directory = CommandLine.arguments[2]
switch CommandLine.arguments[1] {
case "hold": hold(directory)
case "keep": keep(directory)
case "live": live(directory)
case "full": fillDisk(directory)
case "file-limit": fillFiles(directory)
default: beReadOnly(directory)
}
