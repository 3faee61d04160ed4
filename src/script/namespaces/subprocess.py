# subprocess -- other programs, run to their end.
import os as _os
import _host

PIPE, STDOUT, DEVNULL = -1, -2, -3


class SubprocessError(Exception):
    pass


class CalledProcessError(SubprocessError):
    def __init__(self, returncode, cmd, output=None, stderr=None):
        self.returncode, self.cmd, self.output, self.stderr = returncode, cmd, output, stderr
        self.stdout = output

    def __str__(self):
        if self.returncode < 0:
            return f"Command '{self.cmd}' died with signal {-self.returncode}."
        return f"Command '{self.cmd}' returned non-zero exit status {self.returncode}."


class TimeoutExpired(SubprocessError):
    pass


class CompletedProcess:
    def __init__(self, args, returncode, stdout=None, stderr=None):
        self.args, self.returncode, self.stdout, self.stderr = args, returncode, stdout, stderr

    def check_returncode(self):
        if self.returncode:
            raise CalledProcessError(self.returncode, self.args, self.stdout, self.stderr)

    def __repr__(self):
        s = f"CompletedProcess(args={self.args!r}, returncode={self.returncode!r}"
        if self.stdout is not None:
            s += f", stdout={self.stdout!r}"
        if self.stderr is not None:
            s += f", stderr={self.stderr!r}"
        return s + ")"


def run(args, *, input=None, capture_output=False, check=False, stdin=None, stdout=None, stderr=None, shell=False, cwd=None,
        timeout=None, env=None, text=None, universal_newlines=None, encoding=None, errors=None):
    if timeout is not None:
        raise NotImplementedError("subprocess.run: timeout")
    if stdin not in (None, DEVNULL, PIPE) or hasattr(stdout, "write") or hasattr(stderr, "write"):
        raise NotImplementedError("subprocess.run: a stream of a file")
    if capture_output:
        stdout = stderr = PIPE
    words = ["/bin/sh", "-c", args] if shell else [args] if isinstance(args, (str, _os.PathLike)) else list(args)
    as_text = text or universal_newlines or encoding or errors
    if isinstance(input, str):
        input = input.encode(encoding or "utf-8")
    if stdin == DEVNULL and input is None:
        input = b""
    kinds = {None: 0, PIPE: 1, DEVNULL: 2, STDOUT: 3}
    rc, out, err = _host.run([_os.fspath(w) for w in words], input, kinds[stdout], kinds[stderr], None if cwd is None else _os.fspath(cwd),
                             None if env is None else [f"{k}={v}" for k, v in env.items()])
    if as_text:
        out = out.decode(encoding or "utf-8", errors or "strict") if out is not None else None
        err = err.decode(encoding or "utf-8", errors or "strict") if err is not None else None
    p = CompletedProcess(args, rc, out, err)
    if check:
        p.check_returncode()
    return p


def call(args, **kwargs):
    return run(args, **kwargs).returncode


def check_call(args, **kwargs):
    run(args, check=True, **kwargs)
    return 0


def check_output(args, **kwargs):
    return run(args, stdout=PIPE, check=True, **kwargs).stdout


def getoutput(cmd):
    return getstatusoutput(cmd)[1]


def getstatusoutput(cmd):
    p = run(cmd, shell=True, stdout=PIPE, stderr=STDOUT, text=True)
    return p.returncode, p.stdout[:-1] if p.stdout.endswith("\n") else p.stdout


class Popen:
    # The program runs to its end when it is made; what it wrote waits.
    def __init__(self, args, *, stdin=None, stdout=None, stderr=None, shell=False, cwd=None, env=None, text=None, universal_newlines=None,
                 encoding=None, errors=None):
        if stdin == PIPE:
            raise NotImplementedError("subprocess.Popen: stdin=PIPE")
        import io
        p = run(args, stdin=stdin, stdout=stdout, stderr=stderr, shell=shell, cwd=cwd, env=env, text=text,
                universal_newlines=universal_newlines, encoding=encoding, errors=errors)
        self.args, self.returncode, self.pid, self._out = args, p.returncode, 0, (p.stdout, p.stderr)
        wrap = lambda v: None if v is None else io.StringIO(v) if isinstance(v, str) else io.BytesIO(v)
        self.stdin, self.stdout, self.stderr = None, wrap(p.stdout), wrap(p.stderr)

    def communicate(self, input=None, timeout=None):
        if input is not None or timeout is not None:
            raise NotImplementedError("Popen.communicate: input, timeout")
        return self._out

    def wait(self, timeout=None):
        return self.returncode if timeout is None or timeout >= 0 else None

    def poll(self):
        return self.returncode

    def kill(self):
        pass

    terminate = kill

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return False
