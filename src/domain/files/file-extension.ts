/** Extensions of the usual types of files. Others keep the extension of their URL. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'application/epub+zip': 'epub',
    'application/gzip': 'gz',
    'application/json': 'json',
    'application/msword': 'doc',
    'application/pdf': 'pdf',
    'application/postscript': 'ps',
    'application/rss+xml': 'xml',
    'application/rtf': 'rtf',
    'application/vnd.ms-excel': 'xls',
    'application/vnd.ms-powerpoint': 'ppt',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
    'application/wasm': 'wasm',
    'application/x-7z-compressed': '7z',
    'application/x-bzip2': 'bz2',
    'application/x-rar-compressed': 'rar',
    'application/x-tar': 'tar',
    'application/x-xz': 'xz',
    'application/xhtml+xml': 'xhtml',
    'application/xml': 'xml',
    'application/zip': 'zip',
    'application/zstd': 'zst',
    'audio/aac': 'aac',
    'audio/flac': 'flac',
    'audio/mp4': 'm4a',
    'audio/mpeg': 'mp3',
    'audio/ogg': 'ogg',
    'audio/wave': 'wav',
    'font/woff': 'woff',
    'font/woff2': 'woff2',
    'image/avif': 'avif',
    'image/bmp': 'bmp',
    'image/gif': 'gif',
    'image/jpeg': 'jpg',
    'image/png': 'png',
    'image/svg+xml': 'svg',
    'image/tiff': 'tif',
    'image/webp': 'webp',
    'image/x-icon': 'ico',
    'text/css': 'css',
    'text/csv': 'csv',
    'text/html': 'html',
    'text/javascript': 'js',
    'text/markdown': 'md',
    'text/xml': 'xml',
    'video/mp4': 'mp4',
    'video/mpeg': 'mpg',
    'video/ogg': 'ogv',
    'video/quicktime': 'mov',
    'video/webm': 'webm',
  }),
)

/** The extension of a file, without its dot; `undefined`: neither the type nor the URL tells it. */
export function fileExtension(type: string, url: string): string | undefined {
  const { pathname } = new URL(url)
  const named = /\.([a-z0-9]{1,8})$/i.exec(pathname)?.[1]?.toLowerCase()
  const known = EXTENSIONS.get(type)
  if (known !== undefined) return known
  // The name of a page or a script, such as download.php, tells nothing about the file.
  if (named !== undefined && !/^(?:php\d?|aspx?|jsp|cgi|html?)$/.test(named)) return named
  return type === 'text/plain' ? 'txt' : undefined
}

/** Whether a type is among `types`, such as `image/*`; an empty list has all. */
export function isTypeAllowed(type: string, types: readonly string[]): boolean {
  if (types.length === 0) return true
  return types.some((allowed) => {
    const lower = allowed.toLowerCase()
    if (lower === '*/*') return true
    return lower.endsWith('/*') ? type.startsWith(lower.slice(0, -1)) : type === lower
  })
}
