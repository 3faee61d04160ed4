# concurrent.futures.thread
from concurrent.futures import ThreadPoolExecutor
