import { modelLog } from '@tidings/commands/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Appending, changes, commits, creates, type Deed, type Scene, upserts, withAda, worldOf } from './claims.testing.ts'
import { exploreAll, exploreOne } from './testing/interleavings.ts'

// A tenth of all the time went into stack traces of refused appends, which are caught. Other files run in this process afterwards.
const { stackTraceLimit } = Error
beforeAll(() => {
  Error.stackTraceLimit = 0
})
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit
})

const nothing = modelLog()

const x = { email: 'x' }
const y = { email: 'y' }
const p = { phone: 'p' }
const xp = { ...x, ...p }
const yp = { ...y, ...p }

const { before: ada, adaId } = await withAda(x)

type Bounds = Readonly<{ maxCrashes: number; maxPreemptions?: number }>

const LOGS = [
  ['where each stream is appended to by itself', () => 'apart'],
  ['where several streams take one append', () => 'together'],
  ['where only every other process can do that', (n: number) => (n % 2 === 0 ? 'together' : 'apart')],
] as const satisfies readonly (readonly [string, (n: number) => Appending])[]

/** Holds in every world: a value never has two owners, a request for it in the end gets it or finds its owner, and every answer was true. */
const everyInterleaving = async (scene: Scene, bounds: Bounds) => {
  const explored = await exploreAll(() => worldOf(scene), bounds)
  expect(explored.schedules).toBeGreaterThan(1)
}

describe.each(LOGS)('on a log %s', (_, appending) => {
  describe('in every interleaving of two processes, with up to two crashes at any step,', () => {
    const two = (deeds: readonly Deed[], values: Scene['values'], before = nothing) =>
      everyInterleaving({ before, deeds, values, rounds: 4, appending }, { maxCrashes: 2 })

    it('two creations of one email make one contact', () => two([creates('a', x), creates('b', x)], [x]))

    it('two first messages to one email make one contact', () => two([commits('a', x), commits('b', x)], [x]))

    it('a first message and a move to its email never share it', () => two([commits('a', y), changes('b', adaId, y)], [x, y], ada))

    it('two creations of one email and phone make one contact', () => two([creates('a', xp), creates('b', xp)], [x, p]))

    it('two creations that share only the phone never share it', () => two([creates('a', xp), creates('b', yp)], [x, y, p]))

    it('two upserts that share only the phone never share it', () => two([upserts('a', xp), upserts('b', yp)], [x, y, p]))

    it('a contact leaves an email that another contact wants', () => two([creates('a', x), changes('b', adaId, y)], [x, y], ada))

    it('a contact moves to an email that another contact wants', () => two([creates('a', y), changes('b', adaId, y)], [x, y], ada))

    it('a contact is moved to two emails at once', () =>
      two([changes('b', adaId, y), changes('c', adaId, { email: 'z' })], [x, y, { email: 'z' }], ada))

    it('a contact loses its email while another command moves it', () =>
      two([changes('b', adaId, y), changes('c', adaId, { email: null })], [x, y], ada))
  })

  describe('in every interleaving of three processes, with a crash at any step,', () => {
    const three = (deeds: readonly Deed[], values: Scene['values'], before = nothing) =>
      everyInterleaving({ before, deeds, values, rounds: 2, appending }, { maxCrashes: 1 })

    it('three creations of one email make one contact', () => three([creates('a', x), creates('b', x), creates('c', x)], [x]))

    it('two creations and a change never share the email they all want', () =>
      three([creates('a', y), changes('b', adaId, y), creates('c', y)], [x, y], ada))

    it('an email is left, and two others are wanted', () => three([creates('a', x), changes('b', adaId, y), creates('c', y)], [x, y], ada))
  })

  describe('a command that two processes run', () => {
    const oneContact: Scene['answers'] = (answers) => {
      const ids = answers.slice(0, 2).flatMap((answer) => (answer?.status === 'fulfilled' ? [answer.value.contactId] : []))
      expect(new Set(ids).size).toBeLessThanOrEqual(1)
    }

    it('makes one contact, whichever of them crashes', async () => {
      const deeds = [creates('a', x), creates('a', x)]
      await everyInterleaving({ before: nothing, deeds, values: [x], rounds: 4, answers: oneContact, appending }, { maxCrashes: 2 })
    })

    it('makes one contact although a rival fences it', async () => {
      const deeds = [creates('a', x), creates('a', x), creates('b', x)]
      await everyInterleaving({ before: nothing, deeds, values: [x], rounds: 2, answers: oneContact, appending }, { maxCrashes: 1 })
    })

    it('never frees an email that its other run is about to write', async () => {
      // The first run holds the email and pauses; the second meets a taken phone and gives up; the phone gets free, the email is wanted.
      const { before, adaId } = await withAda({ phone: 'p' })
      const deeds = [creates('a', xp), creates('a', xp), changes('b', adaId, { phone: null }), creates('c', x)]
      await everyInterleaving(
        { before, deeds, values: [x, p], rounds: 3, answers: oneContact, appending },
        { maxCrashes: 0, maxPreemptions: 1 },
      )
    })

    it('changes an email once, although a rival wants it', async () => {
      const deeds = [changes('a', adaId, y), changes('a', adaId, y), creates('b', y)]
      await everyInterleaving({ before: ada, deeds, values: [x, y], rounds: 2, appending }, { maxCrashes: 1 })
    })
  })

  describe('in hundreds of random interleavings of many processes', () => {
    const deeds = [
      creates('a', xp),
      creates('b', yp),
      upserts('c', xp),
      upserts('d', y),
      changes('e', adaId, yp),
      changes('f', adaId, { email: 'z' }),
      creates('g', x),
      commits('h', x),
    ]

    it('no value ever has two owners, and none gets lost', async () => {
      const values = [x, y, p, { email: 'z' }]
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(fc.constantFrom(...deeds), { minLength: 3, maxLength: 6 }),
          fc.array(fc.nat({ max: 11 }), { minLength: 40, maxLength: 120 }),
          fc.nat({ max: 3 }),
          async (chosen, picks, maxCrashes) => {
            await exploreOne(worldOf({ before: ada, deeds: chosen, values, rounds: 6, appending }), { maxCrashes, picks })
          },
        ),
        { numRuns: 150 },
      )
    })
  })
})
