#!/usr/bin/env bash
# test_serve.sh -- weft serve: the protocol, in JSON and binary; batches; reload without losing a request; limits; slow, broken and
# hostile clients; tokens; TLS; the page; the end. With the real client library where a Python has it (SERVE_PYTHON, or python3).
set -u
trap "" PIPE # a client that the server has left writes into nothing
cd "$(dirname "$0")/.." || exit 1
weft=$(realpath "${WEFT_BIN:-build/weft}")
root=$PWD
if "$weft" serve /nowhere 2>&1 | grep -q 'cannot serve' || ! command -v curl >/dev/null; then
    echo "tests/test_serve.sh: skipped: this build cannot serve, or there is no curl"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
work=$(mktemp -d) || exit 1
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0
ok() { passed=$((passed + 1)); }
wrong() { failed=$((failed + 1)); echo "$1"; }
# is NAME GOT WANTED, has NAME TEXT PART
is() { if [ "$2" = "$3" ]; then ok; else wrong "$1: found '$2', needed '$3'"; fi; }
has() { case $2 in *"$3"*) ok ;; *) wrong "$1: no '$3' in '$2'" ;; esac; }

# start OPTION...: a server on a port that is free; port, base
start() {
    : >err # not what the last one said
    "$weft" serve models --port=0 "$@" 2>err &
    server=$!
    for _ in $(seq 100); do
        grep -q 'models on' err && break
        sleep 0.1
    done
    port=$(sed -n 's/.*models on http.*:\([0-9]*\)$/\1/p' err)
    base=http://127.0.0.1:$port
}
stop() {
    kill -TERM "$server"
    wait "$server"
    is "$1 ends well" $? 0
    server=
}
post() { curl -s -m 20 "$base/v2/models/$1/infer" -d "$2"; }
code() { curl -s -m 20 -o /dev/null -w '%{http_code}' "$@"; }

mkdir -p models/sum/1 models/sum/2
cat >models/double.wir <<'WIR'
main(x: f32[N,2], n: i64[N]) {
  y = add x x
  m = add n n
  ret y, m
}
WIR
printf 'f(x: f32[N]) {\n  y = reduce_sum x axes=[0]\n  ret y\n}\n' >models/sum/1/model.wir
printf 'f(x: f32[N]) {\n  s = reduce_sum x axes=[0]\n  y = neg s\n  ret y\n}\n' >models/sum/2/model.wir
cat >stateful.py <<'PY'
import torch
class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(()))
        self.register_buffer("step", torch.tensor(2.0))
    def forward(self, x):
        self.n += self.step
        return x + self.n
class Noise(torch.nn.Module):
    def forward(self, x):
        return torch.rand_like(x)
for name, m in (("counter", Counter()), ("noise", Noise())):
    m = torch.jit.script(m)
    m(torch.ones(3))
    m.save("models/" + name + ".weft")
PY
"$weft" run stateful.py || exit 1
two='{"id":"a\"b","inputs":[{"name":"x","shape":[2,2],"datatype":"FP32","data":[[1,2],[3,4.5]]},{"name":"n","shape":[2],"datatype":"INT64","data":[5,-9007199254740993]}]}'

