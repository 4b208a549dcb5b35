/** File name extensions that lead to no page: what a LinkExtractor leaves out unless told otherwise. */
export const DENIED_EXTENSIONS: readonly string[] = [
  // Archives
  ...'7z 7zip bz2 cab deb gz iso jar rar rpm tar tgz xz zip zst'.split(' '),
  // Images
  ...'ai avif bmp cdr drw dxf eps gif heic ico jpe jpeg jpg mng pct png ps psd pst svg svgz tif tiff webp'.split(
    ' ',
  ),
  // Sound
  ...'aac aif aiff au flac m4a mid midi mp3 oga ogg opus ra wav wma'.split(' '),
  // Film
  ...'3g2 3gp asf asx avi flv m4v mkv mov mp4 mpeg mpg ogv qt rm swf vob webm wmv'.split(' '),
  // Office
  ...'doc docm docx dotx epub odp ods odt pdf potx pps ppsx ppt pptm pptx rtf xls xlsb xlsm xlsx xltx'.split(
    ' ',
  ),
  // Programs, and what pages are made with
  ...'apk bat bin cpl css dmg eot exe hta js mjs msi msp otf pkg py rb rss sh ttf wasm woff woff2'.split(' '),
]
