# xml.sax -- of it what writes text into documents.
