# xml -- of it what flags need: a document that writes itself.
