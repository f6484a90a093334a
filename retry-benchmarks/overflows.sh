#!/usr/bin/env bash
# Let the stack overflow near the end of calls that are compiled, and print how many permits and probes are lost: by
# calls that succeed, fail or return a future, and by calls that find a breaker at the end of its time open. None may be
# lost. The JDK is that of JAVA_HOME.
#
#   --processes=20     how many processes for each kind of call
#   --overflows=2500   how many overflows in each
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"
read_options "--processes=count --overflows=count" "$@"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

exec ./mvnw -q -Pfast -pl retry-benchmarks -am compile spring-boot:run -Dbenchmarks.run.skip=false \
	-Dspring-boot.run.optimizedLaunch=false -Dbenchmarks.main=dev.backoff.benchmarks.overflows.Overflows \
	-Dbenchmarks.args="$(value_of processes 20) $(value_of overflows 2500)"
