#!/usr/bin/env python3
"""Verifies a folder that `tidings consent export` wrote: needs Python 3.8 or later, and nothing else.

    python3 verify.py [DIR] [--key FINGERPRINT] [--anchor FILE] [--json]

DIR is by default the folder of this file. FINGERPRINT says whose log it must be: ask its operator by another way than the one by which you
got the folder (`tidings doctor` prints it, /.well-known/tidings-log-key serves it). FILE is a copy of the file into which tree heads were
anchored. Exit 0: nothing is wrong, and the log is that of the key or of the anchor that was given. Exit 3: nothing is wrong, and neither was given
to trust: only consistency was checked. Exit 1: something is wrong, each named in a sentence. Exit 2: wrong usage.

Formats: RFC 8785 (canonical JSON), RFC 6962 and RFC 9162 (Merkle tree, proofs), RFC 8032 (Ed25519), SHA-256. docs/reference/proof-format.md
of Tidings has the grammar. verify.mjs does the same.
"""

import hashlib
import json
import os
import re
import sys

FORMAT = "tidings consent proof v1"
HEAD_KIND = "tidings tree head v1"
# How a line of an anchor begins.
LINE = '{"signature":"'
# So many problems are listed.
MOST = 100

HASH = re.compile(r"[0-9a-f]{64}\Z")
SIGNATURE = re.compile(r"[0-9a-f]{128}\Z")
TIME = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z\Z")
TEXT = re.compile(r"")
MAYBE = "text or null"
HEAD = {"signature": SIGNATURE, "statement": {"at": TIME, "kind": TEXT, "log": HASH, "root": HASH, "size": int}}
CONSENT = {"actor": TEXT, "at": TEXT, "channel": TEXT, "from": MAYBE, "ip": MAYBE, "requestId": TEXT, "revision": int,
           "source": TEXT, "to": TEXT, "userAgent": MAYBE}
EVENT = {"created": TIME, "data": TEXT, "id": TEXT, "meta": TEXT, "revision": int, "stream": TEXT, "type": TEXT}
SHAPE = {
    "contacts": [{"consents": [CONSENT], "contactId": TEXT, "erased": bool,
                  "events": [{"event": EVENT, "index": int, "path": [HASH]}], "revisions": int}],
    "earlierHeads": [{"head": HEAD, "path": [HASH]}],
    "exportedAt": TIME,
    "format": TEXT,
    "head": HEAD,
    "key": {"algorithm": TEXT, "fingerprint": HASH, "publicKey": HASH},
    "report": {"file": TEXT, "sha256": HASH},
    "signature": SIGNATURE,
    "workspace": {"id": TEXT, "slug": TEXT},
}


