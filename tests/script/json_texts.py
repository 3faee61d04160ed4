import json
class E(json.JSONEncoder):
    def default(self, o): return list(o) if isinstance(o, set) else super().default(o)
print(json.dumps({"a": [1, 2.5, None, True], "b": {"c": "é\n\"\\ 😀"}, 3: float("inf"), None: 1, 2.5: 1}), json.dumps({1, 2}, cls=E))
print(json.dumps({"b": 1, "a": [1, {"x": []}, {}]}, indent=2, sort_keys=True)); print(json.dumps([1, [2]], separators=(",", ":")), json.dumps("é", ensure_ascii=False))
try: json.dumps(object)
except TypeError as e: print(e)
try: json.dumps(float("nan"), allow_nan=False)
except ValueError as e: print(e)
print(json.loads('{"a": [1, -2.5e3, "x\\u00e9\\ud83d\\ude00\\n"], "b": null, "c": NaN}'), json.loads(b'[1]'))
print(json.loads('{"a": 1.5}', parse_float=str, object_pairs_hook=list), json.loads('{"a": {"b": 1}}', object_hook=lambda d: sorted(d)))
for bad in ['', '[1,', '{"a" 1}', '[1] x', '"abc', '{1:2}', 'nul', '"\\q"', '[1 2]', '01', '-']:
    try: print(json.loads(bad))
    except json.JSONDecodeError as e: print(bad, "|", e, e.pos, e.lineno, e.colno)
d = json.JSONDecoder(); print(d.raw_decode('[1, 2] rest'))
l = []; l.append(l)
try: json.dumps(l)
except ValueError as e: print(e)
import enum
class I(int): pass
print(json.dumps([I(3), True, (1, 2)]), json.dumps({(1,): 2, "a": 1}, skipkeys=True), json.dumps([], indent=1), json.dumps([1], indent="\t"))
