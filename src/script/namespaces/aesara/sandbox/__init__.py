# aesara.sandbox -- see aesara.sandbox.rng_mrg.