# ---- the protocol
start --log=access.log
has 'server' "$(curl -s $base/v2)" '"extensions":["binary_tensor_data"'
is live "$(code $base/v2/health/live)" 200
has ready "$(curl -s $base/v2/health/ready)" '"ready":true'
has signature "$(curl -s $base/v2/models/double)" '"inputs":[{"name":"x","datatype":"FP32","shape":[-1,2]},{"name":"n","datatype":"INT64","shape":[-1]}]'
has versions "$(curl -s $base/v2/models/sum)" '"versions":["1","2"]'
has index "$(curl -s -X POST $base/v2/repository/index)" '{"name":"sum","version":"2","state":"READY"'
is infer "$(post double "$two")" '{"model_name":"double","model_version":"1","id":"a\"b","outputs":[{"name":"output0","datatype":"FP32","shape":[2,2],"data":[2,4,6,9]},{"name":"output1","datatype":"INT64","shape":[2],"data":[10,-18014398509481986]}]}'
has 'the highest version' "$(post sum '{"inputs":[{"name":"x","shape":[3],"datatype":"FP32","data":[1,2,3]}]}')" '"model_version":"2","outputs":[{"name":"output0","datatype":"FP32","shape":[],"data":[-6]}]'
has 'a version' "$(post sum/versions/1 '{"inputs":[{"name":"x","shape":[3],"datatype":"FP32","data":[1,2,3]}]}')" '"data":[6]'
has 'one output' "$(post double "${two%\}},\"outputs\":[{\"name\":\"output1\"}]}")" '"outputs":[{"name":"output1"'
# binary: 8 bytes behind the JSON, and binary results
json='{"inputs":[{"name":"x","shape":[2],"datatype":"FP32","parameters":{"binary_data_size":8}}],"parameters":{"binary_data_output":true}}'
{ printf '%s' "$json"; printf '\000\000\200\077\000\000\000\100'; } >request.bin
curl -s -D head -o reply.bin -H "Inference-Header-Content-Length: ${#json}" --data-binary @request.bin $base/v2/models/sum/versions/1/infer
n=$(sed -n 's/^[Ii]nference-[Hh]eader-[Cc]ontent-[Ll]ength: \([0-9]*\).*/\1/p' head)
is 'binary reply' "$(tail -c +$((n + 1)) reply.bin | od -An -tx1 | tr -d ' \n')" 00004040
# ---- methods that change tensors: each run goes on from the one before
one='{"inputs":[{"name":"x","shape":[1],"datatype":"FP32","data":[10]}]}'
first=$(curl -s $base/v2/models/counter | grep -o '"outputs":.*' | grep -o '"name"' | wc -l)
is 'a new value is no output' "$first" 1
n=$(post counter "$one" | grep -o '"data":\[[0-9.]*\]' | tr -dc 0-9.) # the first is what the example left, and one more
for i in 1 2 3; do has "a counter counts, $i" "$(post counter "$one")" "\"data\":[$((n + 2 * i))]"; done
a=$(post noise "$one" | grep -o '"outputs":.*') b=$(post noise "$one" | grep -o '"outputs":.*')
if [ -n "$a" ] && [ "$a" != "$b" ]; then ok; else wrong "each request draws numbers of its own: '$a', '$b'"; fi

has 'stats' "$(curl -s $base/v2/models/double/stats)" '"inference_count":4'
has 'metrics' "$(curl -s $base/metrics)" 'weft_inference_request_success{model="double",version="1"} 2'
has 'histogram' "$(curl -s $base/metrics)" 'weft_request_seconds_bucket{model="double",version="1",le="+Inf"} 2'
has 'page' "$(curl -s $base/)" '<h1>Models</h1>'

# ---- what is wrong
is 'no model' "$(code -d '{}' $base/v2/models/none/infer)" 404
has 'no JSON' "$(post double '{"inputs":[{')" 'no JSON'
has 'no input' "$(post double '{"inputs":[]}')" "needs the input 'x'"
has 'another type' "$(post sum '{"inputs":[{"name":"x","shape":[1],"datatype":"INT32","data":[1]}]}')" 'is INT32, the model takes FP32'
has 'too few' "$(post sum '{"inputs":[{"name":"x","shape":[3],"datatype":"FP32","data":[1,2]}]}')" 'needed 3 numbers'
has 'too many' "$(post sum '{"inputs":[{"name":"x","shape":[1],"datatype":"FP32","data":[1,2]}]}')" 'needed 1 numbers'
has 'a huge shape' "$(post sum '{"inputs":[{"name":"x","shape":[99999999999999],"datatype":"FP32","data":[1]}]}')" 'not as much as its shape says'
has 'a shape that overflows' "$(post double '{"inputs":[{"name":"x","shape":[9223372036854775807,2],"datatype":"FP32","data":[1]}]}')" 'is not what the model takes'
has 'a number that does not fit' "$(post double '{"inputs":[{"name":"n","shape":[1],"datatype":"INT64","data":[1.5]}]}')" 'needed 1 numbers of type INT64'
has 'sizes that differ' "$(post double '{"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[1,2]},{"name":"n","shape":[2],"datatype":"INT64","data":[1,2]}]}')" 'error'
is 'deep lists' "$(code -d "{\"inputs\":$(printf '[%.0s' $(seq 5000))}" $base/v2/models/sum/infer)" 400
is 'a header past the end' "$(code -H 'Inference-Header-Content-Length: 9999' -d '{}' $base/v2/models/sum/infer)" 400
is 'another method' "$(code -X DELETE $base/v2/models/sum)" 405
is 'infer by GET' "$(code $base/v2/models/sum/infer)" 405
# broken, slow and rude ones: the server goes on
for rude in 'GARBAGE\r\n\r\n' 'POST /v2/models/sum/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{' 'GET /v2 HTTP/1.1\r\nHost' "GET /$(printf 'a%.0s' $(seq 40000)) HTTP/1.1\r\n\r\n"; do
    { exec 9<>"/dev/tcp/127.0.0.1/$port" && printf "$rude" >&9; exec 9>&-; } 2>/dev/null
