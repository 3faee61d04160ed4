# aesara.misc -- nothing that is needed; there so that it can be imported.
