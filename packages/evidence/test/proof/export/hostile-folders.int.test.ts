import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import type { Verified } from '../../../verifiers/verify.mjs'
import { ADA, CraftedLog, craftProof, EVE, eventsOf, linesOf, minute, SIGNER, signAnew, writeProof } from './craft-proof.testing.ts'
import { verifyMany } from './run-many.testing.ts'
import { python } from './run-verifiers.testing.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidings-hostile-'))
afterAll(() => rmSync(folder, { recursive: true }))

const LOG = new CraftedLog(
  eventsOf([
    { contactId: ADA, to: 'subscribed', created: minute(0) },
    { contactId: ADA, to: 'unsubscribed', created: minute(1) },
  ]),
)
const HEAD = LOG.head(1)
const PROOF = craftProof({ log: LOG, heads: [HEAD] })
let count = 0

/** What both say of it. */
const said = async (proof: object | string, anchor: string | null = null): Promise<Verified> => {
  const directory = join(folder, String(count++))
  writeProof(directory, proof)
  const file = join(directory, 'anchor')
  if (anchor !== null) writeFileSync(file, anchor)
  const { said: results, differing } = await verifyMany([{ directory, trusted: SIGNER.fingerprint, anchor: anchor === null ? null : file }])
  expect(differing).toEqual([])
  return results[0]!
}

const withMeta = (more: string, type = 'ContactConsentRecorded'): object =>
  craftProof({ log: new CraftedLog(LOG.events.map((event) => ({ ...event, type, meta: `${event.meta.slice(0, -1)}${more}` }))) })

describe('what moves or hides text in a terminal', () => {
  const SIGNS = [
    '\u001b[2J',
    '\n- ',
    '\r',
    '\u007f',
    '\u009b2J',
    '\u00ad',
    '\u200b',
    '\u202e',
    '\u2028',
    '\u2029',
    '\u2066',
    '\ufeff',
    '\u{e0041}',
  ]

  test.each(SIGNS)('%j is written by its number, in a problem', async (sign) => {
    const { problems } = await said(signAnew({ ...PROOF, format: `a${sign}b` }))
    const escaped = [...sign].map((each) => (/[ -~]/.test(each) ? each : `\\u{${each.codePointAt(0)!.toString(16)}}`)).join('')
    expect(problems).toEqual([`proof.json is of another format, which needs its own verifier: a${escaped}b.`])
  })

  test('and in a note, and in the name of a member', async () => {
    const notes = (await said(withMeta(',"at":"\\u001b[1A\u202e"}'))).notes.join('\n')
    expect(notes).toContain('dated \\u{1b}[1A\\u{202e} and recorded')
    const { problems } = await said({ ...PROOF, '\u0085': 1 })
    expect(problems).toEqual(['proof.json is not what an export writes: \\u{85} is missing, unknown or of another form.'])
  })

  test.each([[process.execPath, 'verify.mjs'], ...(python ? [['python3', 'verify.py']] : [])])('%s prints none', async (program, file) => {
    const directory = join(folder, `printed-${file}`)
    writeProof(directory, signAnew({ ...PROOF, format: '\u001b[2J\nOK\u009b' }))
    const path = fileURLToPath(new URL(`../../../verifiers/${file}`, import.meta.url))
    const printed = await promisify(execFile)(program!, [path, directory]).catch((error: { stdout: string }) => error)
    expect(printed.stdout).toContain('\\u{1b}[2J\\u{a}OK\\u{9b}')
    for (const sign of ['\u001b', '\u009b', '\nOK']) expect(printed.stdout).not.toContain(sign)
  })
})

describe('what is no file', () => {
  test.each(['proof.json', 'report.html'])('in the place of %s is missing, and no verifier waits for a pipe', async (name) => {
    for (const put of [(path: string) => execFileSync('mkfifo', [path]), (path: string) => mkdirSync(path)]) {
      const directory = join(folder, String(count++))
      writeProof(directory, PROOF)
      rmSync(join(directory, name))
      put(join(directory, name))
      const { said: results, differing } = await verifyMany([{ directory, trusted: SIGNER.fingerprint, anchor: null }])
      expect(differing).toEqual([])
      expect(results[0]).toMatchObject({ ok: false, problems: [`${name} is missing.`] })
    }
  })
})

describe('what is large', () => {
  test('text that is no JSON is refused in one look at it', async () => {
    for (const text of [`"${'\\"'.repeat(300_000)}`, '"'.repeat(600_001), `{"a":"${'\\"['.repeat(150_000)}`, '['.repeat(300_000)])
      expect((await said(text)).problems).toEqual(['proof.json cannot be read: it is no JSON.'])
    const { problems } = await said(withMeta(`,"a":"${'\\"'.repeat(300_000)}`, 'ThingHappened'))
    expect(problems).toContainEqual(expect.stringMatching(/^Of another workspace is the event .* revision 0\)\.$/))
  })

  test('an anchor of which no line is a head has its first problems listed', async () => {
    const { ok, problems } = await said(PROOF, 'x\n'.repeat(20_000))
    expect([ok, problems.length, problems[99], problems[100]]).toEqual([
      ...[false, 101, 'Line 100 of the anchor is no tree head.', 'There is more that is not listed.'],
    ])
  })

  test('lines that crashes have torn hide no other note', async () => {
    const { ok, notes } = await said(PROOF, '{"signature":"\n'.repeat(20_000) + linesOf([HEAD]))
    expect([ok, notes[100]]).toEqual([true, 'There is more that is not listed.'])
    expect(notes).toContain('1 of the tree heads in the export are in the anchor.')
  })

  test('many channels, none of them known', async () => {
    const events = Array.from({ length: 200 }, (_, n) => ({ contactId: ADA, to: 'subscribed', created: minute(n) }))
    const log = new CraftedLog(
      eventsOf(events).map((event, n) => ({ ...event, data: `{"channel":"c${n}","from":"a","source":"api","to":"b"}` })),
    )
    expect((await said(craftProof({ log }))).problems).toEqual([])
  })
})

describe('an anchor', () => {
  test.each(['', '\n', '\n\n\n', '\r\n\r\n'])('of %j has no tree head', async (text) => {
    expect(await said(PROOF, text)).toMatchObject({ ok: false, problems: ['The anchor has no tree head.'] })
  })

  test('that was converted on its way is read, and that is said', async () => {
    const converted = `${linesOf([HEAD]).replaceAll('\n', '\r\n')}\r\n`
    const { ok, notes } = await said(PROOF, converted)
    expect([ok, notes.slice(0, 2)]).toEqual([
      true,
      [
        'The anchor has line ends of another system (CR LF): its copy was converted, and is read as if it were not.',
        '1 of the tree heads in the export are in the anchor.',
      ],
    ])
  })

  test('that has a head more than once has it once', async () => {
    expect((await said(PROOF, linesOf([HEAD, HEAD, HEAD]))).notes).toContain('1 of the tree heads in the export are in the anchor.')
  })
})

test('of a contact without events, and of an export without contacts, it is said that nothing is proven', async () => {
  const silent = { consents: [], contactId: EVE, erased: false, events: [], revisions: 0 }
  const { ok, notes } = await said(signAnew({ ...PROOF, contacts: [...PROOF.contacts!, silent] }))
  expect(ok).toBe(true)
  expect(notes).toContain(`1 of the contacts have no event, the first is ${EVE}: that the log has none is what the signer says.`)
  expect((await said(signAnew({ ...PROOF, contacts: [] }))).notes).toContain('The export shows no contact.')
})
