# numpy.rec -- arrays of records whose fields are attributes.
from numpy._records import fromarrays, fromrecords, rec_array as array, recarray, record
