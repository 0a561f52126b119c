#!/usr/bin/env python3
"""Writes the vectors beside this file, from the rules of the book and nothing else.

It runs no code of Sovereign: parse, schema and stages are judged here a second time, by rules of a few
lines each, so that a vector that disagrees with the executor shows a mistake in one of the two. The
vectors are what counts; a test reads them, not this script. Run it from anywhere: `python3 generate.py`.
"""
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
MAX_BYTES, MAX_DEPTH = 65536, 64

# The fixture. `does` is what the body comes to when it runs: outcome, code, effect noted.
RO, MUT, LOCAL, EXT = "read_only", "mutating", "local", "external"
TEXT = lambda low, high: {"type": "text", "min": low, "max": high, "required": True}
CAPS = {
    ("lab.read", 1): dict(side_effect=RO, network=LOCAL, category="system", per_turn=3, fields={}, does=("executed", None, "read")),
    ("lab.change", 1): dict(side_effect=MUT, network=LOCAL, category="notes", per_turn=1, fields={"text": TEXT(1, 40000)}, does=("executed", None, "change {text}")),
    ("lab.send", 1): dict(side_effect=RO, network=EXT, category="search", per_turn=4, fields={"query": TEXT(1, 200), "times": {"type": "integer", "min": 0, "max": 255, "required": False}}, does=("executed", None, "send {query} {times}")),
    ("lab.panics", 1): dict(side_effect=RO, network=LOCAL, category="system", per_turn=1, fields={}, does=("failed", "panicked", None)),
    ("lab.panics_changing", 1): dict(side_effect=MUT, network=LOCAL, category="notes", per_turn=1, fields={}, does=("unknown_effect", "panicked", "half a change")),
    ("lab.big", 1): dict(side_effect=RO, network=LOCAL, category="system", per_turn=1, fields={}, does=("failed", "result_too_large", None)),
    ("lab.odd", 1): dict(side_effect=RO, network=LOCAL, category="system", per_turn=1, fields={}, does=("failed", "result_invalid", None)),
    ("lab.odd_change", 1): dict(side_effect=MUT, network=LOCAL, category="notes", per_turn=1, fields={}, does=("executed", "result_invalid", "odd change")),
    ("lab.fails", 1): dict(side_effect=RO, network=LOCAL, category="system", per_turn=1, fields={}, does=("failed", "sensor_gone", None)),
    ("lab.fails_changing", 1): dict(side_effect=MUT, network=LOCAL, category="notes", per_turn=1, fields={}, does=("unknown_effect", "link_lost", None)),
    ("lab.fails_before", 1): dict(side_effect=MUT, network=LOCAL, category="notes", per_turn=1, fields={}, does=("failed", "busy", None)),
    ("lab.forbidden", 1): dict(side_effect=RO, network=EXT, category="search", per_turn=1, fields={"panics": {"type": "boolean", "required": True}}, does=None),
    ("lab.hostile", 1): dict(side_effect=RO, network=LOCAL, category="system", per_turn=1, fields={}, does=("executed", None, None)),
    ("lab.echo", 1): dict(side_effect=RO, network=LOCAL, category="system", per_turn=1, fields={}, does=("executed", None, None)),
    ("lab.echo", 2): dict(side_effect=RO, network=LOCAL, category="system", per_turn=1, fields={}, does=("executed", None, None)),
}
ALL_GRANTS = ["notes", "search", "system"]
ASKS_PER_TURN = 8
NAMES = sorted({name for name, _ in CAPS})
VALID = {"lab.change": '{"text":"a"}', "lab.send": '{"query":"a"}', "lab.forbidden": '{"panics":false}'}


def required(cap):
    return not (cap["side_effect"] == RO and cap["network"] == LOCAL)


class Duplicate(Exception):
    pass


def pairs(items):
    keys = [key for key, _ in items]
    if len(set(keys)) != len(keys):
        raise Duplicate
    return dict(items)


