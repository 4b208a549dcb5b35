import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writePickle } from '../../../testing/write-pickle.ts'
import type { PickleValue } from './pickle-value.ts'
import { readPickle } from './read-pickle.ts'
import vectors from './vectors.json' with { type: 'json' }

describe.each(vectors.pickled_requests)('$note', (row) => {
  it.each([row.pickle_protocol_4_base64, row.pickle_protocol_5_base64])('is read from %.20s…', (base64) => {
    const reading = readPickle(Buffer.from(base64, 'base64'))
    expect(reading.ok && bytesAsText(reading.value)).toEqual(row.decoded_with_bytes_as_text)
  })
})

describe('readPickle', () => {
  it('keeps bytes and text apart', () => {
    expect(read('\x80\x04C\x01a\x8c\x01a\x86.')).toEqual([Uint8Array.of(97), 'a'])
  })

  it.each<[string, string, PickleValue]>([
    ['booleans of protocol 0', '(I01\nI00\nl.', [true, false]],
    [
      'integers',
      '(I7\nL-8L\nJ\xff\xff\xff\xffK\x07M\x01\x01\x8a\x01\x80\x8a\x00t.',
      [7, -8, -1, 7, 257, -128, 0],
    ],
    ['large integers', '\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01.', 2n ** 64n],
    ['floats', '(F-1.5e3\nFinf\nG\x3f\xf8\0\0\0\0\0\0l.', [-1500, Number.POSITIVE_INFINITY, 1.5]],
    ['text of protocol 0', 'Vcaf\xe9 \\u4e2d\\U0001f600\\u005c\n.', 'café 中😀\\'],
    ['strings of Python 2', "(S'a\\'\\n\\x41'\nU\x01bT\x01\0\0\0\xffl.", ["a'\nA", 'b', Uint8Array.of(255)]],
    ['tuples', '()K\x01\x85K\x01K\x02\x86K\x01K\x02K\x03\x87t.', [[], [1], [1, 2], [1, 2, 3]]],
    ['sets', '\x8f(K\x01K\x02\x90.', new Set([1, 2])],
    ['frozen sets', '(K\x01\x91.', new Set([1])],
    ['dicts', '(K\x01Nd.', new Map([[1, null]])],
    ['what the memo holds', ']\x94(h\x00Nt0]q\x05j\x05\0\0\0\x86.', [[], []]],
    ['marks and copies', 'K\x01(K\x021(K\x03K\x022l\x86.', [1, [3, 2, 2]]],
  ])('reads %s', (_, pickle, value) => {
    expect(read(pickle)).toEqual(value)
  })

  it.each([
    ['GLOBAL', 'cos\nsystem\n(S"ls"\ntR.', 0],
    ['STACK_GLOBAL', '\x80\x04\x8c\x02os\x8c\x06system\x93.', 14],
    ['REDUCE', 'N)R.', 2],
    ['BUILD', 'N}b.', 2],
    ['OBJ', '(No.', 2],
    ['INST', '(ios\nsystem\n.', 1],
    ['PERSID', 'Px\n.', 0],
    ['BINPERSID', 'NQ.', 1],
    ['NEWOBJ', 'N)\x81.', 2],
    ['NEWOBJ_EX', 'N)}\x92.', 3],
    ['EXT1', '\x82\x01.', 0],
    ['EXT2', '\x83\x01\x00.', 0],
    ['EXT4', '\x84\x01\0\0\0.', 0],
    ['NEXT_BUFFER', '\x97.', 0],
    ['READONLY_BUFFER', 'N\x98.', 1],
  ])('refuses %s and says where', (refused, pickle, offset) => {
    expect(readPickle(bytesOf(pickle))).toMatchObject({ ok: false, refused, offset })
  })

  it.each([
    ['nothing', '', 'ends too early'],
    ['no STOP', 'N', 'ends too early'],
    ['a huge length', '\x8e\xff\xff\xff\xff\xff\xff\xff\xff.', 'ends too early'],
    ['a huge count of bytes', 'B\xff\xff\xff\xff.', 'ends too early'],
    ['an empty stack', '0.', 'empty stack'],
    ['a value below a mark', 'N(0.', 'empty stack'],
    ['a missing mark', 'Nt.', 'no mark'],
    ['an empty memo', 'h\x00.', 'nothing in the memo'],
    ['a byte that is not an instruction', '\xff.', '0xff at byte 0'],
    ['text that is no UTF-8', '\x8c\x01\xff.', 'not UTF-8'],
    ['half a character', 'V\\ud800\n.', 'half a character'],
    ['a number that is none', 'Ix\n.', 'an integer that is none'],
    ['a number without end', `I${'9'.repeat(1_000)}\n.`, 'an integer that is none'],
    ['a float without end', `F${'9'.repeat(1_000_000)}x\n.`, 'a float that is none'],
    ['a string without quotes', "S'a\n.", 'without quotes'],
    ['an odd number of items', '(Nd.', 'a key without a value'],
    ['items for a number', 'K\x01Na.', 'not a list'],
  ])('refuses %s', (_, pickle, reason) => {
    expect(readPickle(bytesOf(pickle))).toMatchObject({ ok: false, reason: expect.stringContaining(reason) })
  })

  it('refuses a list that contains itself', () => {
    expect(readPickle(bytesOf(']\x94h\x00a.'))).toMatchObject({
      ok: false,
      reason: 'more than 64 levels deep',
    })
  })

  it('refuses a few bytes that stand for a million values', () => {
    expect(readPickle(bytesOf(`]${'\x942\x86'.repeat(20)}.`))).toMatchObject({
      ok: false,
      reason: 'more than 100000 values',
    })
  })

  it('refuses text that is repeated beyond the limit', () => {
    const pickle = Buffer.concat([
      bytesOf('(X\x00\x00\x10\x00'),
      Buffer.alloc(1 << 20, 97),
      bytesOf(`${'2'.repeat(4)}l.`),
    ])
    expect(readPickle(pickle)).toMatchObject({ ok: false, reason: 'more than 4194304 bytes of text' })
  })

  it('refuses more instructions than the values could need', () => {
    const pickle = bytesOf(`]${'\x94'.repeat(900)}.`)
    expect(readPickle(pickle)).toEqual({ ok: true, value: [] })
    expect(readPickle(pickle, { maxElements: 100 })).toMatchObject({
      ok: false,
      reason: 'more than 100 values',
    })
  })

  it('refuses ten thousand levels without running out of stack', () => {
    expect(readPickle(bytesOf(`${']'.repeat(10_000)}${'a'.repeat(9_999)}.`))).toMatchObject({ ok: false })
  })

  it('never throws and always ends, whatever the bytes', () => {
    const opcodes = fc.constantFrom(...Array.from('()]}NK\x01\x88\x8f\x90\x91\x94h\x002aesutld0.1', bytesOf))
    const programs = fc.array(opcodes, { maxLength: 60 }).map((parts) => Buffer.concat(parts))
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), programs), (bytes) => {
        expect(typeof readPickle(bytes).ok).toBe('boolean')
      }),
      { numRuns: 2_000 },
    )
  })

  it('never throws when a request is cut or changed anywhere', () => {
    const requests = vectors.pickled_requests.map((row) =>
      Buffer.from(row.pickle_protocol_5_base64, 'base64'),
    )
    fc.assert(
      fc.property(
        fc.constantFrom(...requests),
        fc.nat(400),
        fc.nat(255),
        fc.nat(400),
        (request, at, byte, end) => {
          const changed = Buffer.from(request.subarray(0, 1 + end))
          changed[at % changed.length] = byte
          expect(typeof readPickle(changed).ok).toBe('boolean')
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('reads back what writePickle wrote', () => {
    fc.assert(
      fc.property(pickleValues, (value) => {
        expect(readPickle(writePickle(value), { maxDepth: 200 })).toEqual({ ok: true, value })
      }),
      { numRuns: 300 },
    )
  })
})

const python = spawnSync('python3', ['--version']).status === 0

describe.runIf(python)('with Python at hand', () => {
  it('reads what every protocol writes', () => {
    const data = `{'url': 'http://caf\\u00e9/\\U0001f600\\\\', 'n': [0, 255, 256, 65536, -1, -2**31, 2**40, 2**70, -2**70], 'f': [1.5, -0.0, 1e300],
      'b': [True, False, None], 't': [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)], 'same': ['utf-8', 'utf-8'], 'long': 'x' * 70000}`
    const value = new Map<PickleValue, PickleValue>([
      ['url', 'http://café/😀\\'],
      ['n', [0, 255, 256, 65536, -1, -(2 ** 31), 2 ** 40, 2n ** 70n, -(2n ** 70n)]],
      ['f', [1.5, -0, 1e300]],
      ['b', [true, false, null]],
      ['t', [[], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4]]],
      ['same', ['utf-8', 'utf-8']],
      ['long', 'x'.repeat(70_000)],
    ])
    const pickles = runPython(`for protocol in range(6): print(pickle.dumps(${data}, protocol).hex())`)
    expect(pickles).toHaveLength(6)
    for (const pickle of pickles) expect(readPickle(pickle)).toEqual({ ok: true, value })
  })

  it('writes what Python loads', () => {
    const values = fc.sample(pickleValues, 100)
    const hex = Buffer.from(writePickle(values)).toString('hex')
    const [again = Buffer.of()] = runPython(
      'print(pickle.dumps(pickle.loads(bytes.fromhex(input()))).hex())',
      hex,
    )
    expect(readPickle(again)).toEqual({ ok: true, value: values })
  })
})

/** Only what Python and we tell apart in the same way: a whole number is an int, keys are hashable. */
const pickleValues: fc.Arbitrary<PickleValue> = fc.letrec<{ value: PickleValue }>((tie) => {
  const scalar = fc.oneof(
    fc.constantFrom<PickleValue>(null, true, false),
    fc.maxSafeInteger(),
    fc.integer(),
    fc.double({ noNaN: true }),
    fc.bigInt({ min: 2n ** 60n, max: 2n ** 200n }),
    fc.bigInt({ min: -(2n ** 200n), max: -(2n ** 60n) }),
    fc.string({ unit: 'binary' }),
    fc.uint8Array({ maxLength: 20 }),
  )
  return {
    value: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.array(tie('value'), { maxLength: 4 }),
      fc
        .dictionary(fc.string(), tie('value'), { maxKeys: 4 })
        .map((entries) => new Map(Object.entries(entries))),
      fc.uniqueArray(fc.string(), { maxLength: 1 }).map((members) => new Set<PickleValue>(members)),
    ),
  }
}).value

function read(pickle: string): PickleValue | undefined {
  const reading = readPickle(bytesOf(pickle))
  return reading.ok ? reading.value : undefined
}

function bytesOf(latin1: string): Buffer {
  return Buffer.from(latin1, 'latin1')
}

/** @returns the lines it printed, each as hex */
function runPython(code: string, input = ''): Buffer[] {
  const { stdout, stderr } = spawnSync('python3', ['-c', `import pickle\n${code}`], {
    input,
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  return stdout
    .trim()
    .split('\n')
    .map((line) => Buffer.from(line, 'hex'))
}

/** The form in which the vectors show a value. */
function bytesAsText(value: PickleValue): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8')
  if (value instanceof Map)
    return Object.fromEntries(Array.from(value, ([key, part]) => [bytesAsText(key), bytesAsText(part)]))
  return Array.isArray(value) ? value.map(bytesAsText) : value
}
