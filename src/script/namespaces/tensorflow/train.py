# tensorflow.train -- checkpoints.
from tensorflow._checkpoint import (Checkpoint, CheckpointManager, latest_checkpoint, get_checkpoint_state, load_checkpoint, load_variable,
                                    list_variables)
