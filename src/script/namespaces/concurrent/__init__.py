# concurrent