done
for i in $(seq 40); do exec {slow}<>"/dev/tcp/127.0.0.1/$port" && printf 'POST /v2/models/sum/infer HTTP/1.1\r\n' >&$slow; done 2>/dev/null
is 'alive after that' "$(code $base/v2/health/live)" 200

# ---- reload
lost=$(for i in $(seq 200); do post sum '{"inputs":[{"name":"x","shape":[1],"datatype":"FP32","data":[1]}]}' | grep -q '"data":\[-\{0,1\}[17]\]' || echo lost; done &
    printf 'f(x: f32[N]) {\n  s = reduce_sum x axes=[0]\n  k = const f32[] 7\n  y = mul s k\n  ret y\n}\n' >new && mv new models/sum/2/model.wir; wait)
is 'a reload loses nothing' "$lost" ''
sleep 1
has 'the new one serves' "$(post sum '{"inputs":[{"name":"x","shape":[1],"datatype":"FP32","data":[1]}]}')" '"data":[7]'
echo 'rubbish {' >models/sum/2/model.wir
sleep 1
has 'the old one serves on' "$(post sum '{"inputs":[{"name":"x","shape":[1],"datatype":"FP32","data":[1]}]}')" '"data":[7]'
has 'and it is said' "$(cat err)" 'models/sum/2/model.wir'
rm -r models/sum/2
sleep 1
has 'an older version serves' "$(post sum '{"inputs":[{"name":"x","shape":[1],"datatype":"FP32","data":[1]}]}')" '"model_version":"1"'
cp models/sum/1/model.wir models/late.wir
sleep 1
is 'a new model' "$(code $base/v2/models/late)" 200
stop 'the server'
has 'the log' "$(cat access.log)" '"POST /v2/models/double/infer" 200'

# ---- batches: many at once are few runs, each with its own rows
start --batch=64 --delay=20000
for i in $(seq 40); do
    post double "{\"inputs\":[{\"name\":\"x\",\"shape\":[1,2],\"datatype\":\"FP32\",\"data\":[$i,0]},{\"name\":\"n\",\"shape\":[1],\"datatype\":\"INT64\",\"data\":[$i]}]}" >reply$i &
done
wait $(jobs -p | grep -v "^$server$")
bad=0
for i in $(seq 40); do grep -q "\"data\":\[$((2 * i)),0\].*\"data\":\[$((2 * i))\]" reply$i || bad=$((bad + 1)); done
is 'everyone has their own rows' $bad 0
runs=$(curl -s $base/metrics | sed -n 's/^weft_inference_exec_count{model="double",version="1"} //p')
if [ "$runs" -lt 40 ]; then ok; else wrong "40 requests were $runs runs"; fi
has 'a wrong one fails alone' "$(post double '{"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[1,2]},{"name":"n","shape":[2],"datatype":"INT64","data":[1,2]}]}')" error
# the end answers what waits
post double "$two" >last &
asked=$!
sleep 0.3
stop 'with batches'
wait $asked
has 'what waited was answered' "$(cat last)" '"data":[2,4,6,9]'

