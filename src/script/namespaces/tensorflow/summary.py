# tensorflow.summary -- writers of event files.
from tensorflow._summary import create_file_writer, scalar, histogram, image, flush, experimental, SummaryWriter
