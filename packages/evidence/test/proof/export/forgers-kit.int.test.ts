import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asContactId, type ContactId } from '@tidings/domain'
import { afterAll, describe, expect, test } from 'vitest'
import type { SignedHead } from '../../../src/proof/heads.ts'
import {
  ADA,
  CraftedLog,
  craftProof,
  EVE,
  eventsOf,
  linesOf,
  minute,
  SIGNER,
  STRANGER,
  signAnew,
  writeProof,
} from './craft-proof.testing.ts'
import { verifyMany } from './run-many.testing.ts'
import type { Json } from './run-verifiers.testing.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidings-kit-'))
afterAll(() => rmSync(folder, { recursive: true }))

const said = (contactId: ContactId, to: string, n: number, at?: string) => ({ contactId, to, created: minute(n), ...(at && { at }) })

const HONEST = [
  ...[said(ADA, 'subscribed', 0), said(EVE, 'subscribed', 1), said(ADA, 'unsubscribed', 10), said(EVE, 'unsubscribed', 11)],
  ...[said(ADA, 'subscribed', 20), said(EVE, 'subscribed', 21), said(ADA, 'unsubscribed', 30), said(EVE, 'unsubscribed', 2_000)],
  ...[said(ADA, 'subscribed', 2_010), said(EVE, 'subscribed', 2_011)],
]
const honest = new CraftedLog(eventsOf(HONEST))
/** Heads that were kept outside while the signer was honest. */
const anchored = [3, 6, 8].map((size) => honest.head(size))
const ANCHOR = linesOf(anchored)

/** The same log with another event at this place. */
const rewritten = (at: number, event: (typeof HONEST)[number]): CraftedLog =>
  new CraftedLog(eventsOf([...HONEST.slice(0, at), event, ...HONEST.slice(at + 1)]))
const headsOf = (log: CraftedLog, ...sizes: number[]): readonly SignedHead[] => sizes.map((size) => log.head(size))

const YESSED = rewritten(2, said(ADA, 'subscribed', 10))
const BACKDATED = new CraftedLog(eventsOf([...HONEST, { contactId: EVE, to: 'subscribed', created: '2021-03-01T10:00:00.000Z' }]))
const STRANGERS = asContactId('0192b1f0-0000-7000-8000-0000000000ff')
const ALONE = new CraftedLog(eventsOf([...HONEST, { contactId: STRANGERS, to: 'subscribed', created: '2021-03-01T10:00:00.000Z' }]))
/** It parts from the honest log behind 6 events. */
const FORK = new CraftedLog(eventsOf([...HONEST.slice(0, 6), said(ADA, 'subscribed', 30)]))
const SAID_LONG_AGO = new CraftedLog(eventsOf([...HONEST, said(ADA, 'unsubscribed', 2_020, '2021-03-01T10:00:00.000Z')]))
const AHEAD = { contactId: ADA, to: 'subscribed', created: '2099-01-01T00:00:00.000Z' }
/** The withdrawal was recorded in minute 10, and says ten days later. */
const POSTPONED = new CraftedLog(eventsOf([said(ADA, 'subscribed', 0), said(ADA, 'unsubscribed', 14_400), said(EVE, 'subscribed', 20_000)]))

type Forged = Readonly<{
  proof: object
  anchor?: string
  /** What is said where the anchor is given. */
  named: RegExp
  /** What is said without it; null where that cannot be known. */
  alone: RegExp | null
}>

const edited = (proof: Json, change: (of: Json) => void): object => {
  const copy = structuredClone(proof)
  change(copy)
  return signAnew(copy)
}
const shownEvents = (proof: Json): Json => proof.contacts![0]!.events!
const withHeads = craftProof({ log: honest, heads: anchored })

