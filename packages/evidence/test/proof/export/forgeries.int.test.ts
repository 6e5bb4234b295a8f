import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { memoryKeyRing } from '@tidings/codec'
import { asContactId } from '@tidings/domain'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAnchor } from '../../../src/proof/anchor/anchor.ts'
import { anchorNewestHead } from '../../../src/proof/keep-heads.ts'
import { openLogKey } from '../../../src/proof/log-key.ts'
import { canonical, verifyFolder } from '../../../verifiers/verify.mjs'
import { openWorld, type World } from '../proof.testing.ts'
import { forge, type Json, verified } from './run-verifiers.testing.ts'

let world: World
let folders: string
let honest: string
let ofAnother: string
let forged: string
let count = 0

beforeAll(async () => {
  world = await openWorld('Postgres')
  folders = await mkdtemp(join(tmpdir(), 'tidings-forged-'))
  const ada = asContactId(await world.newContact('ada@example.com'))
  await world.say(ada, { channel: 'email', from: 'subscribed', to: 'unsubscribed' })
  const eve = asContactId(await world.newContact('eve@example.com'))
  await world.exportTo(join(folders, 'early'), ada)
  await world.say(ada, { channel: 'sms', from: 'never_subscribed', to: 'subscribed' })
  await world.say(ada, { channel: 'email', from: 'unsubscribed', to: 'subscribed' })
  honest = join(folders, 'honest')
  ofAnother = join(folders, 'of-another')
  await world.exportTo(honest, ada)
  await world.exportTo(ofAnother, eve)
})
afterAll(async () => {
  await world.close()
  await rm(folders, { recursive: true })
})

const copy = async (): Promise<string> => {
  forged = join(folders, `forged-${count++}`)
  await cp(honest, forged, { recursive: true })
  return forged
}
const eventsOf = (proof: Json): Json => proof.contacts![0]!.events!
const consentsOf = (proof: Json): Json => proof.contacts![0]!.consents!
const another = (): Json => JSON.parse(readFileSync(join(ofAnother, 'proof.json'), 'utf8')) as Json
const replaceText = (of: Json, name: string, [from, to]: readonly [string, string]): void => {
  Object.assign(of, { [name]: String(of[name]).replace(from, to) })
}

test('the untouched export is true', async () => {
  expect(await verified(honest, '--key', world.key.fingerprint)).toMatchObject({ status: 0, said: { ok: true, problems: [] } })
})

const CHANGED = 'proof.json is not what the key of the log signed: something in it was changed, added or removed.'

