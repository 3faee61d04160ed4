# typing's forms taken apart.
import typing
from typing import *
print(get_args(Union[int,str]), get_args(Optional[int]), get_origin(List[int]), get_origin(Union[int,None]) is Union, get_args(Dict[str,int]), get_origin(int), get_origin(Callable[[int],str]), get_args(Literal['a','b']))
class P(NamedTuple):
    x: int
    y: float = 2.0
print(P(1), P(1)._asdict())
class A:
    a: int
    b: 'str'
print(get_type_hints(A))
T=TypeVar('T'); print(T, List[int], Optional[str])
