#!/usr/bin/env bash
# Measure what retries cost, ours beside the peers, and print tables in Markdown; what JMH wrote goes to
# retry-benchmarks/target/jmh/results.json. The JDK is that of JAVA_HOME.
#
#   --quick        one fork, less of warming up: seven minutes in place of fourteen, and a trial
#   --only=…       a regular expression of benchmarks: Success, TwoThreads, EightThreads, Async, Recovery, Stop, Feature,
#                  Pace or Delay
#   --results=…    the file that JMH writes
#   --tables=…     measure nothing, print the tables of these files, separated by commas: of runs on the
#                  same machine; of what was measured in several, all iterations count
#   --publish      write the tables to speed-figures-<JDK>.md of docs/measurements, and the short ones of JDK 17 to speed.md
#                  and pace.md there; with --only=Pace, only the latter
#
# What else follows goes to JMH, for instance "-p contender=FLOOR,BACKOFF". Whoever cannot be measured ends the run, and
# the results before it are kept.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"
read_options "--quick --only=text --results=text --tables=text --publish ..." "$@"
for argument in "${rest[@]}"; do
	[[ "$argument" != --* ]] || refuse "$argument belongs before what is for JMH ($rest)"
done
publish=""
if is_given publish; then
	# the pages show a whole run
	! is_given quick && [[ "$(value_of only Pace)" == Pace && ${#rest[@]} -eq 0 ]] \
		|| refuse "--publish needs all, or --only=Pace, measured in full"
	publish="--publish=$(cd "$(dirname "$0")/.." && pwd)"
fi
length=""
if is_given quick; then
	length="-f 1 -wi 2 -w 1 -i 40"
fi
only="$(value_of only ".*")"
for word in ${only//|/ }; do
	# other regular expressions are for JMH to judge
	[[ "$word" == *[^A-Za-z]* || -n "$(find "$(dirname "$0")/src/jmh" -name "*$word*Benchmark*.java")" ]] \
		|| refuse "invalid --only ($only): no benchmark is called $word"
done
tables="$(value_of tables "")"
results="$(value_of results "")"
results="$([[ -z "$results" ]] || realpath -m "$results")"
for file in ${tables//,/ }; do
	[[ -s "$file" ]] || refuse "invalid --tables ($file): must be files that JMH has written"
done
tables="$(for file in ${tables//,/ }; do realpath "$file"; done)"
cd "$(dirname "$0")/.."

# The forks inherit the flags of the process that starts them, which must not stop at the first compiler.
run=(./mvnw -q -pl retry-benchmarks -am test-compile spring-boot:run -Dbenchmarks.run.skip=false \
	-Dspring-boot.run.optimizedLaunch=false -Dmaven.test.skip=true)

if [[ -z "$tables" ]]; then
	tables="${results:-$PWD/retry-benchmarks/target/jmh/results.json}"
	mkdir -p "$(dirname "$tables")"
	"${run[@]}" -Pfast,jmh \
		-Dbenchmarks.args="$only $length -foe true -prof gc -rf json -rff $tables.running ${rest[*]}"
	mv "$tables.running" "$tables"
fi
"${run[@]}" -Pfast -Dbenchmarks.main=dev.backoff.benchmarks.speed.SpeedPages \
	-Dbenchmarks.args="${tables//$'\n'/ } $publish"
