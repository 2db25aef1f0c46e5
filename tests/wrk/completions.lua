-- Users of a server of completions as wrk makes them, to hold `cospadi load` against (docs/serving.md):
--
--   wrk -t1 -c4 -d60s -s tests/wrk/completions.lua http://127.0.0.1:8080/v1/completions -- 64 16 TEXT
--
-- asks for 64 tokens behind prompts of about 16 (three words of the text are some four tokens), each
-- from another place of TEXT. One thread, as each has an interpreter, and counts, of its own.

local words = {}
local place = 0
local tokens, length

function init(args)
    tokens = tonumber(args[1])
    length = math.max(1, math.floor(tonumber(args[2]) * 3 / 4))
    for line in io.lines(args[3]) do
        for word in line:gmatch("[%w']+") do
            words[#words + 1] = word
        end
    end
end

function request()
    local prompt = {}
    for i = 1, length do
        prompt[i] = words[(place + i) % #words + 1]
    end
    place = place + 977
    local body = string.format('{"prompt": "%s", "max_tokens": %d, "temperature": 0}',
                               table.concat(prompt, " "), tokens)
    return wrk.format("POST", nil, {["Content-Type"] = "application/json"}, body)
end

local answered, generated, read = 0, 0, 0

function response(status, headers, body)
    answered = answered + 1
    generated = generated + tonumber(body:match('"completion_tokens":%s*(%d+)') or 0)
    read = read + tonumber(body:match('"prompt_tokens":%s*(%d+)') or 0)
    if answered % 8 == 0 then
        print(string.format("%d answers, %d tokens, %.1f of a prompt", answered, generated,
                            read / answered))
    end
end

function done(summary, latency, requests)
    print(string.format("%d requests in %.2f s; request 50 %% %.0f ms, 90 %% %.0f ms, 99 %% %.0f ms",
                        summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
                        latency:percentile(90) / 1e3, latency:percentile(99) / 1e3))
end