def parse(raw):
    """The arguments as a value, or the code of a parse failure. Numbers stay text."""
    if len(raw) > MAX_BYTES:
        return None, "arguments_too_large"
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None, "not_utf8"
    depth = deepest = 0
    in_string = escaped = False
    for c in text:
        if in_string:
            escaped, in_string = (c == "\\" and not escaped), not (c == '"' and not escaped)
        elif c == '"':
            in_string = True
        elif c in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif c in "]}":
            depth -= 1
    if deepest > MAX_DEPTH:
        return None, "arguments_too_deep"

    def no(_):
        raise ValueError

    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=no, parse_float=lambda t: ("number", t), parse_int=lambda t: ("number", t))
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # a lone surrogate is no text
    except Duplicate:
        return None, "duplicate_key"
    except (ValueError, UnicodeEncodeError):
        return None, "not_one_json_object"
    if not isinstance(value, dict):
        return None, "not_one_json_object"
    return value, None


def exact_integer(number):
    from fractions import Fraction

    mantissa, _, exponent = number.lower().partition("e")
    value = Fraction(mantissa) * Fraction(10) ** int(exponent or 0)
    return int(value) if value.denominator == 1 else None


def decode(cap, given):
    """The typed arguments, or None."""
    out = {}
    if set(given) - set(cap["fields"]):
        return None
    for name, field in cap["fields"].items():
        value = given.get(name)
        if value is None:
            if field["required"]:
                return None
            out[name] = None
            continue
        if field["type"] == "text":
            if not isinstance(value, str) or not field["min"] <= len(value) <= field["max"]:
                return None
        elif field["type"] == "boolean":
            if not isinstance(value, bool):
                return None
        else:
            if not isinstance(value, tuple):
                return None
            value = exact_integer(value[1])
            if value is None or not field["min"] <= value <= field["max"]:
                return None
        out[name] = value
    return out


def effect(cap, arguments):
    note = cap["does"][2]
    if note is None:
        return []
    times = "None" if arguments.get("times") is None else f"Some({arguments['times']})"
    return [note.replace("{text}", str(arguments.get("text"))).replace("{query}", str(arguments.get("query"))).replace("{times}", times)]


def end(outcome, code, point, *marks):
    return dict(outcome=outcome, code=code, point=point, marks=[*marks, "end"])


def judge(case):
    """What each step of the case comes to, and what ran."""
    used, denied, asked, expected, ran = {}, set(), 0, [], []
    for step in case["steps"]:
        expected.append(one(case, step, used, denied, ran, lambda: asked))
        asked += expected[-1]["marks"][0] == "awaiting_confirmation"
    return expected, ran


def one(case, step, used, denied, ran, asked):
    given, code = parse(raw_bytes(step))
    if code:
        return end("parse_failed", code, "parse")
    cap = CAPS.get((step["capability"], step["version"]))
    if cap is None:
        return end("refused", "unknown_capability", "resolve")
    arguments = decode(cap, given)
    if arguments is None:
        return end("refused", "invalid_arguments", "validate")

    def policy(grants):
        if cap["category"] not in grants:
            return "not_granted"
        if required(cap) and step["capability"] not in case["enabled"]:
            return "not_enabled"
        if step["capability"] == "lab.forbidden":
            return "panicked" if arguments["panics"] else "target_not_listed"
        return None

    code = policy(case["grants"])
    if code:
        return end("refused", code, "policy")
    key = (step["capability"], step["version"])
    marks = []
    if required(cap):
        if case["scope"] == "mesh":
            return end("refused", "caller_cannot_confirm", "confirm")
        if len(arguments.get("text") or "") > 32768:
            return end("refused", "cannot_be_shown", "confirm")
        question = (key, json.dumps(arguments, sort_keys=True))
        if question in denied:
            return end("refused", "already_denied", "confirm")
        if asked() >= ASKS_PER_TURN:
            return end("refused", "too_many_decisions", "confirm")
    if used.get(key, 0) >= cap["per_turn"]:
        return end("budget_exhausted", "capability_budget", "confirm")
    used[key] = used.get(key, 0) + 1
    if required(cap):
        marks.append("awaiting_confirmation")
        decision = step["decision"]
        if decision == "deny":
            denied.add(question)
        ends = {
            "deny": ("denied", None, "confirm"),
            "expire": ("expired", None, "confirm"),
            "withdraw": ("void", "withdrawn", "confirm"),
            "leave": ("void", "turn_gone", "confirm"),
            "approve_from_another_session": ("void", "wrong_context", "confirm"),
            "revoke_then_approve": ("refused", "not_granted", "policy"),
        }
        if decision in ends:
            return end(*ends[decision], *marks)
        assert decision in ("approve", "approve_with_token", "approve_after_forged_token")
        marks.append("begin")
    ran += effect(cap, arguments)
    outcome, code, _ = cap["does"]
    return end(outcome, code, "execute", *marks)


