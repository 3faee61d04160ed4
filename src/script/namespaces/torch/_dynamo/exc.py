# torch._dynamo.exc -- what torch.compile raises.
class TorchDynamoException(RuntimeError):
    pass


class Unsupported(TorchDynamoException):
    pass


class UserError(Unsupported):
    pass


class InvalidBackend(TorchDynamoException):
    pass


class BackendCompilerFailed(TorchDynamoException):
    pass


class RecompileLimitExceeded(Unsupported):
    pass
