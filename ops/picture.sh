#!/usr/bin/env bash
# Draw the main panels of the dashboard for docs/observation.md, from a run of seven minutes: the sample under load, two of
# whose partners are down for two of them. Prometheus evaluates the queries of ops/grafana/backoff.json. Writes
# docs/observation/dashboard.svg. Needs curl, jq and Prometheus, which .ci/tools installs on Debian.
#
#   --drawing-only   draw the figures of the last run again
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source retry-benchmarks/options.sh
read_options "--drawing-only" "$@"

panels='["Retries per call", "Calls by why they ended", "Tokens of budgets", "Retries refused by budgets",
	"Breakers that do not let all calls through", "Attempts: mean"]'
healthy=60 outage=120 recovery=210
shop=127.0.0.1:18080 gateway=127.0.0.1:18090 prometheus=127.0.0.1:19090
figures=retry-benchmarks/target/dashboard.csv picture=docs/observation/dashboard.svg

run_sample() {
	local port
	for port in "$shop" "$gateway" "$prometheus"; do
		! curl -s -o /dev/null "$port" || refuse "$port is in use"
	done
	java -jar sample-app/target/sample-app-*.jar --server.port="${shop#*:}" --shop.gateway.port="${gateway#*:}" \
		--shop.traffic.every=100ms --shop.traffic.fault-percent=5 --backoff.metrics.slo=5ms,10ms,25ms,50ms,100ms,250ms,500ms,1s \
		>"$work/shop.txt" 2>&1 &
	cat >"$work/prometheus.yml" <<-CONFIG
		global: { scrape_interval: 5s }
		scrape_configs:
		  - { job_name: shop, metrics_path: /actuator/prometheus, static_configs: [ { targets: ["$shop"] } ] }
	CONFIG
	prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/data" --web.listen-address="$prometheus" \
		--log.level=warn >"$work/prometheus.txt" 2>&1 &
	until curl -fs -o /dev/null "$shop/actuator/health" && curl -fs -o /dev/null "$prometheus/-/ready"; do
		[[ "$(jobs -rp | wc -l)" == 2 ]] || { tail -n 20 "$work"/*.txt >&2; exit 1; }
		sleep 1
	done
	while sleep 0.5; do
		curl -s -m 10 -o /dev/null "$shop/orders" --json '{"sku": "tea", "quantity": 1}' &
	done &
}

stop_sample() {
	kill $(jobs -rp) 2>/dev/null || true
	wait
	rm -rf "$work"
}

faults() {
	local route
	for route in quotes payments; do
		curl -fsS -o /dev/null -X POST "$gateway/faults/$route?$1"
	done
}

# Print the rows of one query: panel,unit,series,seconds,value
rows() {
	local panel="$1" unit="$2" legend="$3" query="$4"
	query="${query//'$__rate_interval'/20s}"
	query="${query//'$job'/.*}"
	query="${query//'$policy'/.*}"
	curl -fsS -G "$prometheus/api/v1/query_range" --data-urlencode "query=$query" -d "start=$began" \
		-d "end=$((began + healthy + outage + recovery))" -d step=10 |
		jq -r --arg panel "$panel" --arg unit "$unit" --arg legend "$legend" --argjson began "$began" '.data.result[]
			| reduce (.metric | to_entries[]) as $tag (. + {name: $legend};
				.name |= (split("{{\($tag.key)}}") | join($tag.value)))
			| .name as $name | .values[] | "\($panel),\($unit),\($name),\(.[0] - $began),\(.[1])"'
}

if ! is_given drawing-only; then
	./mvnw -q -Pfast -pl sample-app -am -DskipTests package
	work="$(mktemp -d)"
	trap stop_sample EXIT
	run_sample
	sleep 30
	began="$(date +%s)"
	sleep "$healthy"
	faults 'answer=503&percent=100'
	sleep "$outage"
	faults clear
	curl -fsS -o /dev/null -X POST "$gateway/faults/quotes?answer=503&percent=5&seed=1"
	sleep "$recovery"
	mkdir -p "$(dirname "$figures")"
	echo "panel,unit,series,seconds,value" >"$figures"
	jq -r --argjson panels "$panels" '$panels[] as $title | .panels[] | select(.title == $title)
		| .fieldConfig.defaults.unit as $unit | .targets[]
		| [$title, $unit, .legendFormat, .expr] | @tsv' ops/grafana/backoff.json |
		while IFS=$'\t' read -r title unit legend query; do
			rows "$title" "$unit" "$legend" "$query" >>"$figures"
		done
	stop_sample
	trap - EXIT
fi
./mvnw -q -Pfast -pl retry-benchmarks -am compile spring-boot:run -Dbenchmarks.run.skip=false \
	-Dspring-boot.run.optimizedLaunch=false -Dbenchmarks.main=dev.backoff.benchmarks.report.DashboardPicture \
	-Dbenchmarks.args="../../$figures ../../$picture $healthy $((healthy + outage))"