const KIT: Readonly<Record<string, Forged>> = {
  'rewrite: a no that becomes a yes, with every head signed anew': {
    proof: craftProof({ log: YESSED, heads: headsOf(YESSED, 3, 6, 8) }),
    named: /^The anchor has another root for the tree of 3 events: one of the two histories is forged\.$/,
    alone: null,
  },
  'rewrite: the heads before it left out, and its own newest head anchored': {
    proof: craftProof({ log: YESSED, heads: headsOf(YESSED, 8) }),
    anchor: linesOf([...anchored.slice(0, 2), YESSED.head(8)]),
    named: /^The export leaves out 2 older tree heads of the anchor, from that of 3 events on: the log may have been rewritten/,
    alone: null,
  },
  'rewrite: with the anchored heads in it, and a path that does not lead there': {
    proof: edited(craftProof({ log: YESSED, heads: headsOf(YESSED, 3, 6, 8) }), (proof) => {
      for (const [n, each] of proof.earlierHeads!.entries()) Object.assign(each, { head: anchored[n] })
    }),
    named: /^The earlier tree head of 3 events is of another history: the log was rewritten after it, or the proof was\.$/,
    alone: /^The earlier tree head of 3 events is of another history/,
  },
  'fork: shorter than what is anchored, signed later': {
    proof: craftProof({ log: FORK, heads: headsOf(honest, 3, 6), at: minute(3_000) }),
    named:
      /^The anchor has a tree head of 8 events from .*, and the later one of this export \(.*\) has 7: the log was cut, or this is another history\.$/,
    alone: null,
  },
  'fork: shorter than what is anchored, and dated between the anchored heads': {
    proof: craftProof({ log: FORK, heads: headsOf(honest, 3, 6), at: minute(31) }),
    named:
      /^The anchor has a tree head of 8 events \(.*\), and the export 7: whether this history is the one that went on there cannot be seen\./,
    alone: null,
  },
  'fork: both of its ends in the anchor': {
    proof: craftProof({ log: honest, heads: anchored }),
    anchor: linesOf([...anchored, YESSED.head(8)]),
    named: /^The anchor has another root for the tree of 8 events/,
    alone: null,
  },
  'fork: both of its ends in the anchor, beyond the export': {
    proof: craftProof({ log: honest, size: 6 }),
    anchor: linesOf([honest.head(8), YESSED.head(8)]),
    named: /^The anchor has two roots for the tree of 8 events: the log was forked\.$/,
    alone: null,
  },
  'backdate: an event of 2021 behind a head of this year': {
    proof: craftProof({ log: BACKDATED, contactIds: [EVE], heads: anchored, at: minute(3_000) }),
    named:
      /^Dated 2021-03-01T10:00:00\.000Z is the event .* revision 5\), which the tree head of 8 events \(.*\) does not have yet: it was backdated\.$/,
    alone: /^Dated 2021-.* which the tree head of 8 events .* does not have yet/,
  },
  'backdate: the same without heads, of one whose other events are shown': {
    proof: craftProof({ log: BACKDATED, contactIds: [EVE], at: minute(3_000) }),
    named: /^Dated 2021-.* which the tree head of 8 events/,
    alone:
      /^Dated 2021-03-01T10:00:00\.000Z is the event .* revision 5\), which the log has behind what was recorded at .*: it was backdated\.$/,
  },
  'backdate: the only event of somebody, without heads': {
    proof: craftProof({ log: ALONE, contactIds: [STRANGERS], at: minute(3_000) }),
    named: /^Dated 2021-03-01T10:00:00\.000Z is the event .* revision 0\), which the tree head of 8 events/,
    alone: null,
  },
  'backdate: by a millisecond': {
    proof: craftProof({
      log: rewritten(8, { ...HONEST[8]!, created: new Date(Date.parse(minute(2_000)) - 1).toISOString() }),
      heads: anchored,
    }),
    named: /^Dated .* revision 4\), which the tree head of 8 events .* does not have yet/,
    alone: /^Dated .* revision 4\), which the tree head of 8 events .* does not have yet/,
  },
  'backdate: the tree head of the export, before what is anchored of fewer events': {
    proof: craftProof({ log: honest, heads: [], at: minute(15) }),
    named: /^The tree head of 10 events is dated .*, before that of 8 events \(.*\): it was backdated\.$/,
    alone: /^Dated .* is the event .*, which the tree head of 10 events .* has already: it was dated ahead\.$/,
  },
  'postdate: an event of 2099, which a head of this year has': {
    proof: craftProof({ log: rewritten(8, AHEAD), size: 9, heads: anchored, at: minute(2_020) }),
    named:
      /^Dated 2099-01-01T00:00:00\.000Z is the event .* revision 4\), which the tree head of 9 events \(.*\) has already: it was dated ahead\.$/,
    alone: /^Dated 2099-.* which the tree head of 9 events .* has already: it was dated ahead\.$/,
  },
  'postdate: by ten days, where only the anchor has a head of that time': {
    proof: craftProof({ log: POSTPONED }),
    anchor: linesOf([POSTPONED.head(1), POSTPONED.head(2, minute(11))]),
    named: /^Dated .* is the event .* revision 1\), which the tree head of 2 events \(.*\) has already: it was dated ahead\.$/,
    alone: null,
  },
  'postdate: by a millisecond': {
    proof: craftProof({ log: POSTPONED, heads: [POSTPONED.head(2, new Date(Date.parse(minute(14_400)) - 1).toISOString())] }),
    named: /^Dated .* is the event .* revision 1\), which the tree head of 2 events \(.*\) has already: it was dated ahead\.$/,
    alone: /^Dated .* is the event .* revision 1\), which the tree head of 2 events \(.*\) has already: it was dated ahead\.$/,
  },
  'backdate: the export, before its own tree head': {
    proof: craftProof({ log: honest, heads: anchored, exportedAt: minute(1_000) }),
    named: /^The export is dated .*, before its own tree head \(.*\): it was backdated\.$/,
    alone: /^The export is dated .*, before its own tree head/,
  },
  'hide: an event in the middle of a history': {
    proof: edited(withHeads, (proof) => void shownEvents(proof).splice(1, 1)),
    named: /^Missing from the history of contact .*: what was before the event .* revision 2\), from revision 1\.$/,
    alone: /^Missing from the history of contact/,
  },
  'hide: an event, with the log written anew without it': {
    proof: craftProof({ log: new CraftedLog(eventsOf(HONEST.filter((_, n) => n !== 2))), at: minute(3_000) }),
    named: /^The export leaves out the newest tree head of the anchor before its own, that of 8 events: the log was rewritten/,
    alone: null,
  },
  'hide: a consent in the readable part': {
    proof: edited(withHeads, (proof) => void proof.contacts![0]!.consents!.splice(1, 1)),
    named: /^Missing from the readable part is the consent of contact .* \(email unsubscribed, revision 1\)\.$/,
    alone: /^Missing from the readable part/,
  },
  'cut: the end of the log, with a later head signed over what is left': {
    proof: craftProof({ log: new CraftedLog(honest.events.slice(0, 5)), heads: headsOf(honest, 3), at: minute(3_000) }),
    named: /^The anchor has a tree head of 6 events from .*, and the later one of this export .* has 5: the log was cut/,
    alone: null,
  },
  'cut: the end of a history, with its number of events as it was': {
    proof: edited(withHeads, (proof) => {
      shownEvents(proof).pop()
      proof.contacts![0]!.consents!.pop()
    }),
    named: /^The end of the history of contact .* is missing or was added to: it has 5 events, the export shows 4\.$/,
    alone: /^The end of the history of contact/,
  },
  'cut: the last line of the anchor': {
    proof: withHeads,
    anchor: ANCHOR.slice(0, -200),
    named: /^The last line of the anchor is damaged: it has no end\./,
    alone: null,
  },
  'splice: an event of another person': {
    proof: edited(withHeads, (proof) => {
      Object.assign(shownEvents(proof), { 1: honest.proven(EVE).events[1] })
    }),
    named: /^Not of this contact but of another stream is the event/,
    alone: /^Not of this contact but of another stream is the event/,
  },
  'splice: an event of another log of the same signer': {
    proof: edited(withHeads, (proof) => {
      Object.assign(shownEvents(proof), { 1: YESSED.proven(ADA).events[1] })
    }),
    named: /^Not in the log as it was signed is the event .* revision 1\): it was changed, or its proof is of another tree\.$/,
    alone: /^Not in the log as it was signed is the event/,
  },
  'splice: a head of another log of the same signer': {
    proof: edited(withHeads, (proof) => {
      Object.assign(proof.earlierHeads![0]!, { head: YESSED.head(3) })
    }),
    named: /^The earlier tree head of 3 events is of another history/,
    alone: /^The earlier tree head of 3 events is of another history/,
  },
  'swap keys: all of it signed by a stranger': {
    proof: craftProof({ log: honest, heads: [3, 6, 8].map((size) => honest.head(size, undefined, STRANGER)), key: STRANGER }),
    named: /^The export is signed by another key than yours: by .*, not by .*\.$/,
    alone: /^The export is signed by another key than yours/,
  },
  'swap keys: one head signed by a stranger': {
    proof: craftProof({ log: honest, heads: [honest.head(3, undefined, STRANGER)] }),
    named: /^The earlier tree head of 3 events is forged: the key of the log did not sign it\.$/,
    alone: /^The earlier tree head of 3 events is forged/,
  },
  'swap keys: a line of the anchor signed by a stranger': {
    proof: withHeads,
    anchor: linesOf([...anchored, honest.head(9, undefined, STRANGER)]),
    named: /^The tree head in line 4 of the anchor was not signed by the key of this export: the export was signed with another key/,
    alone: null,
  },
}

