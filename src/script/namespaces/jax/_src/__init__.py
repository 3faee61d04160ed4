# jax._src -- names that packages take from inside jax.
