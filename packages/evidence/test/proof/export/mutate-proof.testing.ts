import { canonical } from '../../../verifiers/verify.mjs'
import { SIGNER, signAnew } from './craft-proof.testing.ts'
import type { Json } from './run-verifiers.testing.ts'

/** Numbers from 0 on below a bound, the same for each seed (mulberry32). */
export type Random = (below: number) => number

export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below) | 0
  }
}

const pick = <T>(random: Random, of: readonly T[]): T => of[random(of.length)]!

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

/** What parsers of JSON differ about, and what they do not. */
const VALUES = [
  ...['NaN', 'Infinity', '-Infinity', '1.0', '37.0', '1e2', '1E+2', '-0', '-1', '00', '01', '+1', '.5', '5.', '0x10', '1_000'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '1e400', '9'.repeat(5_000), `-${'9'.repeat(5_000)}`],
  ...[
    '"\\ud800"',
    '"\\udc00"',
    '"\\ud83d\\ude00"',
    '"\\ude00\\ud83d"',
    '"\\uD83D\\uDE00"',
    '"😀"',
    '"\u2028"',
    '"\ufeff"',
    '"\\/"',
    '"\\u0000"',
    '"\u0000"',
  ],
  ...[
    '"\t"',
    '"\\t"',
    '"\\x41"',
    '"\\u004"',
    '"a\\"b"',
    '"\\\\"',
    '"é"',
    '"e\u0301"',
    "'a'",
    '"',
    '""',
    'true',
    'True',
    'null',
    'None',
    'undefined',
  ],
  ...['{}', '[]', '[1,]', '{"a":1,}', '{"a":1,"a":2}', '{"__proto__":1}', '{"constructor":{}}', '/* a */1', '//', '\u00a01', '\v1'],
  ...[
    nested(3),
    nested(63),
    nested(64),
    nested(65),
    nested(990),
    nested(5_000),
    '{"a":'.repeat(70),
    `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`,
  ],
] as const

/** Bytes that are no UTF-8, that are some only for lax decoders, or that mark an order. */
const BYTES = ['80', 'c080', 'c3', 'eda080', 'edb080', 'f4908080', 'f8', 'ff', 'efbbbf', 'fffe', '00', '7f', 'e282', 'f09f98'].map((hex) =>
  Buffer.from(hex, 'hex'),
)

/** Points of small order, encodings that are not canonical, and bytes that are those of no point. */
const KEYS = [
  ...[
    '00'.repeat(32),
    `01${'00'.repeat(31)}`,
    `ec${'ff'.repeat(30)}7f`,
    `ed${'ff'.repeat(30)}7f`,
    `ee${'ff'.repeat(30)}7f`,
    'ff'.repeat(32),
  ],
  ...[`01${'00'.repeat(30)}80`, `ec${'ff'.repeat(31)}`, `${'00'.repeat(31)}80`, `02${'00'.repeat(31)}`, `03${'00'.repeat(31)}`],
  ...[
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  ],
]

const TIMES = [
  '2021-03-01T10:00:00.000Z',
  '2026-02-30T00:00:00.000Z',
  '2026-13-01T00:00:00.000Z',
  '2026-01-01T24:00:00.000Z',
  '0000-01-01T00:00:00.000Z',
]
const MORE_TIMES = [
  '9999-12-31T23:59:59.999Z',
  '2026-01-01T00:00:00Z',
  '2026-01-01 00:00:00.000Z',
  '٢٠٢٦-01-01T00:00:00.000Z',
  '2026-01-01T00:00:00.000Z\n',
  '',
]

type Path = readonly (string | number)[]

/** Every place in a value, itself left out. */
const placesIn = (value: unknown, path: Path = []): Path[] => {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const inside = [...path, Array.isArray(value) ? Number(name) : name]
    return [inside, ...placesIn(member, inside)]
  })
}

const valueAt = (value: Json, path: Path): Json => path.reduce<Json>((inside, name) => inside[name as number]!, value)

const set = (proof: Json, path: Path, value: unknown): void => {
  Object.assign(valueAt(proof, path.slice(0, -1)), { [path.at(-1)!]: value })
}

const MARK = '\u0001'

/** Puts a text, which may be no JSON, where a value is. */
const spliced = (proof: Json, path: Path, text: string): string => {
  const copy = structuredClone(proof)
  set(copy, path, MARK)
  return canonical(copy).replace('"\\u0001"', () => text)
}