def raw_bytes(step):
    if "arguments" in step:
        return step["arguments"].encode("utf-8")
    if "arguments_base16" in step:
        return bytes.fromhex(step["arguments_base16"])
    prefix, unit, times, suffix = step["arguments_repeated"]
    return (prefix + unit * times + suffix).encode("utf-8")


def step(capability, arguments=None, version=1, decision="approve", **other):
    arguments = VALID.get(capability, "{}") if arguments is None else arguments
    out = dict(capability=capability, version=version, **other)
    if not other:
        out["arguments"] = arguments
    out["decision"] = decision
    return out


def case(name, *steps, scope="operator", grants=ALL_GRANTS, enabled=NAMES):
    return dict(name=name, scope=scope, grants=list(grants), enabled=list(enabled), steps=[dict(s) for s in steps])


def malformed():
    texts = [
        "", " ", "\n", "0", "1.5", "-1", "true", "false", "null", "[]", "[{}]", '""', '"{}"', '"{\\"text\\":\\"a\\"}"',
        "{", "}", "{}{}", "{} {}", "{},", ",{}", "{}]", "[{}", '{"text"}', '{"text":}', '{"text":"a"', '{"text":"a}', "{'text':'a'}",
        '{text:"a"}', '{"text":"a",}', '{,"text":"a"}', '{"text":"a" "b":1}', '{"text":01}', '{"text":+1}', '{"text":.5}', '{"text":1.}',
        '{"text":1e}', '{"text":0x1}', '{"text":NaN}', '{"text":Infinity}', '{"text":-Infinity}', '{"text":undefined}', '{"text":True}',
        '{"text":"\t"}', '{"text":"\n"}', '{"text":"\\x41"}', '{"text":"\\u12"}', '{"text":"\\ud800"}', '{"text":"\\udc00\\ud800"}',
        "\ufeff{}", "\u00a0{}", "\u2028{}", "{}\u0000", "\u0000", "// c\n{}", "/* c */{}", "{}#", "<tool_call>{}</tool_call>",
        "```json\n{}\n```", "lab.read({})", 'Sure! {"text":"a"}', '{"text":"a"}.', '{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '{"b":{"a":1,"a":1}}',
        '{"text":"a","text":"a"}', '{"l":[{"x":1,"x":2}]}', '{"":1,"":2}', '{"\\/":1,"/":2}',
    ]
    for text in texts:
        yield text, dict(arguments=text)
    for raw in ["ff", "7b7dff", "7b2274657874223a22c3227d", "c0af", "eda080", "f8808080"]:
        yield "bytes " + raw, dict(arguments_base16=raw)
    yield "too large", dict(arguments_repeated=['{"text":"', "a", 65536, '"}'])
    yield "too large space", dict(arguments_repeated=["{}", " ", 65535, ""])
    yield "65 deep lists", dict(arguments_repeated=['{"a":', "[", 64, "]" * 64 + "}"])
    yield "65 deep objects", dict(arguments_repeated=["", '{"a":', 64, "{}" + "}" * 64])


