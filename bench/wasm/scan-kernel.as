// AssemblyScript: the scan part of a page reader on bytes, with SIMD. UTF-8 in, UTF-8 columns out. An experiment: it knows no <svg>, <math>
// and <template>, and decodes numeric references and six named ones.
// Memory: the page at `input`, its text at `output`, and 16 bytes per link at `table`: start and length of the address, and of the anchor text.

let input: usize = 0
let output: usize = 0
let table: usize = 0
let out: usize = 0
let links: i32 = 0
let titleStart: usize = 0
let titleEnd: usize = 0
let pendingBreak: u8 = 0
/** Start of the table row of the open link; 0: none. */
let openLink: usize = 0

/** @returns where the page must be copied to */
export function reserve(bytes: i32): usize {
  const page = (<usize>bytes + 63) & ~31
  const needed = page * 8 + 0x1_0000
  const have = <usize>memory.size() << 16
  if (have < __heap_base + needed) memory.grow(<i32>((__heap_base + needed - have + 0xffff) >> 16))
  input = (__heap_base + 31) & ~31
  // An address can be written before the text that it is part of, so that the text is at most twice the page.
  output = input + page
  table = output + page * 2
  return input
}
export function textStart(): usize { return output }
export function textEnd(): usize { return out }
export function tableStart(): usize { return table }
export function titleFrom(): usize { return titleStart }
export function titleTo(): usize { return titleEnd }

// @ts-ignore: decorator
@inline function isSpace(c: u8): bool { return c == 32 || (c >= 9 && c <= 13 && c != 11) }
// @ts-ignore: decorator
@inline function isLetter(c: u8): bool { return ((c | 32) - 97) < 26 }

/** The next byte of this value, or `end`. */
function find(p: usize, end: usize, value: u8): usize {
  const wanted = i8x16.splat(<i8>value)
  while (p + 16 <= end) {
    const mask = i8x16.bitmask(i8x16.eq(v128.load(p), wanted))
    if (mask) return p + ctz(mask)
    p += 16
  }
  while (p < end && load<u8>(p) != value) p++
  return p
}

function startsWith(p: usize, end: usize, name: u64, length: i32): bool {
  if (p + length > end) return false
  for (let i = 0; i < length; i++) if ((load<u8>(p + i) | 32) != <u8>(name >> (i << 3))) return false
  return true
}

/** The end tag of raw text, or the end. */
function rawEnd(p: usize, end: usize, name: u64, length: i32): usize {
  while (true) {
    p = find(p, end, 60)
    if (p >= end) break
    if (p + 1 < end && load<u8>(p + 1) == 47 && startsWith(p + 2, end, name, length)) return p
    p++
  }
  return end
}

function writeBreak(): void {
  if (pendingBreak == 0) return
  if (out > output) store<u8>(out++, pendingBreak)
  pendingBreak = 0
}

function writeCode(code: u32): void {
  if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd
  if (code < 0x80) { store<u8>(out++, <u8>code); return }
  if (code < 0x800) { store<u8>(out++, <u8>(0xc0 | (code >> 6))) }
  else {
    if (code < 0x10000) { store<u8>(out++, <u8>(0xe0 | (code >> 12))) }
    else {
      store<u8>(out++, <u8>(0xf0 | (code >> 18)))
      store<u8>(out++, <u8>(0x80 | ((code >> 12) & 63)))
    }
    store<u8>(out++, <u8>(0x80 | ((code >> 6) & 63)))
  }
  store<u8>(out++, <u8>(0x80 | (code & 63)))
}

