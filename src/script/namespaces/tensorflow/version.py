# tensorflow.version
VERSION = "2.21.0"