type Forgery = readonly [what: string, change: (proof: Json) => void, named: RegExp]
const forgeries: readonly Forgery[] = [
  [
    'a changed byte in an event',
    (proof) => replaceText(eventsOf(proof)[2]!.event!, 'data', ['"unsubscribed"', '"unsubscribeD"']),
    /^Not in the log as it was signed is the event .* \(ContactConsentRecorded, revision 2\): it was changed/,
  ],
  [
    'a changed byte in what is encrypted of an event',
    (proof) => replaceText(eventsOf(proof)[2]!.event!, 'data', ['"b":"', '"b":"A']),
    /^Not in the log as it was signed is the event .* revision 2\)/,
  ],
  [
    'another time of an event',
    (proof) => replaceText(eventsOf(proof)[3]!.event!, 'created', ['20', '19']),
    /^Not in the log as it was signed is the event .* revision 3\)/,
  ],
  [
    'a removed event',
    (proof) => void eventsOf(proof).splice(2, 1),
    /^Missing from the history of contact .*: what was before the event .* \(ContactConsentRecorded, revision 3\), from revision 2\.$/,
  ],
  [
    'two events in another order',
    (proof) => void eventsOf(proof).splice(2, 2, eventsOf(proof)[3]!, eventsOf(proof)[2]!),
    /^In the wrong place stands the event .* revision 2\) of contact .*: events were swapped or repeated\.$/,
  ],
  [
    'two events with their places exchanged',
    (proof) => {
      const [a, b] = [eventsOf(proof)[2]!, eventsOf(proof)[3]!]
      ;[a.index, b.index, a.path, b.path] = [b.index!, a.index!, b.path!, a.path!]
    },
    /^Not where the log has it is the event .* revision 3\) of contact .*: events were swapped\.$/,
  ],
  [
    'a forged tree head',
    (proof) => Object.assign(proof.head!.statement!, { root: 'ab'.repeat(32) }),
    /^The tree head is forged: the key of the log did not sign it\.$/,
  ],
  ['a tree head of another time', (proof) => replaceText(proof.head!.statement!, 'at', ['20', '19']), /^The tree head is forged/],
  ['a signature of nothing', (proof) => Object.assign(proof.head!, { signature: '00'.repeat(64) }), /^The tree head is forged/],
  [
    'a consent removed from the readable part',
    (proof) => void consentsOf(proof).splice(1, 1),
    /^Missing from the readable part is the consent of contact .* \(email unsubscribed, revision 2\)\.$/,
  ],
  [
    'a consent that is shown as another',
    (proof) => Object.assign(consentsOf(proof)[1]!, { to: 'subscribed' }),
    /^Shown otherwise than the log has it is the consent .* \(email unsubscribed, revision 2\)\.$/,
  ],
  [
    'a consent that was never given',
    (proof) => void consentsOf(proof).push(Object.assign({}, consentsOf(proof)[1]!, { revision: 9 })),
    /^The readable part shows a consent of contact .* that the log does not have: revision 9\.$/,
  ],
  [
    'an event of another contact put in',
    (proof) => void eventsOf(proof).splice(1, 1, eventsOf(another())[1]!),
    /^Not of this contact but of another stream is the event .*: contact-/,
  ],
  [
    'a cut-off end',
    (proof) => {
      eventsOf(proof).pop()
      consentsOf(proof).pop()
    },
    /^The end of the history of contact .* is missing or was added to: it has 5 events, the export shows 4\.$/,
  ],
  [
    'the inclusion proof of another tree',
    (proof) => Object.assign(eventsOf(proof)[1]!, { path: eventsOf(another())[1]!.path }),
    /^Not in the log as it was signed is the event .* revision 1\): it was changed, or its proof is of another tree\.$/,
  ],
  [
    'an earlier head of another history',
    (proof) => Object.assign(proof.earlierHeads![0]!, { path: proof.earlierHeads![0]!.path!.toReversed().slice(1) }),
    /^The earlier tree head of 5 events is of another history/,
  ],
  [
    'another address than was seen',
    (proof) => Object.assign(consentsOf(proof)[0]!, { ip: '198.51.100.1' }),
    /^proof\.json is not what the key of the log signed/,
  ],
]

