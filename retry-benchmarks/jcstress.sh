#!/usr/bin/env bash
# Stress calls, budget and breaker under threads; the report goes to retry-benchmarks/target/jcstress/results.
# Arguments are jcstress's own, by default "-m quick" (20 minutes on two cores). Try -h, "-t Breaker", or
# "-m quick -sc false -iters 2" (4 minutes).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

exec ./mvnw -q -Pfast,jcstress -pl retry-benchmarks -am compile spring-boot:run -Dbenchmarks.run.skip=false \
	${1:+-Dbenchmarks.args="$*"}
