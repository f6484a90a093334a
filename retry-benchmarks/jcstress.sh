#!/usr/bin/env bash
# Stress budget and breaker under threads; the report goes to retry-benchmarks/target/jcstress/results.
# Arguments are jcstress's own, by default "-m quick": try -h, "-m sanity", "-m tough", "-t Breaker".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

exec ./mvnw -q -Pjcstress -pl retry-benchmarks -am compile spring-boot:run -Dbenchmarks.run.skip=false \
	${1:+-Dbenchmarks.args="$*"}
