#!/usr/bin/env bash
# Measure what retries cost, ours beside the peers, and print tables in Markdown; what JMH wrote goes to
# retry-benchmarks/target/jmh/results.json.
#
#   --quick        one fork, a minute of warming up less: six minutes in place of fifteen, and a trial
#   --only=…       a regular expression of benchmarks: Success, TwoThreads, Recovery, Stop, Feature or Delay
#
# What else follows goes to JMH, for instance "-p contender=FLOOR,BACKOFF".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Short iterations, many of them: on a machine that does other things as well, some are left alone.
length="-f 2 -wi 4 -w 1 -i 80 -r 15ms"
only=".*"
while [[ $# -gt 0 ]]; do
	case "$1" in
		--quick) length="-f 1 -wi 2 -w 1 -i 40 -r 15ms" ;;
		--only) only="$2" && shift ;;
		--only=*) only="${1#--only=}" ;;
		-h | --help)
			sed -n 's/^# \{0,1\}//p' "${BASH_SOURCE[0]}" | sed 1d
			exit
			;;
		*) break ;;
	esac
	shift
done
# The forks inherit the flags of the process that starts them, which must not stop at the first compiler.
results="$PWD/retry-benchmarks/target/jmh/results.json"
run=(./mvnw -q -pl retry-benchmarks -am test-compile spring-boot:run -Dbenchmarks.run.skip=false \
	-Dspring-boot.run.optimizedLaunch=false -Dmaven.test.skip=true)

mkdir -p "$(dirname "$results")"
"${run[@]}" -Pfast,jmh -Dbenchmarks.args="$only $length -prof gc -rf json -rff $results $*"
"${run[@]}" -Pfast -Dbenchmarks.main=dev.backoff.benchmarks.speed.SpeedTable -Dbenchmarks.args="$results"
