#!/usr/bin/env bash
# make-tree.sh: `make -j4` is a deep tree (make, sh, gcc, cc1, as). Home stops all of it; open lets it finish.
source "$(dirname "$0")/lib.sh"
need make gcc
app=make-$$
cd "$scratch"

# Twelve files that take a moment each to compile.
for file in {1..12}; do
    for n in {1..120}; do
        echo "int f${file}_$n(int x)"
        echo "{ int s = 0; for (int i = 0; i < x; i++) s += i * s % $((n + 7)) ^ s << 1; return s; }"
    done >"f$file.c"
done
echo 'int main(void) { return 0; }' >main.c
# Each compiler under a shell, for depth. Until a file says that this is enough each compiles the same again and again, so that it is
# sent home in the middle of it on any machine.
cat >Makefile <<END
program: main.o $(echo f{1..12}.o)
	@gcc -o \$@ \$^
%.o: %.c
	@sh -c "gcc -O2 -c \$< && echo \$@ && until [ -e enough ]; do gcc -O2 -c \$<; done"
END

curfew run --name "$app" -- make -j4 >log &
run=$!
has_objects() { (($(wc -l <log) >= 3)); }
wait_until 60 "the first objects" has_objects
curfew home "$app"
mapfile -t pids < <(tree "$(field "$app" pid)")
wait_until 20 "all of it to stop" is_stopped "${pids[@]}"
step "home, in the middle of it: $(field "$app" state), ${#pids[@]} processes"
# (D: a parent in vfork, which the kernel holds until its child, stopped here, goes on.)
ps -o state=,comm= -p "$(IFS=,; echo "${pids[*]}")" | sort | uniq -c

# It may go on to its end now, if it can.
touch enough
done_before=$(wc -l <log) cpu_before=$(field "$app" cpu)
sleep 1
[[ $(wc -l <log) == "$done_before" && $(field "$app" cpu) == "$cpu_before" ]] || fail "it made progress while suspended"
step "one second later: still $done_before objects of 13, still $cpu_before s of CPU time"

curfew open "$app"
wait "$run" || fail "make ended with status $?"
./program || fail "what it built doesn't run"
step "open: make finished, all $(wc -l <log) objects are there, and the program runs"