/** The text of an event is JSON of its own: it is changed, and the proof is signed anew. */
const changeText = (proof: Json, random: Random): object => {
  const event = pick(random, pick(random, proof.contacts!).events!).event!
  const name = pick(random, ['data', 'meta'])
  const text = String(event[name])
  const value = JSON.parse(text) as Readonly<Record<string, unknown>>
  const member = pick(random, [...Object.keys(value), 'other', '__proto__'])
  const { [member]: _, ...others } = value
  const rest = JSON.stringify(others).slice(1, -1)
  Object.assign(event, {
    [name]: pick(random, [
      `{${JSON.stringify(member)}:${pick(random, VALUES)},${rest}}`,
      `{${rest},${JSON.stringify(member)}:${pick(random, VALUES)}}`,
      pick(random, VALUES),
      `${text} `,
    ]),
  })
  return signAnew(proof)
}

const changeMember = (proof: Json, random: Random): object => {
  const path = pick(random, placesIn(proof))
  const value: unknown = valueAt(proof, path)
  const other: unknown = valueAt(proof, pick(random, placesIn(proof)))
  if (typeof value === 'number') set(proof, path, pick(random, [value + 1, Math.max(0, value - 1), 0, 2 ** 52, 2 ** 53 - 1]))
  else if (typeof value === 'string')
    set(proof, path, pick(random, [...TIMES, ...MORE_TIMES, `${value}x`, value.toUpperCase(), value.replace(/./, '0'), '0'.repeat(64)]))
  else set(proof, path, structuredClone(other))
  return proof
}

const changeList = (proof: Json, random: Random): object => {
  const lists = placesIn(proof).filter((path) => Array.isArray(valueAt(proof, path)))
  const list: Json[] = valueAt(proof, pick(random, lists))
  const [from, to] = [random(list.length), random(list.length)]
  if (random(2) === 0) list.splice(from, 1)
  else list.splice(to, 0, structuredClone(list[from]!))
  return proof
}

const changeNames = (proof: Json, random: Random): object => {
  const objects = placesIn(proof).filter((path) => !Array.isArray(valueAt(proof, path)) && typeof valueAt(proof, path) === 'object')
  const object = valueAt(proof, pick(random, objects)) ?? {}
  const name = pick(random, [...Object.keys(object), 'unknown', '😀', '\uffee', '__proto__', 'toString', ''])
  if (random(2) === 0) Reflect.deleteProperty(object, name)
  else
    Object.defineProperty(object, name, { value: pick(random, [1, 'a', null, []]), enumerable: true, configurable: true, writable: true })
  return proof
}

const changeKey = (proof: Json, random: Random): object => {
  const publicKey = pick(random, KEYS)
  const target = pick(random, [
    () => Object.assign(proof.key!, { publicKey }),
    () => Object.assign(proof, { signature: publicKey + pick(random, KEYS) }),
  ])
  target()
  return random(2) === 0 ? proof : Object.assign(proof, { head: { ...proof.head, signature: pick(random, KEYS) + '00'.repeat(32) } })
}

const changeBytes = (text: Buffer, random: Random): Buffer => {
  const [at, length] = [random(text.length), random(3)]
  const between = pick(random, [
    ...BYTES,
    Buffer.from(pick(random, VALUES)),
    Buffer.of(random(256)),
    Buffer.of(text[at]! ^ (1 << random(8))),
  ])
  return Buffer.concat([text.subarray(0, at), between, text.subarray(at + length)])
}

/** One mutation of a proof: a text or bytes, signed again by its own signer or not. */
export function mutated(proof: Json, random: Random): string | Buffer {
  const copy = structuredClone(proof)
  const kind = random(10)
  if (kind < 2) return spliced(copy, pick(random, placesIn(copy)), pick(random, VALUES))
  if (kind < 4) return changeBytes(Buffer.from(canonical(copy)), random)
  if (kind === 4) return canonical(changeKey(copy, random))
  if (kind === 5) return canonical(changeText(copy, random))
  const change = pick(random, [changeMember, changeList, changeNames])
  const changed = change(copy, random)
  return canonical(random(2) === 0 ? changed : signAnew(changed, SIGNER))
}

/** One mutation of the lines of an anchor. */
export function mutatedAnchor(lines: string, random: Random): Buffer {
  return random(4) === 0 ? Buffer.from(lines) : changeBytes(Buffer.from(lines), random)
}
