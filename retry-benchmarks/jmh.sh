#!/usr/bin/env bash
# Measure what retries cost, ours beside the peers, and print tables in Markdown; what JMH wrote goes to
# retry-benchmarks/target/jmh/results.json. The JDK is that of JAVA_HOME.
#
#   --quick        one fork, less of warming up: ten minutes in place of half an hour, and a trial
#   --only=…       a regular expression of benchmarks: Success, TwoThreads, EightThreads, Async, Recovery, Stop, Feature
#                  or Delay
#   --results=…    the file that JMH writes
#   --tables=…     measure nothing, print the tables of these files, separated by commas: of runs that were made
#                  one by one on the same machine
#   --publish      write the tables to docs/speed-figures-<JDK>.md, and those of JDK 17 to the README as well
#
# What else follows goes to JMH, for instance "-p contender=FLOOR,BACKOFF".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

length=""
only=".*"
results="retry-benchmarks/target/jmh/results.json"
tables=""
publish=""
while [[ $# -gt 0 ]]; do
	case "$1" in
		--quick) length="-f 1 -wi 2 -w 1 -i 40" ;;
		--publish) publish="--publish=$PWD" ;;
		--only=*) only="${1#*=}" ;;
		--results=*) results="${1#*=}" ;;
		--tables=*) tables="${1#*=}" ;;
		--only | --results | --tables)
			set -- "$1=$2" "${@:3}"
			continue
			;;
		-h | --help)
			sed -n 's/^# \{0,1\}//p' "${BASH_SOURCE[0]}" | sed 1d
			exit
			;;
		*) break ;;
	esac
	shift
done
# The forks inherit the flags of the process that starts them, which must not stop at the first compiler.
run=(./mvnw -q -pl retry-benchmarks -am test-compile spring-boot:run -Dbenchmarks.run.skip=false \
	-Dspring-boot.run.optimizedLaunch=false -Dmaven.test.skip=true)

if [[ -z "$tables" ]]; then
	results="$(realpath -m "$results")"
	mkdir -p "$(dirname "$results")"
	"${run[@]}" -Pfast,jmh -Dbenchmarks.args="$only $length -prof gc -rf json -rff $results $*"
	tables="$results"
fi
files=()
for file in ${tables//,/ }; do
	files+=("$(realpath "$file")")
done
"${run[@]}" -Pfast -Dbenchmarks.main=dev.backoff.benchmarks.speed.SpeedPages \
	-Dbenchmarks.args="${files[*]} $publish"
