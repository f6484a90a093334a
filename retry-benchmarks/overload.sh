#!/usr/bin/env bash
# Run the experiments on overload; the figures go to retry-benchmarks/target/overload.
#
#   --seconds=60   how long each experiment in real time lasts; below 30 it is a trial
#   --rate=200     calls a second in the outage
#   --only=…       some of outage,stall,stall-real,fleet,fleet-real,layers,herd,refusals,quota, or none
#   --publish      copy the figures to docs/overload, those of the quota to docs/pace, and write the pictures there and the tables of
#                  docs/measurements/overload.md and pace.md again
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"
read_options "--seconds=count --rate=count --only=some:outage,stall,stall-real,fleet,fleet-real,layers,herd,refusals,quota,none --publish" \
	"$@"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

exec ./mvnw -q -Pfast -pl retry-benchmarks -am compile spring-boot:run -Dbenchmarks.run.skip=false \
	-Dspring-boot.run.optimizedLaunch=false \
	-Dbenchmarks.args="${arguments[*]/#--publish/--publish=../../docs}"
