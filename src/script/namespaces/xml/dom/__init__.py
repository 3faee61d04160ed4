# xml.dom -- see minidom.
