#!/usr/bin/env bash
# Stress calls, budget, breaker and slots under threads; the report goes to retry-benchmarks/target/jcstress/results.
# Arguments are jcstress's own, by default "-m quick" (20 minutes on two cores). Try "-t Breaker", "-m quick -sc false
# -iters 2" (4 minutes), or -h for all that jcstress knows.
set -euo pipefail
if [[ "${1-}" == --help ]]; then
	sed -n '1d; /^#/!q; s/^# \{0,1\}//p' "$0"
	exit
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."

exec ./mvnw -q -Pfast,jcstress -pl retry-benchmarks -am compile spring-boot:run -Dbenchmarks.run.skip=false \
	${1:+-Dbenchmarks.args="$*"}
