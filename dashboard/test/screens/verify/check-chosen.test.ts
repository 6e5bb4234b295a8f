import { readFileSync } from 'node:fs'
import { zipSync } from 'fflate'
import { expect, it } from 'vitest'
import { checkChosen } from '../../../src/screens/verify/check-chosen.ts'
import { fingerprintOf } from '../../../src/screens/verify/fingerprint.ts'

/** What a signer and a stranger export of one log. */
const GIVEN: Readonly<Record<string, string>> = JSON.parse(readFileSync(new URL('./proofs.fixture.json', import.meta.url), 'utf8'))
const { proof: PROOF = '', report: REPORT = '', fingerprint: TRUSTED = '', strangersProof: STRANGERS = '' } = GIVEN

type NamedFiles = Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>
const chosen = (files: NamedFiles) => Object.entries(files).map(([path, content]) => ({ path, file: new File([content], path) }))
const FOLDER: NamedFiles = { 'proof-1/report.html': REPORT, 'proof-1/verify.mjs': 'anything', 'proof-1/proof.json': PROOF }
const bytesOf = (files: NamedFiles) =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [path, Buffer.from(content as string)]))
const zipOf = (files: NamedFiles): NamedFiles => ({ 'proof-1.zip': Uint8Array.from(zipSync(bytesOf(files))) })

const check = (files: NamedFiles, given: Readonly<{ trusted?: string; anchor?: string }> = { trusted: TRUSTED }) =>
  checkChosen({
    chosen: chosen(files),
    trusted: given.trusted ?? null,
    anchor: given.anchor === undefined ? [] : chosen({ heads: given.anchor }),
  })
const refused = async (files: NamedFiles) => (await check(files)).refused
const OK = expect.objectContaining({ ok: true, keyChecked: true, problems: [] })

it.each([
  ['the folder', FOLDER],
  ['the folder that holds it, with a zip beside it', { 'got/proof-1.zip': 'PK', ...FOLDER }],
  ['the zip', zipOf(FOLDER)],
  ['the zip of what is in the folder', zipOf({ 'report.html': REPORT, 'proof.json': PROOF })],
  ['its files', { 'report.html': REPORT, 'proof.json': PROOF }],
])('takes a proof by %s, and says what it is of', async (_, files) => {
  const verdict = await check(files)
  expect(verdict).toMatchObject({ said: OK, subject: { workspace: 'acme', contacts: [GIVEN.contact] } })
  expect(verdict).toMatchObject({
    first: expect.stringMatching(/^OK: 1 contact, 2 consents and 2 events, of a log of 3 events until .*, which is the one you trust\.$/),
  })
})

it('says only that a proof is consistent where nothing was given to trust, and takes an anchor for it', async () => {
  expect(await check(FOLDER, {})).toMatchObject({ said: { ok: true, keyChecked: false } })
  expect(await check(FOLDER, { anchor: GIVEN.anchor ?? '' })).toMatchObject({ said: OK })
  expect(await check(FOLDER, { trusted: TRUSTED, anchor: GIVEN.strangersAnchor ?? '' })).toMatchObject({ said: { ok: false } })
  const anchor = chosen({ 'kept/heads': GIVEN.anchor ?? '', 'kept/heads.1': GIVEN.strangersAnchor ?? '' })
  expect(await checkChosen({ chosen: chosen(FOLDER), trusted: TRUSTED, anchor })).toEqual({ refused: 'severalAnchors' })
})

it('names what is wrong', async () => {
  const problems = async (files: NamedFiles) => {
    const verdict = await check(files)
    return verdict.refused === undefined ? verdict.said.problems : [verdict.refused]
  }
  expect(await problems({ ...FOLDER, 'proof-1/report.html': 'another' })).toEqual(['report.html was changed after the export.'])
  expect(await problems({ 'proof.json': PROOF })).toEqual(['report.html is missing.'])
  expect(await problems({ ...FOLDER, 'proof-1/proof.json': STRANGERS })).toEqual([
    `The export is signed by another key than yours: by ${GIVEN.strangersFingerprint}, not by ${TRUSTED}.`,
  ])
  for (const text of ['', '{', '['.repeat(1_000_000), `{"a":${'[['.repeat(40)}${']]'.repeat(40)}}`, '\u202e"'])
    expect(await problems({ 'proof.json': text })).toEqual(['proof.json cannot be read: it is no JSON.'])
  expect(await problems({ 'proof.json': '{"</script><script>\u202e":1}' })).toEqual([
    'proof.json is not what an export writes: </script><script>\\u{202e} is missing, unknown or of another form.',
  ])
})

