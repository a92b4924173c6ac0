# What a build server runs: deploy manifests, look whether they took, clean up. POSIX shell; $XSVC is the program.
# Usage: sh ci-script.sh <empty directory>
set -eu
cd "$1"

say() { echo "== $*"; }

fail() {
  echo "FAILED: $*" >&2
  exit 99
}

# Runs a command that must end with a certain code.
expect() {
  wanted=$1
  shift
  code=0
  "$@" >out.txt 2>err.txt || code=$?
  [ "$code" -eq "$wanted" ] || fail "$* ended with $code, not $wanted: $(cat out.txt err.txt)"
}

manifest() {
  cat <<END
apiVersion: demo.example.com/v1alpha1
kind: Person
metadata:
  name: $1
  labels: { app: shop }
spec:
  name: $2
END
}

xsvc() { $XSVC "$@"; }

mkdir site
manifest ann Ann >site/ann.yaml
manifest bob Bob >site/bob.yaml

say apply
expect 10 xsvc diff -f site
xsvc apply -f site --atomic --prune -l app=shop
expect 0 xsvc diff -f site
xsvc apply -f site

say create
name=$(manifest x Job | sed 's/name: x$/generateName: job-/' | xsvc create -f - -o name)
case $name in
persons/job-*) ;;
*) fail "create printed $name" ;;
esac
expect 4 xsvc create -f site

say label
xsvc label persons ann tier=front
[ "$(xsvc get persons -l app=shop,tier=front -o name)" = persons/ann ] || fail "the label is not there"
for person in $(xsvc get persons -l app=shop -o name); do
  xsvc annotate "$person" demo.example.com/build=7 --overwrite
done

say wait
(
  sleep 1
  xsvc patch persons ann --subresource status -p '{"status": {"phase": "Ready"}}'
) &
xsvc wait persons/ann --for=jsonpath='{.status.phase}'=Ready --timeout 30s
wait
expect 1 xsvc wait persons bob --for=jsonpath='{.status.phase}'=Ready --timeout 0

say failures
echo 'kind: nothing' >bad.yaml
expect 5 xsvc apply -f bad.yaml
expect 3 xsvc get persons nobody
expect 2 xsvc get
expect 6 env -u XSVC_DATA_DIR XSVC_SERVER=http://127.0.0.1:1 $XSVC get persons

say prune
rm site/bob.yaml
xsvc apply -f site --prune -l app=shop --atomic 2>err.txt
grep -q '^to be pruned: persons/bob$' err.txt || fail "no preview: $(cat err.txt)"

say delete
xsvc delete "$name" persons/ann
xsvc wait persons ann --for=delete
[ -z "$(xsvc get persons -l app=shop -o name)" ] || fail "something is left"
say done