def all_cases():
    files = {}
    out = files["parse"] = []
    for capability in ["lab.read", "lab.change", "no.such"]:
        for label, given in malformed():
            one_step = dict(capability=capability, version=1, **given, decision="approve")
            out.append(case(f"{capability}: {label!r}", one_step))
    for label, given in [("64 deep", ['{"a":', "[", 63, "]" * 63 + "}"]), ("exactly the limit", ["{}", " ", 65534, ""])]:
        one_step = dict(capability="lab.read", version=1, arguments_repeated=given, decision="approve")
        out.append(case(label, one_step))

    out = files["resolve"] = []
    near = ["lab.reed", "lab.rea", "lab.read ", " lab.read", "LAB.READ", "Lab.read", "lab..read", ".lab.read", "lab.read.", "lab__read__v1", "lab_read",
            "lab/read", "lab.read@1", "read", "", ".", "lab.re\u0430d", "lab.read\u200b", "lab.read\u0000", "lab\u3002read", "lab.change\n", "confirm", "lab.approve",
            "system.grant", "functions.lab.read", "*", "lab.*", "../lab.read", "lab.read;lab.change", "\U000e0041lab.read", "a" * 2000]
    for name in near:
        for arguments in ["{}", '{"text":"a"}']:
            out.append(case(f"name {name[:40]!r} {arguments}", step(name, arguments)))
    for capability in ["lab.read", "lab.change", "lab.echo"]:
        for version in [0, 1, 2, 3, 4294967295]:
            out.append(case(f"{capability} version {version}", step(capability, version=version)))
    out.append(case("an unknown name without a grant is unknown", step("no.such"), grants=[]))
    out.append(case("an unknown name from a mesh peer is unknown", step("no.such"), scope="mesh"))

    out = files["validate"] = []
    nested = '{"a":{"b":[1,2,{"c":null}]}}'
    for capability in ["lab.read", "lab.echo", "lab.odd_change", "lab.fails"]:
        for arguments in ["{}", " { } ", "\r\n\t{}", '{"x":1}', '{"":null}', '{"confirmed":true}', '{"approved":true,"token":"0"}', nested]:
            out.append(case(f"{capability} {arguments!r}", step(capability, arguments)))
    for arguments in ['{"text":"a"}', '{"text":""}', '{"text":" "}', '{"text":"\\u0000"}', '{"text":"\\u202e"}', '{"text":"\\ud83d\\ude00"}', '{"text":"é"}', '{"text":7}',
                      '{"text":null}', '{"text":true}', '{"text":["a"]}', '{"text":{"a":1}}', "{}", '{"Text":"a"}', '{"text ":"a"}', '{"t\\u0065xt":"a"}', '{"text":"a","confirmed":true}',
                      '{"text":"a","text2":"b"}', '{"text":"a","":1}', '{"arguments":{"text":"a"}}', '{"name":"lab.change","parameters":{"text":"a"}}', '{"text":"a","side_effect":"read_only"}']:
        out.append(case(f"lab.change {arguments}", step("lab.change", arguments)))
    for unit, times in [("a", 39999), ("a", 40001), ("é", 500), ("a", 5000)]:
        given = dict(arguments_repeated=['{"text":"', unit, times, '"}'])
        out.append(case(f"lab.change {times} times {unit}", dict(capability="lab.change", version=1, **given, decision="approve")))
    for times in ["0", "255", "256", "-1", "-0", "2.0", "2.5", "2e0", "20e-1", "2e2", "3e2", "1e-1", "0e999", '"2"', "true", "null", "[2]", "{}", "2.00000000000000000001", "255.0", "255.5", "99999999999999999999"]:
        out.append(case(f"lab.send times {times}", step("lab.send", '{"query":"q","times":%s}' % times)))
    for unit, times in [("a", 200), ("a", 201), ("日", 200), ("日", 201), ("\U0001f600", 200), ("\U0001f600", 201), ("e\u0301", 100), ("e\u0301", 101)]:
        given = dict(arguments_repeated=['{"query":"', unit, times, '"}'])
        out.append(case(f"lab.send {times} times {unit}", dict(capability="lab.send", version=1, **given, decision="approve")))
    for panics in ["true", "false", "0", "1", '"false"', "null", "[]"]:
        out.append(case(f"lab.forbidden {panics}", step("lab.forbidden", '{"panics":%s}' % panics)))
    out.append(case("invalid arguments without a grant are invalid", step("lab.change", "{}"), grants=[]))
    out.append(case("invalid arguments of what is off are invalid", step("lab.change", "{}"), enabled=[]))
    out.append(case("invalid arguments of a mesh peer are invalid", step("lab.change", "{}"), scope="mesh"))

    out = files["policy"] = []
    for (name, version), cap in CAPS.items():
        others = [c for c in ALL_GRANTS if c != cap["category"]]
        for scope in ["operator", "mesh"]:
            for label, grants, enabled in [
                ("nothing granted", [], NAMES),
                ("the others granted", others, NAMES),
                ("its category alone", [cap["category"]], NAMES),
                ("nothing enabled", ALL_GRANTS, []),
                ("the others enabled", ALL_GRANTS, [n for n in NAMES if n != name]),
                ("nothing at all", [], []),
            ]:
                out.append(case(f"{name}@{version} {scope}: {label}", step(name, version=version), scope=scope, grants=grants, enabled=enabled))

    out = files["confirm"] = []
    for (name, version), cap in CAPS.items():
        if not required(cap) or name == "lab.forbidden":
            continue
        for decision in ["approve", "approve_with_token", "approve_after_forged_token", "deny", "expire", "withdraw", "leave", "approve_from_another_session", "revoke_then_approve"]:
            out.append(case(f"{name} {decision}", step(name, version=version, decision=decision)))
    for (name, version), cap in CAPS.items():
        if not required(cap):
            out.append(case(f"{name}@{version} asks nobody", step(name, version=version, decision="deny")))

    out = files["turn"] = []
    for n in range(1, 7):
        out.append(case(f"{n} reads in a turn", *[step("lab.read")] * n))
        out.append(case(f"{n} sends in a turn", *[step("lab.send", '{"query":"q%d"}' % i) for i in range(n)]))
        out.append(case(f"{n} invalid reads use nothing up", *[step("lab.read", '{"x":1}')] * n, step("lab.read")))
        out.append(case(f"{n} malformed reads use nothing up", *[step("lab.read", "{")] * n, step("lab.read")))
    for decision in ["approve", "deny", "expire", "withdraw", "leave", "approve_from_another_session", "revoke_then_approve"]:
        if decision != "revoke_then_approve":
            out.append(case(f"after {decision} the cap of one is used", step("lab.change", decision=decision), step("lab.change", '{"text":"b"}')))
            out.append(case(f"after {decision} the same is judged again", step("lab.send", decision=decision), step("lab.send")))
    for again in ['{ "query" : "a" }', '{"query":"\\u0061"}', '{"query":"a","times":null}', '{"query":"a","times":0}', '{"query":"A"}', '{"query":"a "}']:
        out.append(case(f"denied, then {again}", step("lab.send", decision="deny"), step("lab.send", again)))
    out.append(case("denied with a number, then the same number", step("lab.send", '{"query":"a","times":2}', decision="deny"), step("lab.send", '{"times":2.0,"query":"a"}')))
    out.append(case("denied in one capability, asked in another", step("lab.odd_change", decision="deny"), step("lab.fails_before")))
    out.append(case("versions have caps of their own", step("lab.echo"), step("lab.echo", version=2), step("lab.echo"), step("lab.echo", version=2)))
    asks = [step("lab.send", '{"query":"q%d"}' % i) for i in range(4)]
    asks += [step(n) for n in ["lab.change", "lab.odd_change", "lab.fails_before", "lab.fails_changing", "lab.panics_changing"]]
    out.append(case("the ninth decision of a turn is not asked", *asks))
    out.append(case("what asks nobody goes on after eight decisions", *asks, step("lab.read")))
    return files