/** Writes the character of a reference at `&` and returns its end; `p` itself if it is not known. */
function reference(p: usize, end: usize): usize {
  let q = p + 1
  if (q < end && load<u8>(q) == 35) {
    q++
    let code: u32 = 0
    const hex = q < end && (load<u8>(q) | 32) == 120
    if (hex) q++
    const start = q
    for (; q < end; q++) {
      const c = load<u8>(q)
      const digit: u32 = c >= 48 && c <= 57 ? c - 48 : hex && (c | 32) >= 97 && (c | 32) <= 102 ? (c | 32) - 87 : 99
      if (digit == 99) break
      if (code < 0x200000) code = code * (hex ? 16 : 10) + digit
    }
    if (q == start) return p
    writeCode(code)
    return q < end && load<u8>(q) == 59 ? q + 1 : q
  }
  let name: u64 = 0
  let n = 0
  while (q < end && n < 8 && isLetter(load<u8>(q))) { name |= <u64>load<u8>(q++) << (n << 3); n++ }
  if (q >= end || load<u8>(q) != 59) return p
  let code: u32 = 0
  if (name == 0x706d61) code = 38
  else if (name == 0x746c) code = 60
  else if (name == 0x7467) code = 62
  else if (name == 0x746f7571) code = 34
  else if (name == 0x736f7061) code = 39
  else if (name == 0x7073626e) code = 0xa0
  if (code == 0) return p
  writeCode(code)
  return q + 1
}

/** Text from p to end, with white space collapsed. */
function writeText(p: usize, end: usize): void {
  while (p < end) {
    const c = load<u8>(p)
    if (isSpace(c)) {
      if (pendingBreak == 0) pendingBreak = 32
      p++
      continue
    }
    writeBreak()
    if (c == 38) {
      const next = reference(p, end)
      if (next != p) { p = next; continue }
    }
    store<u8>(out++, c)
    p++
  }
}

/** An attribute value, with references decoded. */
function writeValue(p: usize, end: usize): void {
  while (p < end && isSpace(load<u8>(p))) p++
  while (end > p && isSpace(load<u8>(end - 1))) end--
  while (p < end) {
    const c = load<u8>(p)
    if (c == 38) {
      const next = reference(p, end)
      if (next != p) { p = next; continue }
    }
    store<u8>(out++, c)
    p++
  }
}

function closeLink(): void {
  if (openLink == 0) return
  store<u32>(openLink, <u32>out - load<u32>(openLink, 8), 12)
  openLink = 0
}

/** 1: a line break, 2: a tab, 0: nothing. Names as little-endian numbers of at most 8 letters. */
function breakOf(name: u64): i32 {
  switch (<i64>name) {
    case 0x6474: case 0x6874: return 2 // td th
    case 0x70: case 0x766964: case 0x696c: case 0x6c75: case 0x6c6f: case 0x7274: case 0x7262: case 0x7268: // p div li ul ol tr br hr
    case 0x6c64: case 0x6464: case 0x7464: case 0x657270: case 0x3168: case 0x3268: case 0x3368: case 0x3468: case 0x3568: case 0x3668: // dl dd dt pre h1…h6
    case 0x656c626174: case 0x79646f62: case 0x6c6d7468: case 0x76616e: case 0x6e69616d: case 0x6d726f66: // table body html nav main form
    case 0x6e6f6974636573: case 0x656c6369747261: case 0x7265746f6f66: case 0x726564616568: case 0x6564697361: // section article footer header aside
    case 0x79646f6274: case 0x6461656874: case 0x746f6f6674: case 0x6e6f6974706f: return 1 // tbody thead tfoot option
    default: return 0
  }
}

