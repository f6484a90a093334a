#!/usr/bin/env bash
# Check that the compiler inlines all of ours that a call runs through which succeeds at once, proxied and woven, by its
# own log: print each method with the length of its bytecode, and fail if one is refused or longer than what is inlined.
# What is "called" instead is a known jump; the last line says whether all is well. In two minutes; the logs are in
# retry-benchmarks/target/inlining.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"
read_options "" "$@"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

logs="$PWD/retry-benchmarks/target/inlining"
run=(./mvnw -q -pl retry-benchmarks -am test-compile spring-boot:run -Dbenchmarks.run.skip=false \
	-Dspring-boot.run.optimizedLaunch=false -Dmaven.test.skip=true)

mkdir -p "$logs"
for contender in proxied=BACKOFF woven=BACKOFF_WOVEN; do
	"${run[@]}" -Pfast,jmh -Dbenchmarks.args="SuccessBenchmark -p contender=${contender#*=} -f 1 -wi 4 -w 1 -i 20 -r 50ms \
		-jvmArgsAppend -XX:+UnlockDiagnosticVMOptions -jvmArgsAppend -XX:+LogCompilation \
		-jvmArgsAppend -XX:LogFile=$logs/${contender%=*}.log" >"$logs/${contender%=*}.txt"
done
"${run[@]}" -Pfast -Dbenchmarks.main=dev.backoff.benchmarks.inlining.InliningGuard \
	-Dbenchmarks.args="proxied=$logs/proxied.log woven=$logs/woven.log"
