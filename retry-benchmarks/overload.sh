#!/usr/bin/env bash
# Run the experiments on overload; the figures go to retry-benchmarks/target/overload.
#
#   --seconds=60   how long each experiment in real time lasts; below 30 it is a trial
#   --rate=200     calls a second in the outage
#   --only=…       some of outage,stall,stall-real,layers,herd,refusals
#   --publish      copy the figures to docs/overload and write tables and pictures again
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

arguments=()
while [[ $# -gt 0 ]]; do
	case "$1" in
		--publish) arguments+=("--publish=../../docs") ;;
		--seconds | --rate | --only)
			arguments+=("$1=$2")
			shift
			;;
		--seconds=* | --rate=* | --only=*) arguments+=("$1") ;;
		*)
			sed -n 's/^# \{0,1\}//p' "${BASH_SOURCE[0]}" | sed 1d >&2
			exit 2
			;;
	esac
	shift
done
exec ./mvnw -q -Pfast -pl retry-benchmarks -am compile spring-boot:run -Dbenchmarks.run.skip=false \
	-Dspring-boot.run.optimizedLaunch=false \
	-Dbenchmarks.args="${arguments[*]}"
