# tensorflow.compat.v1.summary -- summaries as nodes of a graph, and their writer.
from tensorflow._summary import v1_scalar as scalar, v1_histogram as histogram, v1_image as image, merge, merge_all, FileWriter, Summary