describe('both verifiers find and name', () => {
  test.each(forgeries)('%s', async (_, change, named) => {
    forge(await copy(), change)
    const { status, said } = await verified(forged, '--key', world.key.fingerprint)
    expect([status, said.ok]).toEqual([1, false])
    expect(said.problems).toContainEqual(expect.stringMatching(named))
    expect(said.problems).toContain(CHANGED)
  })

  test('a changed byte of the report, and a missing one', async () => {
    const report = join(await copy(), 'report.html')
    writeFileSync(report, readFileSync(report, 'utf8').replace('unsubscribed', 'unsubscribeD'))
    expect((await verified(forged)).said.problems).toEqual(['report.html was changed after the export.'])
    await rm(report)
    expect((await verified(forged)).said.problems).toEqual(['report.html is missing.'])
  })

  test('a proof that was laid out anew, is no JSON, or is not there', async () => {
    const file = join(await copy(), 'proof.json')
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n`)
    expect((await verified(forged)).said.problems).toEqual(['proof.json was changed: it is not in canonical form.'])
    writeFileSync(file, '{"contacts":[]}')
    expect((await verified(forged)).said.problems).toEqual([
      'proof.json is not what an export writes: earlierHeads is missing, unknown or of another form.',
    ])
    writeFileSync(file, '[')
    expect((await verified(forged)).said.problems).toEqual(['proof.json cannot be read: it is no JSON.'])
    await rm(file)
    expect((await verified(forged)).said.problems).toEqual(['proof.json is missing.'])
  })

  test('a folder that was signed anew with another key, where the fingerprint is known', async () => {
    const key = await openLogKey(memoryKeyRing())
    forge(await copy(), (proof) => {
      const heads = [proof.head!, ...proof.earlierHeads!.map(({ head }) => head!)]
      for (const head of heads) {
        Object.assign(head.statement!, { log: key.fingerprint })
        Object.assign(head, { signature: key.sign(head.statement!) })
      }
      Object.assign(proof, { key: { algorithm: 'Ed25519', fingerprint: key.fingerprint, publicKey: key.publicKey } })
      const { signature: _, ...rest } = proof
      Object.assign(proof, { signature: key.sign(rest) })
    })
    expect((await verified(forged)).said).toMatchObject({ ok: true, keyChecked: false })
    expect((await verified(forged, '--key', world.key.fingerprint)).said.problems).toEqual([
      `The export is signed by another key than yours: by ${key.fingerprint}, not by ${world.key.fingerprint}.`,
    ])
  })

  test('a tree head that contradicts one that was kept outside', async () => {
    const anchor = join(await copy(), '..', 'anchor')
    const { head, earlierHeads } = JSON.parse(readFileSync(join(honest, 'proof.json'), 'utf8'))
    writeFileSync(anchor, [head, earlierHeads[0].head].map((each) => `${JSON.stringify(each)}\n`).join(''))
    const { status, said } = await verified(forged, '--anchor', anchor)
    expect([status, said.notes[0]]).toEqual([0, '2 of the tree heads in the export are in the anchor.'])
    const statement = { ...head.statement, root: createHash('sha256').update('another').digest('hex') }
    writeFileSync(anchor, `${JSON.stringify({ signature: world.key.sign(statement), statement })}\nnonsense\n`)
    expect((await verified(forged, '--anchor', anchor)).said.problems).toEqual([
      `The anchor has another root for the tree of ${statement.size} events: one of the two histories is forged.`,
      'Line 2 of the anchor is no tree head.',
    ])
    writeFileSync(anchor, `${JSON.stringify(head).slice(0, 300)}\n${canonical(head)}\n`)
    expect(await verified(forged, '--anchor', anchor)).toMatchObject({
      status: 0,
      said: { notes: expect.arrayContaining(['Line 1 of the anchor was torn by a crash while it was written: it is not counted.']) },
    })
    expect((await verified(forged, '--anchor', join(folders, 'nowhere'))).said.problems).toEqual(['The anchor cannot be read.'])
  })
})

test('a log that was rewritten after it was anchored, by who has the key and leaves the anchored heads out', async () => {
  const { pool, key } = world
  const anchor = join(folders, 'kept-outside')
  const keep = () => anchorNewestHead(pool, key, openAnchor(pathToFileURL(anchor).href))
  const contact = asContactId(await world.newContact('zoe@example.com'))
  await world.exportTo(join(folders, 'before'), contact)
  await keep()
  // No event of hers is in what was anchored: only the anchor asks for that head.
  const later = asContactId(await world.newContact('liz@example.com'))
  const after = join(folders, 'after')
  const { size } = await world.exportTo(after, later)
  expect(await verified(after, '--key', key.fingerprint, '--anchor', anchor)).toMatchObject({ status: 0, said: { problems: [] } })

  await pool.query(`set es.allow_rewrite = 'on'; truncate proof.tree, proof.tile, proof.head;
    update es.event set created = created - interval '1 year' where position = 1; reset es.allow_rewrite`)
  const rewritten = join(folders, 'rewritten')
  await world.exportTo(rewritten, contact)
  const { said } = await verified(rewritten, '--key', key.fingerprint, '--anchor', anchor)
  expect(said.problems).toEqual([
    expect.stringMatching(
      `^The export leaves out the newest tree head of the anchor before its own, that of ${size - 2} events: the log was rewritten`,
    ),
  ])
})

test('every byte of the proof and of the report is covered', async () => {
  await copy()
  const files = ['proof.json', 'report.html'].map((name) => join(forged, name))
  const texts = files.map((file) => readFileSync(file))
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (which, nth, flip) => {
      const bytes = Buffer.from(texts[which]!)
      bytes[nth % bytes.length]! ^= flip
      writeFileSync(files[which]!, bytes)
      expect(verifyFolder(forged).ok).toBe(false)
      writeFileSync(files[which]!, texts[which]!)
    }),
    { numRuns: 300 },
  )
  expect(verifyFolder(forged).problems).toEqual([])
})
