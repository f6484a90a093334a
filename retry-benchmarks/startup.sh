#!/usr/bin/env bash
# Measure what the starter adds to the start of an application, and an annotated method beside Framework's, and print
# tables in Markdown. Each start is a process of its own; they take turns. Eight minutes on two cores.
#
#   --forks=9         how often each application is started; below 5 it is a trial
#   --beans=1000      how many beans have an annotated method
#   --only=web,beans  the empty web application, or the beans
#   --publish         write the tables into docs/measurements/startup.md
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"
read_options "--forks=count --beans=count:2 --only=some:web,beans --publish" "$@"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

run_and_publish startup ./mvnw -q -Pfast,startup -pl retry-benchmarks -am compile spring-boot:run -Dbenchmarks.run.skip=false \
	-Dspring-boot.run.optimizedLaunch=false -Dbenchmarks.main=dev.backoff.benchmarks.startup.StartupTables \
	-Dbenchmarks.args="${arguments[*]/#--publish/}"