# ---- lanes: several run side by side, and nobody waits for the company of another model
start --batch=64 --delay=3000000 --lanes=1,1
post double "$two" >held &
asked=$!
sleep 0.2
has 'another model does not wait' "$(timeout 2 curl -s -d '{"inputs":[{"name":"x","shape":[1],"datatype":"FP32","data":[1]}]}' $base/v2/models/sum/infer)" '"data":[1]'
if kill -0 $asked 2>/dev/null; then ok; else wrong 'the first one did not wait for its delay'; fi
stop 'with lanes'
wait $asked
has 'what waited in a lane was answered' "$(cat held)" '"data":[2,4,6,9]'
start --lanes=1,2
has 'lanes without batches' "$(post double "$two")" '"data":[2,4,6,9]'
stop 'lanes without batches'
has 'a lane that is no lane' "$("$weft" serve models --lanes=1,,2 2>&1)" 'numbers of threads or names of devices'
has 'a device that is not there' "$("$weft" serve models --lanes=cuda:7 2>&1)" "there is no device 'cuda:7'"
fake=$(dirname "$weft")/tests/gpu
if [ ! -e "$fake/libcuda.so.1" ]; then
    echo "tests/test_serve.sh: no driver that stands in for NVIDIA's (make tests): no GPU is asked"
elif ! LD_LIBRARY_PATH=$fake "$weft" devices 2>/dev/null | grep -q cuda:0; then
    wrong "the driver in $fake shows no GPU: is it of other sources (make tests)?"
else
    export LD_LIBRARY_PATH=$fake
    start --lanes=cuda,1 --batch=4 --delay=1000
    for i in 1 2 3 4 5 6; do has "a GPU and the host, $i" "$(post double "$two")" '"data":[2,4,6,9]'; done
    stop 'a GPU as a lane'
    unset LD_LIBRARY_PATH
fi

# ---- limits, tokens, TLS
start --max-bytes=200
is 'too large' "$(code -d "{\"inputs\":[$(printf '1,%.0s' $(seq 200))1]}" $base/v2/models/sum/infer)" 413
is 'too large in chunks' "$(code -H 'Transfer-Encoding: chunked' -d "{\"inputs\":[$(printf '1,%.0s' $(seq 200))1]}" $base/v2/models/sum/infer)" 413
stop limits
start --max-memory=10
is 'too much at once' "$(code -d "$two" $base/v2/models/double/infer)" 503
stop memory
echo 'open sesame' >token
start --token=token
is 'no token' "$(code $base/v2/models/sum)" 401
is 'a wrong token' "$(code -H 'Authorization: Bearer open' $base/v2/models/sum)" 401
is 'the token' "$(code -H 'Authorization: Bearer open sesame' $base/v2/models/sum)" 200
is 'health needs none' "$(code $base/v2/health/live)" 200
stop tokens
if command -v openssl >/dev/null && openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost 2>/dev/null; then
    start --cert=cert.pem --key=key.pem
    is TLS "$(code -k https://127.0.0.1:$port/v2/health/live)" 200
    stop TLS
fi
has 'no folder' "$("$weft" serve /nowhere 2>&1)" 'is no folder'
has 'half of TLS' "$("$weft" serve models --cert=cert.pem 2>&1)" 'go together'

# ---- the real client, and the page in a browser
start
python=${SERVE_PYTHON:-python3}
if "$python" -c 'import tritonclient.http' 2>/dev/null; then
    if "$python" "$root/tests/serve_client.py" "127.0.0.1:$port" >client 2>&1; then ok; else wrong "the client: $(tail -3 client)"; fi
else
    echo "tests/test_serve.sh: no Python with tritonclient[http] (SERVE_PYTHON): not asked by the real client"
fi
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -n "$browser" ]; then
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/browser" --virtual-time-budget=4000 --enable-logging=stderr \
        --dump-dom "$base/" >dom 2>console
    if grep -q CONSOLE console; then wrong "the page: $(grep -m 2 CONSOLE console)"; else ok; fi
    has 'the page shows models' "$(cat dom)" 'FP32[·,2]'
fi
stop 'the last'
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