def canonical(value):
    """RFC 8785, of what a proof holds: its numbers are whole and its keys are ASCII."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def encoded(text):
    return text.encode("utf-8")


# Cc, Cf and line separators, by number: programs know different versions of Unicode.
UNSEEN = re.compile(
    "[\\0-\\x1f\\x7f-\\x9f\\xad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f\\u2028-\\u202e"
    "\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\U000110bd\\U000110cd\\U00013430-\\U0001343f\\U0001bca0-\\U0001bca3"
    "\\U0001d173-\\U0001d17a\\U000e0001\\U000e0020-\\U000e007f]")


def shown_safely(sentence):
    """A sentence with what moves or hides text in a terminal made readable: the names in it are those of the writer of the folder."""
    return UNSEEN.sub(lambda found: "\\u{%x}" % ord(found.group()), sentence)


def first_of(sentences):
    return sentences[:MOST] + (["There is more that is not listed."] if len(sentences) > MOST else [])


# What is nested deeper, or is a longer number, is no JSON here: parsers differ about it.
DEEPEST = 64
WHOLE = re.compile(r"(0|[1-9][0-9]{0,15})\Z")
STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
SURROGATE = re.compile("[\ud800-\udfff]")


def is_flat(text):
    """The text must be JSON: in another text, a string without an end is looked for again from each of its quotes."""
    depth = 0
    for sign in re.findall(r"[\[\]{}]", STRING.sub("", text)):
        depth += 1 if sign in "[{" else -1
        if depth > DEEPEST:
            return False
    return True


def refuse(_):
    raise ValueError


def whole(digits):
    if not WHOLE.match(digits) or int(digits) >= 2**53:
        raise ValueError
    return int(digits)


def has_lone_surrogate(value):
    if isinstance(value, str):
        return SURROGATE.search(value) is not None
    if isinstance(value, list):
        return any(map(has_lone_surrogate, value))
    return isinstance(value, dict) and any(has_lone_surrogate(name) or has_lone_surrogate(value[name]) for name in value)


NOTHING = object()


def parsed_text(text, whole_numbers):
    """The value of a JSON text that every parser reads alike; NOTHING for another."""
    try:
        if whole_numbers:
            value = json.loads(text, parse_int=whole, parse_float=refuse, parse_constant=refuse)
        else:
            value = json.loads(text, parse_int=lambda _: None, parse_float=lambda _: None, parse_constant=refuse)
    except (ValueError, RecursionError):
        return NOTHING
    return value if is_flat(text) and not has_lone_surrogate(value) else NOTHING


def parsed_bytes(data):
    try:
        return parsed_text(data.decode("utf-8"), True)
    except UnicodeDecodeError:
        return NOTHING


def sha256(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def node_hash(left, right):
    return sha256(b"\1", bytes.fromhex(left), bytes.fromhex(right))


def is_included(leaf, index, size, path, root):
    """RFC 9162, 2.1.3.2."""
    if index >= size:
        return False
    at, last, found = index, size - 1, leaf
    for beside in path:
        if last == 0:
            return False
        if at & 1 or at == last:
            found = node_hash(beside, found)
            while not at & 1 and at != 0:
                at, last = at >> 1, last >> 1
        else:
            found = node_hash(found, beside)
        at, last = at >> 1, last >> 1
    return last == 0 and found == root


def is_consistent(old, old_root, size, root, path):
    """RFC 9162, 2.1.4.2."""
    if old == size:
        return not path and old_root == root
    if old < 1 or old > size or not path:
        return False
    at, last = old - 1, size - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    hashes = [old_root] + path if at == 0 else path
    old_found = found = hashes[0]
    for beside in hashes[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            old_found = node_hash(beside, old_found)
            found = node_hash(beside, found)
            while not at & 1 and at != 0:
                at, last = at >> 1, last >> 1
        else:
            found = node_hash(found, beside)
        at, last = at >> 1, last >> 1
    return last == 0 and old_found == old_root and found == root


# Ed25519, RFC 8032, 5.1: points in extended homogeneous coordinates.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)


def plus(a, b):
    x = (a[1] - a[0]) * (b[1] - b[0]) % P
    y = (a[1] + a[0]) * (b[1] + b[0]) % P
    z = 2 * a[3] * b[3] * D % P
    t = 2 * a[2] * b[2] % P
    e, f, g, h = y - x, t - z, t + z, y + x
    return e * f % P, g * h % P, f * g % P, e * h % P


def doubled(a):
    x, y, z, _ = a
    xx, yy, zz = x * x % P, y * y % P, 2 * z * z % P
    e, g, h = ((x + y) * (x + y) - xx - yy) % P, yy - xx, -xx - yy
    f = g - zz
    return e * f % P, g * h % P, f * g % P, e * h % P


NEUTRAL = (0, 1, 1, 0)


def multiples(point):
    """The point 0 to 15 times."""
    result = [NEUTRAL]
    for _ in range(15):
        result.append(plus(result[-1], point))
    return result


def sum_of_multiples(one, ones, other, others):
    """one * ones[1] + other * others[1], four bits of both at a time."""
    result = NEUTRAL
    for at in range(252, -1, -4):
        for _ in range(4):
            result = doubled(result)
        result = plus(plus(result, ones[one >> at & 15]), others[other >> at & 15])
    return result


def point_of(data):
    """The point, or None where the bytes are those of none."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT_OF_MINUS_1 % P
    if (x * x - square) % P != 0 or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


