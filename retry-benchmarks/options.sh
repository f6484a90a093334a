# Read the options of the scripts beside this one, which source it:
#
#   source "$(dirname "${BASH_SOURCE[0]}")/options.sh"
#   read_options "--forks=count --only=some:web,beans --publish" "$@"
#
# read_options <options> "$@"   put what was given into "arguments", each as --name=value or --name. Both --name=value
#                               and --name value are read; -h and --help print the first comment of the script. What is
#                               unknown, lacks a value or has a wrong one is refused. Call it before any cd. Kinds of
#                               values:
#                                 count, count:2   a whole number from 1, or from 2, with up to nine digits
#                                 counts           some of them, separated by commas
#                                 some:web,beans   some of these words, separated by commas
#                                 text             anything
#                               If "..." is among the options, then what begins at the first argument without two dashes
#                               goes into "rest".
# value_of <name> <otherwise>   print the value of --<name>, the last that was given
# is_given <name>               whether --<name> was given: for options without a value
# run_and_publish <page> <command>   run a command; if --publish was given, which then stands alone, write the tables that it
#                               prints into docs/measurements/<page>.md, from the line "<!-- figures: <page> <JDK> -->"
#                               to the next "<!-- end -->". Call it in the directory of the project.
# refuse <text>                 print a line to standard error, with the name of the script before it, and exit with 2

arguments=()
rest=()

read_options() {
	local options=" $1 " name value
	shift
	while [[ $# -gt 0 ]]; do
		name="${1%%=*}"
		if [[ "$1" == -h || "$1" == --help ]]; then
			sed -n '1d; /^#/!q; s/^# \{0,1\}//p' "$0"
			exit
		elif [[ "$1" != --?* ]]; then
			[[ "$options" == *" ... "* ]] || refuse "unknown argument $1, try --help"
			rest=("$@")
			return
		elif [[ "$options" == *" $name "* ]]; then
			[[ "$1" == "$name" ]] || refuse "$name takes no value"
			arguments+=("$name")
		elif [[ "$options" == *" $name="* ]]; then
			if [[ "$1" == "$name" ]]; then
				shift
				[[ "${1-}" != --* ]] || set --
				value="${1-}"
			else
				value="${1#*=}"
			fi
			[[ -n "$value" ]] || refuse "$name needs a value"
			check_value "$name" "$value" "${options#*" $name="}"
			arguments+=("$name=$value")
		else
			refuse "unknown option $name, try --help"
		fi
		shift
	done
}

check_value() {
	local kind="${3%% *}" least=1 words number='[1-9][0-9]{0,8}' pattern rule
	case "$kind" in
		count | count:*)
			[[ "$kind" == count ]] || least="${kind#*:}"
			pattern="$number"
			rule="a whole number from $least to 999999999"
			;;
		counts)
			pattern="$number(,$number)*"
			rule="whole numbers from 1 to 999999999, separated by commas"
			;;
		some:*)
			words="(${kind#*:})"
			words="${words//,/|}"
			pattern="$words(,$words)*"
			rule="some of ${kind#*:}"
			;;
		*) return ;;
	esac
	[[ "$2" =~ ^($pattern)$ && ("$kind" != count:* || "$2" -ge "$least") ]] || refuse "invalid $1 ($2): must be $rule"
}

value_of() {
	local argument value="$2"
	for argument in "${arguments[@]}"; do
		[[ "$argument" != "--$1="* ]] || value="${argument#*=}"
	done
	printf '%s\n' "$value"
}

is_given() {
	[[ " ${arguments[*]} " == *" --$1 "* ]]
}

run_and_publish() {
	local page="docs/measurements/$1.md" tables jdk
	is_given publish || exec "${@:2}"
	[[ ${#arguments[@]} == 1 ]] || refuse "--publish needs all, measured in full"
	tables="$(mktemp)"
	"${@:2}" | tee "$tables"
	# rows that were printed as they came
	sed -i '0,/^JDK /{/^JDK /!d}' "$tables"
	jdk="$(sed -n 's/^JDK \([0-9]*\).*/\1/p;q' "$tables")"
	awk -v begin="<!-- figures: $1 $jdk -->" -v tables="$tables" '
		inside && $0 == "<!-- end -->" { inside = 0; print "" }
		!inside
		$0 == begin { found = inside = 1; print ""; while ((getline line < tables) > 0) print line }
		END { exit !found }' "$page" >"$tables.page" || refuse "$page has no place for the figures of JDK $jdk"
	cp "$tables.page" "$page"
	rm "$tables" "$tables.page"
}

refuse() {
	printf '%s: %s\n' "$(basename "$0")" "$1" >&2
	exit 2
}
