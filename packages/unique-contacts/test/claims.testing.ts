import type { EventLog } from '@tidings/codec'
import { Busy, createCommandRunner } from '@tidings/commands'
import { contextOf, type Gate, type ModelLog, modelLog, workspaceId } from '@tidings/commands/testing'
import { type ContactEvent, type ContactId, type ContactState, contact, contactStream, unknownContact } from '@tidings/domain'
import { expect } from 'vitest'
import { AddressTaken } from '../src/address-taken.ts'
import type { AddressValues, ResolvedContact } from '../src/requests.ts'
import { createUniqueContacts, type UniqueContacts } from '../src/unique-contacts.ts'
import type { World } from './testing/interleavings.ts'

/** A healer has all the time it wants. */
const HEALER_ROUNDS = 50

/** Whether the log can append to several streams at once; `apart` is one that cannot, as EventStoreDB. */
export type Appending = 'together' | 'apart'

export function logOf(log: EventLog, appending: Appending): EventLog {
  return appending === 'together' ? log : { ...log, appendTogether: undefined }
}

/**
 * A process of its own: nothing is shared with others but the log. Its clock is the number of times it was asked: `rounds` is how
 * often it tries before it gives up as busy. Two are enough to fence a rival, or to be fenced; three to do so and meet the next.
 */
const processOn = (model: ModelLog, gate: Gate, { rounds, appending }: Process): UniqueContacts => {
  let asked = 0
  const clock = { now: () => asked++, random: () => 1, sleep: async () => {} }
  const runner = createCommandRunner({ log: logOf(model.through(gate), appending), clock: { ...clock, now: () => 0 }, cacheStreams: 20 })
  const claimDigest = (_: string, kind: string, value: string) => `${kind}of${value}`
  return createUniqueContacts({ runner, clock, fenceDelaysMs: [], deadlineMs: rounds, claimDigest })
}

type Process = Readonly<{ rounds: number; appending: Appending }>

const straight: Gate = async (_, act) => act()

const details = {}

/** What one actor does, by its word. The same word twice is one command that two processes run. */
export type Deed = (contacts: UniqueContacts) => Promise<ResolvedContact>

export function creates(word: string, values: AddressValues): Deed {
  return (contacts) => contacts.create({ context: contextOf(word), details, source: 'api', ...values })
}

/** Prepares a contact and commits it, as the first message to an address does. */
export function commits(word: string, values: AddressValues): Deed {
  return async (contacts) =>
    contacts.commit(await contacts.prepareNew({ context: contextOf(word), details, source: 'send', ...values }), [])
}

export function changes(word: string, contactId: ContactId, values: Readonly<{ email?: string | null; phone?: string | null }>): Deed {
  return (contacts) => contacts.update({ context: contextOf(word), contactId, ...values })
}

export function upserts(word: string, values: AddressValues): Deed {
  return (contacts) => contacts.upsert({ context: contextOf(word), details, source: 'api', ...values })
}

const stateOf = (model: ModelLog, stream: string): ContactState => model.events<ContactEvent>(stream).reduce(contact.evolve, unknownContact)

const contactOf = (model: ModelLog, contactId: ContactId): ContactState => stateOf(model, contactStream(workspaceId, contactId))

/** The holders of each value, by the fold of every contact stream, independent of the protocol. */
const owners = (model: ModelLog): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>()
  for (const stream of model.streams()) {
    if (!stream.startsWith('contact-')) continue
    const state = stateOf(model, stream)
    if (!state.exists) continue
    for (const value of [state.email, state.phone]) {
      if (value !== null) found.set(value, [...(found.get(value) ?? []), state.contactId ?? ''])
    }
  }
  return found
}

/** Asked at every step of every interleaving: no `expect`, which takes longer than the step. */
const oneOwnerEach = (model: ModelLog): void => {
  for (const [value, ids] of owners(model)) if (ids.length !== 1) throw new Error(`${value} has ${ids.length} owners: ${ids.join(', ')}`)
}

/** A request for a value in the end gets it, or finds the contact that holds it. */
const everyValueReachable = async (model: ModelLog, values: readonly AddressValues[], appending: Appending): Promise<void> => {
  for (const [n, value] of values.entries()) {
    const answer = await processOn(model, straight, { rounds: HEALER_ROUNDS, appending }).resolveOrCreate({
      context: contextOf(`healer ${n}`),
      details,
      source: 'api',
      ...value,
    })
    oneOwnerEach(model)
    expect(owners(model).get(value.email ?? value.phone ?? '')).toEqual([answer.contactId])
  }
}

/** A fulfilled answer has its contact; a rejected one is a refusal or `Busy`. */
const everyAnswerTrue = (model: ModelLog, answers: Answers): void => {
  for (const answer of answers) {
    if (answer?.status === 'rejected' && !(answer.reason instanceof AddressTaken || answer.reason instanceof Busy)) throw answer.reason
    if (answer?.status === 'fulfilled') expect(contactOf(model, answer.value.contactId).exists).toBe(true)
  }
}

type Answers = readonly (PromiseSettledResult<ResolvedContact> | undefined)[]

export type Scene = Readonly<{
  before: ModelLog
  deeds: readonly Deed[]
  rounds: number
  /** The appends of the n-th deed's process, and of the healer's. */
  appending: (n: number) => Appending
  /** What must be reachable at the end. */
  values: readonly AddressValues[]
  answers?: (answers: Answers) => void
}>

/** A world in which no two contacts ever share a value, and at the end every value can be had. */
export function worldOf({ before, deeds, rounds, values, answers, appending }: Scene): World<ResolvedContact> {
  const model = before.copy()
  return {
    actors: deeds.map((deed, n) => (gate) => deed(processOn(model, gate, { rounds, appending: appending(n) }))),
    fingerprint: () =>
      model
        .streams()
        .map((stream) => [stream, ...model.events(stream).map(({ id }) => id)].join(' '))
        .sort()
        .join('\n'),
    peek: model.peek,
    check: () => oneOwnerEach(model),
    finish: async (settled) => {
      everyAnswerTrue(model, settled)
      answers?.(settled)
      await everyValueReachable(model, values, appending(deeds.length))
    },
  }
}

/** A log in which Ada has the values already, and her id. */
export async function withAda(values: AddressValues): Promise<Readonly<{ before: ModelLog; adaId: ContactId }>> {
  const before = modelLog()
  const { contactId } = await creates('ada', values)(processOn(before, straight, { rounds: HEALER_ROUNDS, appending: 'apart' }))
  return { adaId: contactId, before }
}
