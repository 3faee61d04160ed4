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


class SpawnContext:
    def __init__(self, processes):
        self.processes = processes

    def pids(self):
        return [p.pid for p in self.processes]

    def join(self, timeout=None):
        return True


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    # Process i runs fn(i, *args). Several that wait for each other cannot run one after another: torch.distributed says so.
    made = []
    for i in range(nprocs):
        p = Process(target=fn, args=(i,) + tuple(args), daemon=daemon)
        p._started, p.pid = True, i
        fn(i, *args)
        p.exitcode = 0
        made.append(p)
    return None if join else SpawnContext(made)


start_processes = spawn
