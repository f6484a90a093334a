#!/usr/bin/env bash
# Measure durable calls beside their engine alone, and print tables in Markdown, in 30 minutes on an idle machine with
# two cores: calls a second made and submitted, the time from commit to attempt, lateness beside a backlog and of a
# level of 1 s, idle statements, and what many stored calls cost.
#
#   --calls=20000             how many calls are made in each run; a fifth of that is submitted
#   --pairs=7                 how many runs each side has, by turns
#   --due=100000              how many calls of the policy that hangs are due
#   --only=postgresql,h2,mariadb   the databases; mariadb needs the programs of the package mariadb-server
#   --stored=1000000          also compare so many stored calls with 1,000; with a million, only on PostgreSQL and MariaDB
#   --quick                   few calls, to try it
#   --publish                 write the tables into docs/measurements/durable.md
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"
read_options "--calls=count --pairs=count --due=count --only=some:postgresql,h2,mariadb --stored=count:1000 --quick --publish" "$@"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

run_and_publish durable ./mvnw -q -Pfast,durable -pl retry-benchmarks -am compile spring-boot:run -Dbenchmarks.run.skip=false \
	-Dspring-boot.run.optimizedLaunch=false -Dbenchmarks.args="${arguments[*]/#--publish/}"
