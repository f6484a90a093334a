#!/usr/bin/env bash
# Measure durable calls beside their engine alone, and print tables in Markdown, in a quarter of an hour
# on an idle machine with two cores: throughput, lateness beside a backlog and of a level of 1 s, idle statements.
#
#   --calls=20000             how many calls are drained in each run
#   --pairs=6                 how many runs each side has, by turns
#   --due=100000              how many calls of the policy that hangs are due
#   --only=postgresql,h2      the databases; mariadb needs the programs of the package mariadb-server
#   --publish                 write the tables into docs/measurements/durable.md
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"
read_options "--calls=count --pairs=count --due=count --only=some:postgresql,h2,mariadb --publish" "$@"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

run_and_publish durable ./mvnw -q -Pfast,durable -pl retry-benchmarks -am compile spring-boot:run -Dbenchmarks.run.skip=false \
	-Dspring-boot.run.optimizedLaunch=false -Dbenchmarks.args="${arguments[*]/#--publish/}"
