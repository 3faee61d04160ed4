# tensorflow.errors
from tensorflow._base import (OpError, InvalidArgumentError, FailedPreconditionError, NotFoundError, OutOfRangeError,
                              UnimplementedError, CancelledError)
