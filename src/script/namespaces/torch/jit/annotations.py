# torch.jit.annotations -- lists that one number stands for: BroadcastingList2[int] is written for the type, and taken as List[int].
from typing import Any, Dict, List, Optional, Tuple, Union


class _Broadcasting:
    def __getitem__(self, kind):
        return List[kind]


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = BroadcastingList4 = BroadcastingList5 = BroadcastingList6 = _Broadcasting()