BASES = multiples(point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little")))


def is_weak(point):
    """Whether the point has a small order: a signature under such a key says nothing, and libraries differ about it."""
    x, y, z, _ = doubled(doubled(doubled(point)))
    return x % P == 0 and (y - z) % P == 0


def is_signed(public_key, signature, text):
    public, data = bytes.fromhex(public_key), bytes.fromhex(signature)
    a, r, s = point_of(public), point_of(data[:32]), int.from_bytes(data[32:], "little")
    if a is None or r is None or s >= L or is_weak(a):
        return False
    h = int.from_bytes(hashlib.sha512(data[:32] + public + encoded(text)).digest(), "little") % L
    x, y, z, t = a
    left = sum_of_multiples(s, BASES, h, multiples((P - x, y, z, P - t)))
    return (left[0] - r[0] * left[2]) % P == 0 and (left[1] - r[1] * left[2]) % P == 0


def misfit(value, shape, path):
    """The path of the first member that is not as the shape says, or None."""
    if shape is int:
        return None if type(value) is int and 0 <= value < 2**53 else path
    if shape is bool:
        return None if isinstance(value, bool) else path
    if shape is MAYBE:
        return None if value is None or isinstance(value, str) else path
    if isinstance(shape, re.Pattern):
        return None if isinstance(value, str) and shape.match(value) else path
    if isinstance(shape, list):
        if not isinstance(value, list):
            return path
        found = (misfit(item, shape[0], "%s[%d]" % (path, at)) for at, item in enumerate(value))
        return next((each for each in found if each is not None), None)
    if not isinstance(value, dict):
        return path
    # In the order of UTF-16, as RFC 8785 has it.
    for name in sorted(set(shape) | set(value), key=lambda each: each.encode("utf-16-be")):
        inside = name if path == "" else path + "." + name
        wrong = misfit(value[name], shape[name], inside) if name in shape and name in value else inside
        if wrong is not None:
            return wrong
    return None


def read_file(path):
    with open(path, "rb") as file:
        return file.read()


def file_in(directory, name):
    """A file of the export. A pipe in its place would never end, and is none."""
    path = os.path.join(directory, name)
    if not os.path.isfile(path):
        raise OSError("%s is no file" % name)
    return read_file(path)


def read_proof(directory, problems):
    """The document, or None and the problem that keeps it from being read."""
    try:
        data = file_in(directory, "proof.json")
    except OSError:
        problems.append("proof.json is missing.")
        return None
    proof = parsed_bytes(data)
    if proof is NOTHING:
        problems.append("proof.json cannot be read: it is no JSON.")
        return None
    wrong = misfit(proof, SHAPE, "")
    if wrong is not None:
        problems.append("proof.json is not what an export writes: %s is missing, unknown or of another form." % (wrong or "the whole"))
        return None
    if encoded(canonical(proof)) != data:
        problems.append("proof.json was changed: it is not in canonical form.")
    if proof["format"] != FORMAT:
        problems.append("proof.json is of another format, which needs its own verifier: %s." % proof["format"])
    return proof


def check_key(proof, trusted, problems):
    key = proof["key"]
    if key["algorithm"] != "Ed25519" or sha256(bytes.fromhex(key["publicKey"])) != key["fingerprint"]:
        problems.append("The fingerprint in proof.json is not that of its key.")
    if trusted is not None and trusted != key["fingerprint"]:
        problems.append("The export is signed by another key than yours: by %s, not by %s." % (key["fingerprint"], trusted))


def is_head_of(head, proof):
    statement, key = head["statement"], proof["key"]
    ours = statement["kind"] == HEAD_KIND and statement["log"] == key["fingerprint"]
    return ours and is_signed(key["publicKey"], head["signature"], canonical(statement))


def check_head(head, proof, what, problems):
    if not is_head_of(head, proof):
        problems.append("%s is forged: the key of the log did not sign it." % what)


def check_signature(proof, problems):
    rest = {name: value for name, value in proof.items() if name != "signature"}
    if not is_signed(proof["key"]["publicKey"], proof["signature"], canonical(rest)):
        problems.append("proof.json is not what the key of the log signed: something in it was changed, added or removed.")


def check_report(directory, proof, problems):
    try:
        if sha256(file_in(directory, "report.html")) != proof["report"]["sha256"]:
            problems.append("report.html was changed after the export.")
    except OSError:
        problems.append("report.html is missing.")


def name_of(event):
    return "the event %s (%s, revision %d)" % (event["id"], event["type"], event["revision"])


def parsed(text):
    """The texts among the members of an object in an event; what else is in it plays no part."""
    value = parsed_text(text, False)
    if not isinstance(value, dict):
        return {}
    return {name: member for name, member in value.items() if isinstance(member, str)}


def check_event(entry, proof, stream, problems):
    event, head = entry["event"], proof["head"]["statement"]
    hashed = dict(event, data=sha256(encoded(event["data"])), meta=sha256(encoded(event["meta"])))
    leaf = sha256(b"\0", encoded(canonical(hashed)))
    if event["stream"] != stream:
        problems.append("Not of this contact but of another stream is %s: %s." % (name_of(event), event["stream"]))
    if parsed(event["meta"]).get("workspaceId") != proof["workspace"]["id"]:
        problems.append("Of another workspace is %s." % name_of(event))
    if not is_included(leaf, entry["index"], head["size"], entry["path"], head["root"]):
        problems.append(
            "Not in the log as it was signed is %s: it was changed, or its proof is of another tree." % name_of(event))


def check_order(contact, problems):
    """Revisions count from 0 without a hole, and the log has them in this order."""
    following, last = 0, -1
    of = "of contact %s" % contact["contactId"]
    for entry in contact["events"]:
        event, index = entry["event"], entry["index"]
        if event["revision"] < following:
            problems.append("In the wrong place stands %s %s: events were swapped or repeated." % (name_of(event), of))
        if event["revision"] > following:
            problems.append(
                "Missing from the history %s: what was before %s, from revision %d." % (of, name_of(event), following))
        if index <= last:
            problems.append("Not where the log has it is %s %s: events were swapped." % (name_of(event), of))
        following, last = max(following, event["revision"] + 1), max(last, index)
    if following != contact["revisions"]:
        problems.append("The end of the history %s is missing or was added to: it has %d events, the export shows %d."
                        % (of, contact["revisions"], following))


def actor_of(actor):
    if actor is not None and actor.startswith("key:"):
        return "api_" + actor
    return "contact" if actor == "recipient" else actor


def is_of_one_command(one, other):
    """What one command wrote has these in common."""
    return all(one.get(name) == other.get(name) for name in ("requestId", "causationId", "at"))


def consents_in(events):
    """What the sealed events say about consent, without what is encrypted in them.

    The first of a channel has no state before it where the contact was created with it.
    """
    creation = next((parsed(entry["event"]["meta"]) for entry in events if entry["event"]["type"] == "ContactCreated"), None)
    consents, spoken = [], set()
    for entry in events:
        event = entry["event"]
        if event["type"] != "ContactConsentRecorded":
            continue
        meta, data = parsed(event["meta"]), parsed(event["data"])
        channel = data.get("channel")
        first = channel not in spoken
        spoken.add(channel)
        born = first and creation is not None and is_of_one_command(creation, meta)
        # A statement that was recorded later than it was given says when that was.
        given = data.get("givenAt")
        consents.append({
            "actor": actor_of(meta.get("actor")), "at": meta.get("at") if given is None else given, "channel": channel,
            "from": None if born else data.get("from"), "requestId": meta.get("requestId"),
            "revision": event["revision"], "source": data.get("source"), "to": data.get("to"),
        })
    return consents


def shown_text(text):
    return "null" if text is None else text


def check_consents(contact, problems):
    contact_id = contact["contactId"]
    shown = {consent["revision"]: {name: value for name, value in consent.items() if name not in ("ip", "userAgent")}
             for consent in contact["consents"]}
    for consent in consents_in(contact["events"]):
        said = shown.pop(consent["revision"], None)
        what = "the consent of contact %s at %s (%s %s, revision %d)" % (
            contact_id, shown_text(consent["at"]), shown_text(consent["channel"]), shown_text(consent["to"]), consent["revision"])
        if said is None:
            problems.append("Missing from the readable part is %s." % what)
        elif canonical(said) != canonical(consent):
            problems.append("Shown otherwise than the log has it is %s." % what)
    for revision in shown:
        problems.append(
            "The readable part shows a consent of contact %s that the log does not have: revision %d." % (contact_id, revision))
    if len({consent["revision"] for consent in contact["consents"]}) != len(contact["consents"]):
        problems.append("The readable part shows a consent of contact %s twice." % contact_id)


def check_contacts(proof, problems):
    seen = set()
    for contact in proof["contacts"]:
        if contact["contactId"] in seen:
            problems.append("The export has contact %s twice." % contact["contactId"])
        seen.add(contact["contactId"])
        stream = "contact-%s-%s" % (proof["workspace"]["id"], contact["contactId"])
        for entry in contact["events"]:
            check_event(entry, proof, stream, problems)
        check_order(contact, problems)
        check_consents(contact, problems)


def check_earlier_heads(proof, problems):
    now = proof["head"]["statement"]
    for earlier in proof["earlierHeads"]:
        statement = earlier["head"]["statement"]
        what = "The earlier tree head of %d events" % statement["size"]
        check_head(earlier["head"], proof, what, problems)
        if not is_consistent(statement["size"], statement["root"], now["size"], now["root"], earlier["path"]):
            problems.append("%s is of another history: the log was rewritten after it, or the proof was." % what)


def is_torn(line):
    """The beginning of a line that a crash has cut off."""
    return (line.startswith(LINE) or LINE.startswith(line)) and not line.endswith("}}")


def lines_of(file, problems, notes):
    """The lines of an anchor, in bytes."""
    try:
        data = read_file(file)
    except OSError:
        problems.append("The anchor cannot be read.")
        return []
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    else:
        problems.append("The last line of the anchor is damaged: it has no end. A copy that was cut off shows less than the anchor has: "
                        "get it anew.")
    if any(line.endswith(b"\r") for line in lines):
        notes.append("The anchor has line ends of another system (CR LF): its copy was converted, and is read as if it were not.")
    return [line[:-1] if line.endswith(b"\r") else line for line in lines]


def parse_head(line):
    """A tree head from a line of an anchor, in bytes; None for a line that is none."""
    value = parsed_bytes(line)
    return value if value is not NOTHING and misfit(value, HEAD, "") is None else None


# Where the anchor is honest, the export is another's.
STRANGE_HEAD = ("The tree head in line %d of the anchor was not signed by the key of this export: the export was signed with another key than "
                "that of the log, or the line is not of this log.")


def anchored_heads(file, proof, known, problems, notes):
    """The heads of an anchor that the key of the log signed. `known`: those of the export by size, whose signatures are checked already."""
    lines, heads, torn = lines_of(file, problems, notes), [], []
    last = max([at for at, line in enumerate(lines) if line], default=-1)
    for at, line in enumerate(lines):
        if line == b"":
            continue
        head = parse_head(line)
        if head is None:
            if at < last and is_torn(line.decode("latin-1")):
                torn.append("Line %d of the anchor was torn by a crash while it was written: it is not counted." % (at + 1))
            else:
                problems.append("Line %d of the anchor is no tree head." % (at + 1))
            continue
        same = known.get(head["statement"]["size"])
        if (same is not None and canonical(same) == canonical(head)) or is_head_of(head, proof):
            heads.append(head)
        else:
            problems.append(STRANGE_HEAD % (at + 1))
    notes.extend(first_of(torn))
    if not heads and not problems:
        problems.append("The anchor has no tree head.")
    return heads


def size_of(head):
    return head["statement"]["size"]


MADE_ANEW = "Have an export made with this copy (consent export --anchor), and verify again."


def check_beyond(heads, own, problems):
    """A head that is beyond the tree of the export cannot be shown to continue it: it may be of the history that the export hides."""
    at, size = own["statement"]["at"], size_of(own)
    beyond = [head["statement"] for head in sorted(heads, key=size_of) if size_of(head) > size]
    before = next((each for each in beyond if each["at"] < at), None)
    if before is not None:
        problems.append("The anchor has a tree head of %d events from %s, and the later one of this export (%s) has %d: the log was cut, or "
                        "this is another history." % (before["size"], before["at"], at, size))
    elif beyond:
        problems.append("The anchor has a tree head of %d events (%s), and the export %d: whether this history is the one that went on there "
                        "cannot be seen. %s" % (beyond[0]["size"], beyond[0]["at"], size, MADE_ANEW))


def check_left_out(heads, known, problems):
    """Every head of the anchor up to the size of the export must be in the export, which shows that its tree continues it."""
    sizes = sorted({size_of(head) for head in heads})
    missing = [size for size in sizes if size not in known]
    if missing and missing[-1] == sizes[-1]:
        problems.append("The export leaves out the newest tree head of the anchor before its own, that of %d events: the log was rewritten "
                        "after it, or this copy of the anchor is older than the export. %s" % (missing.pop(), MADE_ANEW))
    if missing:
        problems.append("The export leaves out %d older tree %s of the anchor, from that of %d events on: the log may have been rewritten "
                        "after them. %s" % (len(missing), "head" if len(missing) == 1 else "heads", missing[0], MADE_ANEW))


def check_roots(heads, known, problems):
    roots = {}
    for head in heads:
        size, root = size_of(head), head["statement"]["root"]
        if size in known and known[size]["statement"]["root"] != root:
            problems.append(
                "The anchor has another root for the tree of %d events: one of the two histories is forged." % size)
        elif roots.get(size, root) != root:
            problems.append("The anchor has two roots for the tree of %d events: the log was forked." % size)
        roots[size] = root


def span_of(millis):
    seconds = millis // 1000
    days, hours, minutes = seconds // 86400, seconds // 3600 % 24, seconds // 60 % 60
    if days > 0:
        return "%d d %d h" % (days, hours)
    return "%d h %d min" % (hours, minutes) if hours > 0 else "%d min %d s" % (minutes, seconds % 60)


def millis_of(time):
    """Milliseconds from a fixed day on, also of a day that its month does not have."""
    year, month, day, hour, minute, second, milli = map(int, re.findall("[0-9]+", time))
    years = year - 1 if month <= 2 else year
    leap_days = years // 4 - years // 100 + years // 400
    days = 365 * years + leap_days + (153 * ((month + 9) % 12) + 2) // 5 + day
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + milli


def note_gaps(heads, proof, notes):
    """How far the anchor says when something was recorded, and where it is silent."""
    if not heads:
        return
    first, last = heads[0]["statement"], heads[-1]["statement"]
    ends = heads if last["size"] == size_of(proof["head"]) else heads + [proof["head"]]
    widest = None
    for before, after in zip(ends, ends[1:]):
        width = max(0, millis_of(after["statement"]["at"]) - millis_of(before["statement"]["at"]))
        if widest is None or width > widest[0]:
            widest = width, before["statement"], after["statement"]
    if widest is not None:
        width, before, after = widest
        notes.append("The widest gap of the anchor is %s, from its tree head of %d events (%s) to the next, of %d events (%s): when something "
                     "was recorded inside a gap is what the signer says."
                     % (span_of(width), before["size"], before["at"], after["size"], after["at"]))
    indices = [entry["index"] for contact in proof["contacts"] for entry in contact["events"]]
    older = sum(index < first["size"] for index in indices)
    newer = sum(index >= last["size"] for index in indices)
    if older > 0:
        notes.append("%d of the events are older than the first tree head of the anchor (%s): how much older is what the signer says."
                     % (older, first["at"]))
    if newer > 0:
        notes.append("%d of the events are newer than the last tree head of the anchor (%s): until one is anchored that has them, who has the "
                     "key can write them anew." % (newer, last["at"]))


def check_anchor(file, proof, known, problems, notes):
    """Compares every head that was kept outside with the export; answers those heads."""
    of_lines = []
    heads = anchored_heads(file, proof, known, of_lines, notes)
    check_roots(heads, known, problems)
    problems.extend(of_lines)
    within = sorted((head for head in heads if size_of(head) <= size_of(proof["head"])), key=size_of)
    check_left_out(within, known, problems)
    check_beyond(heads, proof["head"], problems)
    met = len({size_of(head) for head in within} & set(known))
    silent = ": it neither confirms nor contradicts this export" if met == 0 else ""
    notes.append("%d of the tree heads in the export are in the anchor%s." % (met, silent))
    note_gaps(within, proof, notes)
    return heads


def check_head_times(heads, proof, problems):
    """A head of more events is not older than one of fewer."""
    newest = None
    for statement in (head["statement"] for head in heads):
        if newest is not None and statement["size"] > newest["size"] and statement["at"] < newest["at"]:
            problems.append("The tree head of %d events is dated %s, before that of %d events (%s): it was backdated."
                            % (statement["size"], statement["at"], newest["size"], newest["at"]))
        if newest is None or statement["at"] > newest["at"]:
            newest = statement
    exported, own = proof["exportedAt"], proof["head"]["statement"]["at"]
    if exported < own:
        problems.append("The export is dated %s, before its own tree head (%s): it was backdated." % (exported, own))


def check_times(heads, proof, problems):
    """Recording times never go back along the log; what a head does not hold was not recorded before it, and what it holds not after."""
    entries = sorted((entry for contact in proof["contacts"] for entry in contact["events"]), key=lambda entry: entry["index"])
    latest, following, dated = None, 0, None
    for entry in entries:
        event, created = entry["event"], entry["event"]["created"]
        while following < len(heads) and size_of(heads[following]) <= entry["index"]:
            statement = heads[following]["statement"]
            dated = statement if dated is None or statement["at"] > dated["at"] else dated
            following += 1
        if dated is not None and created < dated["at"]:
            problems.append("Dated %s is %s, which the tree head of %d events (%s) does not have yet: it was backdated."
                            % (created, name_of(event), dated["size"], dated["at"]))
        elif latest is not None and created < latest:
            problems.append("Dated %s is %s, which the log has behind what was recorded at %s: it was backdated."
                            % (created, name_of(event), latest))
        holding = heads[following]["statement"] if following < len(heads) else None
        if holding is not None and created > holding["at"]:
            problems.append("Dated %s is %s, which the tree head of %d events (%s) has already: it was dated ahead."
                            % (created, name_of(event), holding["size"], holding["at"]))
        latest = created if latest is None or created > latest else latest


# Longer than clocks differ and requests take.
SAID_LATER = 300000


def note_other_times(proof, notes):
    """A consent may be recorded long after it was given, as by an import: when it was given is then the word of who recorded it."""
    count, first = 0, ""
    for contact in proof["contacts"]:
        recorded = {entry["event"]["revision"]: entry["event"]["created"] for entry in contact["events"]}
        for consent in consents_in(contact["events"]):
            at, created = consent["at"], recorded[consent["revision"]]
            if at is not None and TIME.match(at) and abs(millis_of(created) - millis_of(at)) <= SAID_LATER:
                continue
            if count == 0:
                first = "revision %d of contact %s, dated %s and recorded at %s" % (
                    consent["revision"], contact["contactId"], shown_text(at), created)
            count += 1
    if count > 0:
        notes.append("%d of the consents are dated otherwise than they were recorded, the first is %s. What is proven is when it was recorded."
                     % (count, first))


def note_silent(proof, notes):
    """The export proves nothing about a contact of which it shows nothing."""
    silent = [contact["contactId"] for contact in proof["contacts"] if not contact["events"]]
    if not proof["contacts"]:
        notes.append("The export shows no contact.")
    if silent:
        notes.append("%d of the contacts have no event, the first is %s: that the log has none is what the signer says."
                     % (len(silent), silent[0]))


NO_ANCHOR = ("No anchor was given: who has the key of the log can write a history anew, date it back and sign it, and this folder cannot show "
             "whether that was done. Verify again with --anchor and a copy of the anchor.")


def check_when(proof, anchor, problems, notes):
    known = {size_of(head): head for head in [earlier["head"] for earlier in proof["earlierHeads"]] + [proof["head"]]}
    anchored = [] if anchor is None else check_anchor(anchor, proof, known, problems, notes)
    size = size_of(proof["head"])
    heads = sorted((head for head in list(known.values()) + anchored if size_of(head) <= size),
                   key=lambda head: (size_of(head), head["statement"]["at"]))
    check_head_times(heads, proof, problems)
    check_times(heads, proof, problems)
    return any(size_of(head) in known for head in anchored)


def checked_of(proof):
    """How much was checked, until when the log reaches, and which key signed it."""
    contacts, statement = proof["contacts"], proof["head"]["statement"]
    return {"contacts": len(contacts), "consents": sum(len(contact["consents"]) for contact in contacts),
            "events": sum(len(contact["events"]) for contact in contacts), "logSize": statement["size"], "until": statement["at"],
            "key": proof["key"]["fingerprint"]}


def counted(count, noun):
    return "%d %s%s" % (count, noun, "" if count == 1 else "s")


def headline(result):
    """The first line that is printed."""
    checked = result["checked"]
    if not result["ok"] or checked is None:
        return "WRONG"
    what = "%s, %s and %s" % (counted(checked["contacts"], "contact"), counted(checked["consents"], "consent"),
                              counted(checked["events"], "event"))
    signed = "%s, of a log of %s until %s, signed by the key %s" % (what, counted(checked["logSize"], "event"), checked["until"],
                                                                   checked["key"])
    if result["keyChecked"]:
        return "OK: %s, which is the one you trust." % signed
    return ("OK, consistency only: %s. Nothing says that this is the key of the log: anyone can make such a folder with another." % signed)


def verify_folder(directory, trusted=None, anchor=None):
    """The result as `--json` prints it."""
    problems, notes = [], []
    anchored = False
    proof = read_proof(directory, problems)
    if proof is not None:
        check_key(proof, trusted, problems)
        check_signature(proof, problems)
        check_head(proof["head"], proof, "The tree head", problems)
        check_report(directory, proof, problems)
        check_contacts(proof, problems)
        check_earlier_heads(proof, problems)
        anchored = check_when(proof, anchor, problems, notes)
        if trusted is None and not anchored:
            notes.append("Only consistency was checked: anyone can sign such a folder with a key of their own. Compare %s with what the "
                         "operator of the log says, and verify again with --key." % proof["key"]["fingerprint"])
        notes.append("What is proven is in proof.json: report.html shows it for people, and is as its signer wrote it. Where they differ, "
                     "proof.json is right.")
        notes.append("Addresses (ip) and user agents are encrypted in the log: what is shown of them is what the signer says, not what the "
                     "tree proves.")
        notes.append("Each history has every number from 0 on, once. The signer gave the numbers: that no other event has one of them, "
                     "that none followed before the tree head was signed, and that no contact is left out, is what the signer says.")
        note_silent(proof, notes)
        note_other_times(proof, notes)
        if anchor is None:
            notes.append(NO_ANCHOR)
    by_anchor = trusted is None and anchored and not problems
    key_checked = proof is not None and (trusted == proof["key"]["fingerprint"] or by_anchor)
    return {"ok": not problems, "problems": list(map(shown_safely, first_of(problems))), "keyChecked": key_checked,
            "checked": None if proof is None else checked_of(proof), "notes": list(map(shown_safely, notes))}


def exit_of(result):
    if not result["ok"]:
        return 1
    return 0 if result["keyChecked"] else 3


USAGE = "Usage: python3 verify.py [DIR] [--key FINGERPRINT] [--anchor FILE] [--json]\n"
HELP = """
DIR: what `tidings consent export` wrote; by default the folder of this file.
--key: whose log it must be. Ask its operator by another way than the one by which you got the folder.
--anchor: a copy of the file into which tree heads were anchored.
--json: the result as one line of JSON.
Exit 0: nothing is wrong, and the log is that of the key or of the anchor. 3: nothing is wrong, and neither was given to trust: only
consistency was checked. 1: something is wrong, each named in a sentence. 2: wrong usage.
"""


def usage(sentence):
    sys.stderr.write("%s\n%s" % (shown_safely(sentence), USAGE))
    sys.exit(2)


def main(words):
    if "--help" in words or "-h" in words:
        sys.stdout.write(USAGE + HELP)
        return 0
    as_json, given, directory = False, {"--key": None, "--anchor": None}, None
    rest = iter(words)
    for word in rest:
        if word == "--json":
            as_json = True
        elif word in given:
            given[word] = next(rest, None)
            if given[word] is None:
                usage("What is %s?" % word)
        elif word.startswith("-") or directory is not None:
            usage("What is %s?" % word)
        else:
            directory = word
    trusted = given["--key"].lower() if given["--key"] is not None else None
    if trusted is not None and not HASH.match(trusted):
        usage("A fingerprint has 64 hexadecimal digits.")
    result = verify_folder(directory or os.path.dirname(os.path.abspath(__file__)), trusted, given["--anchor"])
    if as_json:
        text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    else:
        text = "\n".join([headline(result)] + ["- " + problem for problem in result["problems"]] + result["notes"])
    sys.stdout.buffer.write(encoded(text + "\n"))
    return exit_of(result)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
