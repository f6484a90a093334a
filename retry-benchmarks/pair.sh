#!/usr/bin/env bash
# Measure a success by ours and by the floor in turn within one process, and print both and their ratio for each process,
# then the median of the ratios. A time is the mean of the five fastest iterations. What is given goes to JMH, for
# instance "-f 3 -p contender=BACKOFF,BACKOFF_NO_BREAKER", or "-p rival=FRAMEWORK -p failures=2" for a call that fails
# twice before it succeeds. In two minutes; the JDK is that of JAVA_HOME.
set -euo pipefail
cd "$(dirname "$0")/.."
results="$PWD/retry-benchmarks/target/jmh/pair.json"
mkdir -p "$(dirname "$results")"
retry-benchmarks/jmh.sh --only=Pair --results="$results" "$@" >"${results%.json}.log" 2>&1 || {
	cat "${results%.json}.log"
	exit 1
}
jq -r 'def best: sort[:5] | add / 5;
	def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
	def two: . * 1000 | round / 1000;
	.[] | .params.contender as $name | (.params.rival | ascii_downcase) as $rival
	| [.primaryMetric.rawData[] | [(to_entries[] | select(.key % 2 == 0).value)] as $theirs
		| [(to_entries[] | select(.key % 2 == 1).value)] as $ours | {theirs: ($theirs | best), ours: ($ours | best)}]
	| (.[] | "\($name): \($rival) \(.theirs | two) ns, ours \(.ours | two) ns, ratio \(.ours / .theirs | two)"),
		"\($name): median of the ratios \(map(.ours / .theirs) | median | two)"' "$results"
