import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { ed25519 } from '@noble/curves/ed25519.js'
import { expect, test } from 'vitest'
import { GrowingTree } from '../../../src/proof/tree/growing-tree.ts'
import { leafHash } from '../../../src/proof/tree/hash.ts'
import { consistencyRanges, inclusionRanges } from '../../../src/proof/tree/ranges.ts'
import { hashOfRange } from '../../../src/proof/tree/tiles.ts'
import { pageCrypto } from '../../../verifiers/in-page.mjs'
import { consentsIn, nodeCrypto } from '../../../verifiers/verify.mjs'
import { python } from './run-verifiers.testing.ts'

const FOLDER = fileURLToPath(new URL('../../../verifiers', import.meta.url))

/** What an expression of Python gives that may use the verifier. */
const inPython = (expression: string, input: unknown): unknown => {
  const program = `import json, sys\nsys.path.insert(0, ${JSON.stringify(FOLDER)})\nsys.dont_write_bytecode = True\nimport verify\ngiven = json.load(sys.stdin)\nprint(json.dumps(${expression}))`
  return JSON.parse(execFileSync('python3', ['-I', '-S', '-c', program], { input: JSON.stringify(input) }).toString())
}

/** RFC 8032 §7.1: secret keys are not needed to verify. */
const VECTORS = [
  [
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    'r',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
] as const

type SignedText = readonly [key: string, signature: string, text: string]

/** Whether each is signed, as every verifier must say. */
const areSigned = (cases: readonly SignedText[]): readonly boolean[] => {
  const [byNode, byPage] = [nodeCrypto, pageCrypto].map(({ isSignedBy }) =>
    cases.map(([key, signature, text]) => isSignedBy(Buffer.from(key, 'hex'), Buffer.from(signature, 'hex'), Buffer.from(text))),
  )
  expect(byPage).toEqual(byNode)
  if (python) expect(inPython('[verify.is_signed(*each) for each in given]', cases)).toEqual(byNode)
  return byNode!
}

test('Ed25519 takes the signatures of RFC 8032, and no others', () => {
  const cases: readonly SignedText[] = VECTORS.flatMap(([key, text, signature]) => [
    [key, signature, text],
    [key, signature, `${text} `],
    [key, signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0')), text],
    // The same signature with s + L, which RFC 8032 §5.1.7 refuses.
    [key, `${signature.slice(0, 64)}${plusOrder(signature.slice(64))}`, text],
  ])
  expect(areSigned(cases)).toEqual(VECTORS.flatMap(() => [true, false, false, false]))
})

test('Ed25519 refuses a signature that is right by the cofactor alone', () => {
  const { BASE, Fn } = ed25519.Point
  const ofOrder8 = ed25519.Point.fromHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05')
  const [secret, nonce, text] = [7n, 11n, 'a text whose hash is odd']
  const [key, r] = [BASE.multiply(secret).add(ofOrder8).toBytes(), BASE.multiply(nonce).toBytes()]
  const hash = createHash('sha512').update(r).update(key).update(text).digest()
  const k = Fn.create(BigInt(`0x${hash.reverse().toString('hex')}`))
  expect(k % 8n).not.toBe(0n)
  const signature = Buffer.concat([r, Fn.toBytes(Fn.create(nonce + k * secret))])
  expect(ed25519.verify(signature, Buffer.from(text), key)).toBe(true)
  expect(areSigned([[Buffer.from(key).toString('hex'), signature.toString('hex'), text]])).toEqual([false])
})

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n

/** A little-endian number in hex, plus the order of the group. */
const plusOrder = (hex: string): string => {
  const number = BigInt(`0x${Buffer.from(hex, 'hex').reverse().toString('hex')}`)
  return Buffer.from((number + ORDER).toString(16).padStart(64, '0'), 'hex')
    .reverse()
    .toString('hex')
}

test.runIf(python)('Python checks proofs of inclusion and consistency as Node does', () => {
  const tree = new GrowingTree(0, [])
  const leaves = Array.from({ length: 37 }, (_, n) => leafHash(String(n)))
  for (const leaf of leaves) tree.append(leaf)
  const tiles = tree.takeChanged()
  const hashOf = (from: number, to: number) =>
    hashOfRange({ from, to }, ({ level }) => tiles.find((tile) => tile.level === level)!.hashes).toString('hex')
  const root = hashOf(0, 37)
  const inclusions = leaves.map((leaf, index) => [
    leaf.toString('hex'),
    index,
    37,
    inclusionRanges(index, 37).map(({ from, to }) => hashOf(from, to)),
    root,
  ])
  const consistencies = leaves.map((_, n) => [
    n + 1,
    hashOf(0, n + 1),
    37,
    root,
    consistencyRanges(n + 1, 37).map(({ from, to }) => hashOf(from, to)),
  ])
  expect(
    inPython('[all(verify.is_included(*each) for each in given[0]), all(verify.is_consistent(*each) for each in given[1])]', [
      inclusions,
      consistencies,
    ]),
  ).toEqual([true, true])
  const shifted = inclusions.map(([leaf, index, ...rest]) => [leaf, (Number(index) + 1) % 37, ...rest])
  expect(inPython('any(verify.is_included(*each) for each in given)', shifted)).toBe(false)
})

type Meta = Readonly<{ at: string; requestId: string; causationId?: string }>
const creationMeta: Meta = { at: '2026-01-01T00:00:00.000Z', requestId: 'r-1', causationId: 'c-1' }
const sealed = (type: string, revision: number, meta: Meta, data: object = {}) => ({
  event: { type, revision, data: JSON.stringify(data), meta: JSON.stringify({ actor: 'operator', ...meta }) },
})
const said = (revision: number, channel: string, meta: Meta) =>
  sealed('ContactConsentRecorded', revision, meta, { channel, from: 'never_subscribed', to: 'subscribed', source: 'api' })

/** Revisions of the consents that the contact was created with. */
const bornWith = (events: ReturnType<typeof sealed>[]): readonly number[] => {
  const consents = consentsIn(events)
  if (python) expect(inPython('verify.consents_in(given)', events)).toEqual(consents)
  return consents.filter(({ from }) => from === null).map(({ revision }) => revision)
}

test('a contact was created with the first consent of a channel that its command gave, as the log of consents shows it', () => {
  const created = sealed('ContactCreated', 0, creationMeta)
  const other = { ...creationMeta, causationId: 'c-2' }
  expect(bornWith([created, said(1, 'email', creationMeta), said(2, 'sms', creationMeta)])).toEqual([1, 2])
  expect(bornWith([created, said(1, 'email', creationMeta), said(2, 'email', creationMeta)])).toEqual([1])
  expect(bornWith([created, said(1, 'email', other), said(2, 'email', creationMeta), said(3, 'sms', creationMeta)])).toEqual([3])
  expect(bornWith([created, sealed('ContactDetailsChanged', 1, creationMeta), said(2, 'email', creationMeta)])).toEqual([2])
  expect(bornWith([said(0, 'email', creationMeta)])).toEqual([])
})
