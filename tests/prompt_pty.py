"""weft alone on a terminal: python3 prompt_pty.py WEFT FOLDER; what is typed through a pty, and what must come back."""
import os
import pty
import re
import select
import signal
import sys
import time

weft, folder = sys.argv[1:3]
failed = passed = 0


class Terminal:
    """A terminal of 80 columns, as far as the prompt uses one."""

    def __init__(self, **env):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update({"TERM": "xterm", "NO_COLOR": "1", "WEFT_HISTORY": os.path.join(folder, "state", "history"), **env})
            os.execv(weft, [weft])
        self.rows, self.at, self.rest = [""], 0, b""
        self.wait(">>> ")

    def put(self, c):
        if self.at == 80:
            self.rows.append("")
            self.at = 0
        row = self.rows[-1].ljust(self.at)
        self.rows[-1] = row[: self.at] + c + row[self.at + 1 :]
        self.at += 1

    def show(self, text):
        for sequence, c in re.findall(r"\x1b\[([0-9;?]*[A-Za-z])|([\s\S])", text):
            if sequence == "K":
                self.rows[-1] = self.rows[-1][: self.at]
            elif sequence.endswith("C"):
                self.at += int(sequence[:-1])
            elif c == "\n":
                self.rows.append("")
            elif c == "\r":
                self.at = 0
            elif c and c >= " ":
                self.put(c)

    def read(self, seconds):
        """False: the other side is closed; None: nothing came."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return None
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        text, self.rest = self.rest + data, b""
        while text and (text[-1] & 0xC0 == 0x80 or text[-1] >= 0xC0 or re.search(rb"\x1b(\[[0-9;?]*)?$", text)):
            text, self.rest = text[:-1], text[-1:] + self.rest  # a part of something
        if data and not text:
            return True
        self.show((text + self.rest if not data else text).decode(errors="replace"))
        return bool(data)

    def until(self, what, test):
        end = time.time() + 20
        while not test():
            if time.time() > end or self.read(0.2) is False:
                raise AssertionError(f"no {what!r} in {self.rows[-12:]!r}")

    def wait(self, what):
        """Until `what` is among the rows since the last call; gives them."""
        self.until(what, lambda: what in "\n".join(self.rows))
        rows, self.rows = self.rows, self.rows[-1:]
        return "\n".join(rows)

    def send(self, keys):
        os.write(self.fd, keys.encode())

    def ready(self, prompt=">>> ", rows=1):
        """Until the cursor is behind the prompt."""
        self.until(prompt, lambda: len(self.rows) >= rows and self.rows[-1] == prompt and self.at == 4)

    def line(self, text, prompt=">>> "):
        """A line and Enter: the rows between it and the next prompt."""
        self.rows = self.rows[-1:]
        self.send(text + "\r")
        self.ready(prompt, 2)
        return "\n".join(r.rstrip() for r in self.rows[1:-1])

    def end(self, keys="\x04"):
        self.send(keys)
        while self.read(10):
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def check(name, got, wanted):
    global passed, failed
    if got == wanted:
        passed += 1
    else:
        failed += 1
        print(f"{name}: found {got!r}, needed {wanted!r}")


def has(name, text, *parts):
    for part in parts:
        check(name, part if part in text else text, part)


def values():
    t = Terminal()
    check("a statement says nothing", t.line("x = 6 * 7"), "")
    check("a value is shown", t.line("x"), "42")
    check("as repr", t.line("'a' + \"b\""), "'ab'")
    check("the last one is _", t.line("_ * 2"), "'abab'")
    check("None is not", t.line("None"), "")
    check("several on a line", t.line("1; 2"), "1\n2")
    check("a tensor", t.line("import torch; torch.arange(3) + 1"), "tensor([1, 2, 3])")
    check("gradients", t.line("w = torch.ones(2, requires_grad=True); (w * w).sum().backward(); w.grad"), "tensor([2., 2.])")
    check("what has no newline stays", t.line("print('ab', end='')"), "ab")
    check("exit", t.end("exit(3)\r"), 3)


def blocks():
    t = Terminal()
    check("a block goes on", t.line("for i in range(2):", "... "), "")
    check("until", t.line("    i", "... "), "")
    check("an empty line", t.line(""), "0\n1")
    t.line("def f(a,", "... ")
    t.line("      b=2):", "... ")
    t.line("    return a + b", "... ")
    check("a definition", t.line(""), "")
    check("is kept", t.line("f(1)"), "3")
    t.line("s = '''a", "... ")
    check("a string over lines", t.line("b'''; s"), "'a\\nb'")
    t.line("x = 1 + \\", "... ")
    check("a line that goes on", t.line("2; x"), "3")
    t.line("try:", "... ")
    t.line("    1 / 0", "... ")
    t.line("except ZeroDivisionError:", "... ")
    t.line("    'caught'", "... ")
    check("try", t.line(""), "'caught'")
    t.line("@torch.jit.script", "... ")
    t.line("def g(x):", "... ")
    t.line("    return x * 2", "... ")
    has("a name that is not there", t.line(""), "NameError")
    t.line("import torch")
    t.line("@torch.jit.script", "... ")
    t.line("def g(x):", "... ")
    t.line("    return x * 2", "... ")
    t.line("")
    check("functions have their source", t.line("g(torch.ones(2))"), "tensor([2., 2.])")
    t.line("match f(1):", "... ")
    t.line("    case 3: 'three'", "... ")
    check("match", t.line(""), "'three'")
    check("Ctrl-D", t.end(), 0)


def errors():
    t = Terminal()
    t.line("def f(x):", "... ")
    t.line("    return 1 / x", "... ")
    t.line("")
    got = t.line("y = f(0)")
    has("an error with its place and the calls", got, "ZeroDivisionError", "<input 1>:2", "return 1 / x", "<input 2>:1")
    check("and the prompt goes on", t.line("f(2)"), "0.5")
    has("syntax", t.line("x = = 3"), "SyntaxError", "<input 4>")
    has("shapes", t.line("import torch; torch.ones(2) @ torch.ones(3)"), "<input 5>:1")
    check("names of a line that failed", t.line("a = 1; b; c = 2").count("NameError"), 1)
    check("are those before it", t.line("a"), "1")
    has("a part of a statement", t.line("x ="), "SyntaxError")
    check("memory is whole", t.line("import gc; gc.collect()"), "0")
    t.end()


def interrupts():
    t = Terminal()
    t.send("1 + \x03")
    has("Ctrl-C on a line", t.wait("KeyboardInterrupt\n"), "1 + ^C")
    t.line("for i in range(3):", "... ")
    t.send("    x\x03")
    t.wait("KeyboardInterrupt\n")
    t.line("")
    check("ends a block", t.line("2"), "2")
    t.line("import time, torch")
    t.send("while True: pass\r\r")
    time.sleep(1)
    os.kill(t.pid, signal.SIGINT)
    has("Ctrl-C in a loop", t.wait("KeyboardInterrupt"), "KeyboardInterrupt")
    t.ready()
    t.send("time.sleep(60)\r")
    time.sleep(1)
    t.send("\x03")  # by the terminal itself, which is as it was
    has("Ctrl-C asleep", t.wait("KeyboardInterrupt"), "KeyboardInterrupt")
    t.ready()
    check("and on", t.line("torch.ones(1).item()"), "1.0")
    t.end()


def standard_input():
    t = Terminal()
    t.line("import sys, torch")
    check("a terminal", t.line("sys.stdout.isatty(), sys.stdin.isatty()"), "(True, True)")
    t.send("a = input('na' 'me? ')\r")  # what is typed shows, too, and is not what is waited for
    t.wait("name? ")
    t.line("Ada")
    check("input", t.line("a"), "'Ada'")
    t.send("b = sys.stdin.readline()\r")
    time.sleep(0.5)
    t.line("two words")
    check("sys.stdin", t.line("b"), "'two words\\n'")
    t.send("input('st' 'op? ')\r")
    t.wait("stop? ")
    t.send("\x03")
    has("Ctrl-C while it waits", t.wait("KeyboardInterrupt"), "KeyboardInterrupt")
    t.ready()
    check("and on", t.line("a"), "'Ada'")
    t.end()


def editing():
    t = Terminal()
    check("left and insertion", t.line("13\x1b[D2"), "123")
    check("home, end", t.line("3\x1b[H1\x1b[F4"), "134")
    check("backspace, delete", t.line("12x\x7f3\x01\x1b[3~"), "23")
    check("a word", t.line("10 + abc\x17 5"), "15")
    check("kill", t.line("1 + 2\x1b[D\x1b[D\x1b[D\x0b"), "1")
    check("kill before", t.line("1 + 2\x1b[D\x1575"), "752")
    check("text beyond ASCII", t.line("'äöü€'\x1b[D\x1b[D\x7f"), "'äö€'")
    check("up", t.line("\x1b[A"), "'äö€'")
    check("up, up", t.line("\x1b[A\x1b[A"), "752")
    check("up and down again", t.line("9\x1b[A\x1b[B9"), "99")
    check("search", t.line("\x1210 +"), "15")
    check("search, further back", t.line("\x123\x12"), "134")
    long = "+".join(["1"] * 300)
    check("a line wider than the terminal", t.line(long), "300")
    t.end()


def completion():
    t = Terminal()
    t.line("import torch")
    t.line("lengthy_name = 5")
    check("a name", t.line("len\tgthy_n\t * 2"), "10")
    check("a keyword of the language", t.line("assert Tru\t"), "")
    check("an attribute", t.line("torch.aran\t(2)"), "tensor([0, 1])")
    check("of a value", t.line("torch.ones(2); lengthy_name.bit_le\t()"), "tensor([1., 1.])\n3")
    check("a module", t.line("import colle\t"), "")
    check("what it has", t.line("collections.OrderedDi\t is None"), "False")
    t.send("torch.nn.functional.rel\t\t")
    has("what there is, at the second tab", t.wait("relu6"), "relu")
    t.send("\x03")
    t.wait("KeyboardInterrupt\n")
    t.line("")
    t.line("if True:", "... ")
    t.line("\t'deep'", "... ")
    check("an indentation", t.line(""), "'deep'")
    t.end()


def history():
    if os.path.exists(os.path.join(folder, "state", "history")):
        os.unlink(os.path.join(folder, "state", "history"))
    t = Terminal()
    t.line("kept = 'over'")
    t.end()
    t = Terminal()
    check("lines are kept", t.line("\x1b[A; kept"), "'over'")
    os.kill(t.pid, signal.SIGKILL)
    t.end("")
    mode = os.stat(os.path.join(folder, "state", "history")).st_mode
    check("for their owner alone", oct(mode & 0o777), "0o600")
    t = Terminal()
    check("even if it is killed", t.line("\x1b[A"), "'over'")
    t.end()


def dumb():
    t = Terminal(TERM="dumb")
    t.send("1 + 1\n")
    has("a terminal that can do nothing", t.wait("2\n"), "2")
    t.end()


for test in (values, blocks, errors, interrupts, standard_input, editing, completion, history, dumb):
    try:
        test()
    except AssertionError as e:
        failed += 1
        print(f"{test.__name__}: {e}")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
