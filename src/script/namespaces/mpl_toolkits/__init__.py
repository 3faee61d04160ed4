# mpl_toolkits -- of matplotlib's toolkits, axes in space and bars beside pictures.