const CANNOT_KNOW =
  /^No anchor was given: .* write a history anew, date it back and sign it, and this folder cannot show whether that was done\./

const write = (name: string, proof: object, anchor: string) => {
  const directory = join(folder, name)
  writeProof(directory, proof)
  const file = join(directory, 'anchor')
  writeFileSync(file, anchor)
  return { directory, trusted: SIGNER.fingerprint, anchor: file }
}

describe("a forger's kit, where the signer of the log does what is asked of him", () => {
  test.each(Object.entries(KIT))('%s', async (name, { proof, anchor = ANCHOR, named, alone }) => {
    const with_ = write(name.replaceAll(/[^a-z]+/g, '-'), proof, anchor)
    const { said, differing } = await verifyMany([with_, { ...with_, anchor: null }])
    expect(differing).toEqual([])
    const [anchoredSaid, aloneSaid] = said
    expect(anchoredSaid).toMatchObject({ ok: false, problems: expect.arrayContaining([expect.stringMatching(named)]) })
    if (alone === null) expect(aloneSaid).toMatchObject({ ok: true, notes: expect.arrayContaining([expect.stringMatching(CANNOT_KNOW)]) })
    else expect(aloneSaid).toMatchObject({ ok: false, problems: expect.arrayContaining([expect.stringMatching(alone)]) })
  })

  test('an honest export is taken with the anchor, which says how wide its gaps are', async () => {
    const { said, differing } = await verifyMany([write('honest', withHeads, ANCHOR)])
    expect(differing).toEqual([])
    expect(said[0]).toMatchObject({ ok: true, problems: [], keyChecked: true })
    expect(said[0]?.notes.slice(0, 4)).toEqual([
      '3 of the tree heads in the export are in the anchor.',
      `The widest gap of the anchor is 1 d 8 h, from its tree head of 6 events (${minute(21)}) to the next, of 8 events (${minute(2_000)}): when something was recorded inside a gap is what the signer says.`,
      `2 of the events are older than the first tree head of the anchor (${minute(10)}): how much older is what the signer says.`,
      `1 of the events are newer than the last tree head of the anchor (${minute(2_000)}): until one is anchored that has them, who has the key can write them anew.`,
    ])
  })

  test('a withdrawal that a second event of its number stands for is not seen, and that it cannot be seen is said', async () => {
    const events = honest.events.slice(0, 4)
    const yes = { ...eventsOf([...HONEST.slice(0, 4), said(ADA, 'subscribed', 5_000)])[4]!, revision: 1 }
    const log = new CraftedLog([...events, yes])
    const heads = [log.head(3), log.head(4)]
    const all = craftProof({ log, heads })
    const hiding = edited(all, (proof) => {
      Object.assign(proof.contacts![0]!, { revisions: 2 })
      shownEvents(proof).splice(1, 1)
      proof.contacts![0]!.consents!.splice(1, 1)
    })
    const { said: results, differing } = await verifyMany([
      write('second-hiding', hiding, linesOf(heads)),
      write('second-shown', signAnew(all), linesOf(heads)),
    ])
    expect(differing).toEqual([])
    expect(results[0]).toMatchObject({ ok: true, keyChecked: true })
    expect(results[0]?.notes).toContain(
      'Each history has every number from 0 on, once. The signer gave the numbers: that no other event has one of them, that none followed before the tree head was signed, and that no contact is left out, is what the signer says.',
    )
    expect(results[1]?.problems).toContainEqual(expect.stringMatching(/^In the wrong place stands the event .* revision 1\) of contact/))
  })

  test('a history that ends before its withdrawal, and a person that is left out, are not seen, and that they cannot be seen is said', async () => {
    // The whole log is anchored, the withdrawal too, and the head is the honest one.
    const heads = [...anchored, honest.head(10)]
    const all = craftProof({ log: honest, contactIds: [ADA, EVE], heads: heads.slice(0, 3) })
    const short = edited(all, (proof) => {
      Object.assign(proof.contacts![0]!, { revisions: 1 })
      shownEvents(proof).splice(1)
      proof.contacts![0]!.consents!.splice(1)
    })
    const without = edited(all, (proof) => void proof.contacts!.splice(0, 1))
    const folders = [write('short-history', short, linesOf(heads)), write('left-out', without, linesOf(heads))]
    const { said: results, differing } = await verifyMany(folders)
    expect(differing).toEqual([])
    for (const result of results) {
      expect(result).toMatchObject({ ok: true, problems: [], keyChecked: true })
      expect(result.notes).toContainEqual(
        expect.stringMatching(
          /that none followed before the tree head was signed, and that no contact is left out, is what the signer says\.$/,
        ),
      )
    }
  })

  test('a consent that is dated otherwise than it was recorded is taken, and both times are said', async () => {
    const { said, differing } = await verifyMany([write('long-ago', craftProof({ log: SAID_LONG_AGO, heads: anchored }), ANCHOR)])
    expect(differing).toEqual([])
    expect(said[0]?.ok).toBe(true)
    expect(said[0]?.notes).toContain(
      `1 of the consents are dated otherwise than they were recorded, the first is revision 5 of contact ${ADA}, dated 2021-03-01T10:00:00.000Z and recorded at ${minute(2_020)}. What is proven is when it was recorded.`,
    )
  })
})
