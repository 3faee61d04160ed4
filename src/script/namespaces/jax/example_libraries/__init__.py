# jax.example_libraries