it('refuses what is no proof, or could be two', async () => {
  expect(await refused({})).toBe('noProof')
  expect(await refused({ 'report.html': REPORT })).toBe('noProof')
  expect(await refused({ 'holiday.jpg': 'JFIF' })).toBe('noProof')
  expect(await refused(zipOf({ 'a/readme.txt': '' }))).toBe('noProof')
  expect(await refused({ 'a/proof.json': PROOF, 'b/proof.json': PROOF })).toBe('severalProofs')
  expect(await refused(zipOf({ 'a/proof.json': PROOF, 'b/proof.json': PROOF }))).toBe('severalProofs')
  const zip = Buffer.from(zipSync(bytesOf({ 'proof.json': PROOF, 'proof.jsoN': PROOF })))
  const twice = Uint8Array.from(Buffer.from(zip.toString('latin1').replaceAll('proof.jsoN', 'proof.json'), 'latin1'))
  expect(await refused({ 'twice.zip': twice })).toBe('severalProofs')
})

it('refuses a zip that is damaged, and does not unpack one that is too large', async () => {
  const whole = Uint8Array.from(zipSync(bytesOf(FOLDER)))
  expect(await refused({ 'cut.zip': whole.slice(0, -30) })).toBe('brokenZip')
  expect(await refused({ 'odd.zip': 'PK' })).toBe('brokenZip')
  const bomb = Buffer.from(zipSync({ 'proof.json': Buffer.alloc(1_000) }))
  bomb.writeUInt32LE(3_000_000_000, bomb.indexOf('PK\u0001\u0002', 0, 'latin1') + 24)
  expect(await refused({ 'bomb.zip': Uint8Array.from(bomb) })).toBe('tooLarge')
  // Each of many is small enough: what is not of the proof is never unpacked, as a name of no known compression shows.
  const many = Buffer.from(zipSync(bytesOf({ ...FOLDER, 'proof-1/a/proof.json': PROOF, 'proof-1/b/proof.json': PROOF })))
  for (const folder of ['a', 'b']) many.writeUInt16LE(99, many.lastIndexOf(`proof-1/${folder}/proof.json`) - 46 + 10)
  expect(await check({ 'many.zip': Uint8Array.from(many) })).toMatchObject({ said: OK })
})

it('says that a file cannot be read any more, or is too large to be', async () => {
  const gone = Object.assign(new File([PROOF], 'proof.json'), { arrayBuffer: () => Promise.reject(new Error('NotReadableError')) })
  const ask = (file: File) => checkChosen({ chosen: [{ path: 'proof.json', file }], trusted: null, anchor: [] })
  expect(await ask(gone)).toEqual({ refused: 'unreadable' })
  expect(await ask(Object.defineProperty(new File([], 'proof.json'), 'size', { value: 50_000_001 }))).toEqual({ refused: 'tooLarge' })
})

it('takes a fingerprint as people copy it', () => {
  const grouped = TRUSTED.toUpperCase().replaceAll(/(..)(?=.)/g, '$1:')
  for (const typed of [TRUSTED, ` ${TRUSTED}\n`, grouped, `\u200f\u2066${TRUSTED}\u2069`, TRUSTED.replaceAll(/(.{8})/g, '$1 ')])
    expect(fingerprintOf(typed)).toBe(TRUSTED)
  expect(fingerprintOf(' \u200e ')).toBeNull()
  for (const typed of ['x', TRUSTED.slice(1), `${TRUSTED}0`, `sha256 ${TRUSTED}`]) expect(fingerprintOf(typed)).toBeUndefined()
})
