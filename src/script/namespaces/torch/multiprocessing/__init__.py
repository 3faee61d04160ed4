# torch.multiprocessing -- multiprocessing, whose one process shares its tensors with itself.
from multiprocessing import *
from multiprocessing import (Array, Barrier, Condition, Event, Lock, Manager, Pipe, Pool, Process, Queue, RLock, Semaphore,
                             SimpleQueue, Value, cpu_count, current_process, get_context, get_start_method,
                             set_start_method)

_strategy = ["file_descriptor"]


class ProcessRaisedException(Exception):
    pass


class ProcessExitedException(Exception):
    pass


def get_all_sharing_strategies():
    return {"file_descriptor", "file_system"}


def get_sharing_strategy():
    return _strategy[0]


def set_sharing_strategy(new_strategy):
    if new_strategy not in get_all_sharing_strategies():
        raise AssertionError(f"Unknown sharing strategy {new_strategy}")
    _strategy[0] = new_strategy


class ProcessContext:
    # Processes that run beside this one; the first that fails ends the others, and its error is raised here.
    def __init__(self, processes, errors):
        self.processes, self._errors = processes, errors

    def pids(self):
        return [p.pid for p in self.processes]

    def join(self, timeout=None, grace_period=None):
        import time
        start = time.time()
        while True:
            for i, p in enumerate(self.processes):
                if not p.is_alive() and p.exitcode != 0:
                    self._end(i, p, grace_period)
            if not any([p.is_alive() for p in self.processes]):
                return True
            if timeout is not None and time.time() - start >= timeout:
                return False
            time.sleep(0.005)

    def _end(self, i, failed, grace):
        # The others are asked to end; after `grace` seconds they are ended.
        for p in self.processes:
            p.terminate()
        for p in self.processes:
            p.join(30 if grace is None else grace)
            p.kill()
            p.join()
        try:
            with open(self._errors + f"/{i}") as f:
                text = f.read()
        except OSError:
            text = None
        if text is not None:
            raise ProcessRaisedException("\n\n-- Process %d terminated with the following error:\n" % i + text)
        if failed.exitcode < 0:
            raise ProcessExitedException(f"process {i} terminated with signal {-failed.exitcode}")
        raise ProcessExitedException(f"process {i} terminated with exit code {failed.exitcode}")


SpawnContext = ProcessContext


def _run(fn, i, args, errors):
    import sys, traceback
    try:
        fn(i, *args)
    except KeyboardInterrupt:
        pass
    except Exception:
        with open(errors + f"/{i}", "w") as f:
            f.write(traceback.format_exc())
        sys.exit(1)


def start_processes(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    # Process i runs fn(i, *args), beside the others.
    import tempfile
    errors = tempfile.mkdtemp()
    made = [Process(target=_run, args=(fn, i, tuple(args), errors), daemon=daemon) for i in range(nprocs)]
    for p in made:
        p._fork()
    context = ProcessContext(made, errors)
    if not join:
        return context
    try:
        context.join()
    finally:
        import shutil
        shutil.rmtree(errors, ignore_errors=True)


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    return start_processes(fn, args, nprocs, join, daemon, start_method)
