# multiprocessing.pool
from multiprocessing import Pool

ThreadPool = Pool
