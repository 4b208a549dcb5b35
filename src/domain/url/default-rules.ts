/** What the crawler has no reader for. */
const EXTENSIONS = [
  'avif bmp eps gif heic ico jpeg jpg png psd svg tif tiff webp wmf',
  'aac avi flac flv m4a m4v mkv mov mp3 mp4 mpeg mpg ogg wav webm wmv',
  'css eot js mjs otf ttf wasm woff woff2',
  '7z bz2 gz iso jar rar sit tar tgz xz zip zst',
  'apk bin deb dmg exe msi pkg rpm',
]
  .join(' ')
  .replaceAll(' ', '|')

/**
 * The rules of a crawl that brings none of its own: Nutch's, for today's web. Queries are welcome (Nutch rejects them
 * all); traps are caught by their shape, which is the trap filter's work; schemes are the normaliser's.
 */
export const DEFAULT_RULES = `# Sitemaps
+(?i)\\.xml\\.gz$
# Files that are not read, with or without a query
-(?i)\\.(?:${EXTENSIONS})$
-(?i)\\.(?:${EXTENSIONS})\\?
# Links that do something instead of showing something: blog replies, shopping carts
-[?&](?:replytocom|add-to-cart|add_to_wishlist)=
+.
`
