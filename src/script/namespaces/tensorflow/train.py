# tensorflow.train -- checkpoints, and messages of examples.
from tensorflow._example import BytesList, Example, Feature, FeatureList, FeatureLists, Features, FloatList, Int64List, SequenceExample
from tensorflow._checkpoint import (Checkpoint, CheckpointManager, latest_checkpoint, get_checkpoint_state, load_checkpoint, load_variable,
                                    list_variables)