/** @returns the number of links */
export function scan(bytes: i32): i32 {
  const end = input + <usize>bytes
  let p = input
  out = output
  links = 0
  titleStart = 0
  titleEnd = 0
  pendingBreak = 0
  openLink = 0
  while (p < end) {
    const lt = find(p, end, 60)
    if (lt > p) writeText(p, lt)
    p = lt + 1
    if (p >= end) break
    const c = load<u8>(p)
    if (c == 33 || c == 63) { // <! <?
      if (p + 2 < end && load<u16>(p + 1) == 0x2d2d) {
        p += 3
        if (p < end && load<u8>(p) == 62) { p++; continue }
        for (;;) {
          p = find(p, end, 62)
          if (p >= end) break
          if (load<u16>(p - 2) == 0x2d2d) break
          p++
        }
        p++
      } else p = find(p, end, 62) + 1
      continue
    }
    const isEnd = c == 47
    if (isEnd) p++
    if (p >= end || !isLetter(load<u8>(p))) {
      if (isEnd) p = find(p, end, 62) + 1
      else { writeBreak(); store<u8>(out++, 60) }
      continue
    }
    let name: u64 = 0
    let n = 0
    while (p < end) {
      const d = load<u8>(p)
      if (isSpace(d) || d == 62 || d == 47) break
      if (n < 8) name |= <u64>(d >= 65 && d <= 90 ? d | 32 : d) << (n << 3)
      n++
      p++
    }
    if (n > 8) name = 0
    const isLink = !isEnd && (name == 0x61 || name == 0x61657261 || name == 0x6b6e696c) // a area link
    const isFrame = !isEnd && (name == 0x656d617266 || name == 0x656d61726669) // frame iframe
    const wanted: u64 = isLink ? 0x66657268 : isFrame ? 0x637273 : 0 // href src
    let valueStart: usize = 0
    let valueEnd: usize = 0
    // Attributes
    for (;;) {
      while (p < end && (isSpace(load<u8>(p)) || load<u8>(p) == 47)) p++
      if (p >= end) break
      if (load<u8>(p) == 62) { p++; break }
      let attribute: u64 = 0
      let m = 0
      do {
        const d = load<u8>(p)
        if (m < 8) attribute |= <u64>(d >= 65 && d <= 90 ? d | 32 : d) << (m << 3)
        m++
        p++
        if (p >= end) break
        const e = load<u8>(p)
        if (e == 61 || e == 62 || e == 47 || isSpace(e)) break
      } while (true)
      while (p < end && isSpace(load<u8>(p))) p++
      if (p >= end || load<u8>(p) != 61) continue
      p++
      while (p < end && isSpace(load<u8>(p))) p++
      if (p >= end) break
      const quote = load<u8>(p)
      let from: usize
      let to: usize
      if (quote == 34 || quote == 39) {
        from = p + 1
        to = find(from, end, quote)
        p = to + 1
      } else {
        from = p
        while (p < end && load<u8>(p) != 62 && !isSpace(load<u8>(p))) p++
        to = p
      }
      if (wanted != 0 && attribute == wanted && m <= 8 && valueStart == 0) { valueStart = from; valueEnd = to }
    }
    if (name == 0x61 && isEnd) { closeLink(); continue }
    if (name == 0x61) closeLink()
    const kind = breakOf(name)
    if (kind == 1) pendingBreak = 10
    else if (kind == 2 && pendingBreak != 10) pendingBreak = 9
    if (valueStart != 0) {
      writeBreak()
      const row = table + (<usize>links << 4)
      links++
      store<u32>(row, <u32>out)
      const before = out
      writeValue(valueStart, valueEnd)
      store<u32>(row, <u32>(out - before), 4)
      store<u32>(row, <u32>out, 8)
      store<u32>(row, 0, 12)
      if (name == 0x61) openLink = row
    }
    if (isEnd) continue
    let raw = 0
    if (name == 0x747069726373) raw = 6 // script
    else if (name == 0x656c797473 || name == 0x656c746974) raw = 5 // style title
    else if (name == 0x656d61726669) raw = 6 // iframe
    else if (name == 0x6165726174786574) raw = 8 // textarea
    if (raw != 0) {
      const close = rawEnd(p, end, name, raw)
      if (name == 0x656c746974 && titleStart == 0) { titleStart = p; titleEnd = close }
      else if (raw == 8) writeText(p, close)
      p = close
    }
  }
  closeLink()
  return links
}
