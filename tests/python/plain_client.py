# The completions of the prompts on stdin by http.client, one after another and without streaming:
# prints how many tokens the answers list. For tst_throughput.
import http.client, json, sys
port, tokens = int(sys.argv[1]), int(sys.argv[2])
connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
generated = 0
for prompt in json.load(sys.stdin):
    connection.request("POST", "/v1/completions", json.dumps(
        {"prompt": prompt, "max_tokens": tokens, "temperature": 0, "logprobs": 0}))
    answer = json.load(connection.getresponse())
    entries = len(answer["choices"][0]["logprobs"]["tokens"])
    assert entries == answer["usage"]["completion_tokens"], answer
    generated += entries
print(generated)
