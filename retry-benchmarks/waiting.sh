#!/usr/bin/env bash
# Measure what calls cost that wait, and print tables in Markdown, in two to three minutes. Blocking calls on virtual
# threads are measured on JDK 21 or later only.
#
#   --calls=100000,1000000     how many asynchronous calls wait at once
#   --sleepers=10000,100000    how many blocking calls sleep at once
#   --publish                  write the tables into docs/measurements/waiting.md
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"
read_options "--calls=counts --sleepers=counts --publish" "$@"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

run_and_publish waiting ./mvnw -q -Pfast -pl retry-benchmarks -am compile spring-boot:run -Dbenchmarks.run.skip=false \
	-Dspring-boot.run.optimizedLaunch=false -Dbenchmarks.main=dev.backoff.benchmarks.waiting.WaitingTables \
	-Dbenchmarks.args="${arguments[*]/#--publish/}"