def main():
    capabilities = [
        dict(name=n, version=v, side_effect=c["side_effect"], network=c["network"], category=c["category"], max_per_turn=c["per_turn"],
             arguments={k: {x: y for x, y in f.items()} for k, f in c["fields"].items()},
             does=None if c["does"] is None else dict(outcome=c["does"][0], code=c["does"][1], notes=c["does"][2]))
        for (n, v), c in CAPS.items()
    ]
    total = 0
    for name, cases in all_cases().items():
        for one_case in cases:
            expected, one_case["ran"] = judge(one_case)
            for one_step, expect in zip(one_case["steps"], expected):
                one_step["expect"] = expect
            if one_case["grants"] == ALL_GRANTS:
                del one_case["grants"]
            if one_case["enabled"] == NAMES:
                del one_case["enabled"]
        lines = ",\n".join("  " + json.dumps(c) for c in cases)
        with open(os.path.join(HERE, name + ".json"), "w", encoding="utf-8") as f:
            f.write("[\n" + lines + "\n]\n")
        total += len(cases)
        print(name, len(cases))
    with open(os.path.join(HERE, "fixture.json"), "w", encoding="utf-8") as f:
        f.write(json.dumps(dict(capabilities=capabilities), indent=1) + "\n")
    print("total", total)


main()
