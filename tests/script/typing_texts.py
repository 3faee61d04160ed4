import typing, types
from typing import *
from collections.abc import Sequence as S, Callable as C, Mapping, Iterable, Hashable, Sized
print(int | None, int | str, int | S[int] | None, list[int] | None, Optional[int] | str)
print(isinstance(3, int | str), isinstance("a", int | None), isinstance(None, int | None), issubclass(bool, int | str))
print(type(int | str), (int | str).__args__, (int | str) == (str | int), int | int)
print(list[int], dict[str, list[int]], tuple[int, ...], type[int], set[str], list[int].__origin__, list[int].__args__)
print(list[int]((1, 2)), type(list[int]), list[int] == list[int], hash(list[int]) == hash(list[int]))
print(Union[int, str], Optional[int], Union[int, None], Optional[str | int], Union[int], Union[int, Union[str, int]])
print(List[int], Dict[str, int], Tuple[int, ...], Callable[[int], str], Callable[..., Any], Callable[[], None], Literal["a", 1], Type[int])
print(get_origin(List[int]), get_args(Dict[str, int]), get_origin(Union[int, str]), get_args(Callable[[int], str]), get_origin(list[int]), get_origin(int | str), get_args(Optional[int]))
T = TypeVar("T"); K = TypeVar("K", bound=int)
print(T, K.__bound__, List[T], Dict[str, T], List[T][int])
class G(Generic[T]):
    def f(self): return 1
print(G[int], G[int]().f(), G.__parameters__, G[int].__origin__ is G, G.__orig_bases__)
@runtime_checkable
class P(Protocol):
    x: int
    def close(self): ...
class Q:
    x = 1
    def close(self): pass
class R:
    def close(self): pass
print(isinstance(Q(), P), isinstance(R(), P))
class NT(NamedTuple):
    a: int
    b: str = "z"
print(NT(1), NT.__annotations__, NT._field_defaults, NT(1)._asdict(), NT(1)._replace(a=3))
class TD(TypedDict, total=False):
    a: int
print(TD(a=1), TD.__annotations__, TD.__total__)
print(Any, NoReturn, ClassVar[int], Final[int], Annotated[int, 3], Annotated[int, 3].__metadata__)
print(isinstance([1], S), isinstance({}, Mapping), isinstance((), Iterable), isinstance([], Hashable), isinstance((), Sized), callable(print), isinstance(print, C))
print(cast(int, "3"), NewType("U", int)(5), NewType("U", int).__name__)
U = NewType("U", int); print(U, U.__supertype__)
print(typing.List, typing.Sequence[int], typing.Iterable[T], typing.Mapping[str, int])
class A(List[int]): pass
print(A([1]), A.__mro__[1])
class B(Dict[str, int]): pass
print(B(a=1))
def f(x: "int", y: "T" = 1) -> Optional["str"]: pass
print(get_type_hints(f))
print(C[[int], str], S[int], C)
P2 = ParamSpec("P2"); print(P2, Callable[P2, int], Concatenate[int, P2])
print(TypeVar("X", int, str).__constraints__, ForwardRef("a"), Self, Never)
print(types.UnionType, types.GenericAlias, isinstance(list[int], types.GenericAlias), isinstance(int | str, types.UnionType))
try: isinstance(1, List[int])
except TypeError as e: print(e)
try: isinstance(1, list[int])
except TypeError as e: print(e)
print(isinstance([1], List), issubclass(dict, Mapping), isinstance({}, typing.Mapping), isinstance([], typing.Sequence))
@overload
def o(a: int): ...
print(typing.TYPE_CHECKING, typing.get_type_hints(NT))
@dataclass_transform()
def dd(c): return c
print(assert_type(3, int), reveal_type.__name__)
