import { createCommandRunner } from '@tidings/commands'
import { contextOf, modelLog, workspaceId } from '@tidings/commands/testing'
import { asContactId, type ContactId, claim, claimStream, contact, contactStream, noFacts } from '@tidings/domain'
import { describe, expect, it } from 'vitest'
import { createUniqueContacts } from '../src/unique-contacts.ts'
import { logOf } from './claims.testing.ts'

const dead = { ...noFacts, reasons: ['hard_bounce'] } as const
const consents = [{ channel: 'email', status: 'subscribed', source: 'api', ip: null, userAgent: null }] as const

const world = (olderDigests: (value: string) => readonly string[] = () => []) => {
  const model = modelLog()
  const clock = { now: () => 0, random: () => 0, sleep: async () => undefined }
  const runner = createCommandRunner({ log: logOf(model.log, 'together'), clock })
  const contacts = createUniqueContacts({
    runner,
    clock,
    claimDigest: (_, kind, value) => `${kind}of${value}`,
    olderDigests: async (_, __, value) => olderDigests(value),
  })
  const create = (word: string, email: string) => contacts.create({ context: contextOf(word), details: {}, source: 'api', email, consents })
  const move = (word: string, contactId: ContactId, email: string | null) => contacts.update({ context: contextOf(word), contactId, email })
  const stateOf = async (contactId: ContactId) =>
    (await runner.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })).state
  const shown = async (contactId: ContactId) => {
    const { consents: said, suppressions, emailValidation } = await stateOf(contactId)
    return [said.email, suppressions.email, emailValidation]
  }
  /** Notes facts like the outcome consumer: with the address first, then with its contact. */
  const bounce = async (word: string, email: string) => {
    const holder = await contacts.noteFacts({ context: contextOf(word), kind: 'email', value: email, facts: dead })
    if (holder === null) return null
    await runner.execute({
      decider: contact,
      stream: contactStream(workspaceId, holder.contactId),
      command: { type: 'NoteEmailOutcome', data: { contactId: holder.contactId, email: holder.state.email ?? '', outcome: 'hard_bounce' } },
      context: contextOf(`${word}.noted`),
    })
    return holder.contactId
  }
  return { runner, contacts, create, move, shown, bounce, stateOf }
}

const good = ['subscribed', [], 'unknown']
const bad = ['cleaned', ['hard_bounce'], 'unknown']

describe('what is known of an address', () => {
  it('goes with it: from who gives it up to who takes it, and back', async () => {
    const { create, move, bounce, shown } = world()
    const ada = await create('a', 'x')
    const bob = await create('b', 'y')
    expect(await bounce('n', 'x')).toBe(ada.contactId)
    expect([await shown(ada.contactId), await shown(bob.contactId)]).toEqual([bad, good])
    // They swap.
    await move('m1', ada.contactId, 'z')
    await move('m2', bob.contactId, 'x')
    await move('m3', ada.contactId, 'y')
    expect([await shown(ada.contactId), await shown(bob.contactId)]).toEqual([good, bad])
    // The address goes back.
    await move('m4', bob.contactId, null)
    await move('m5', ada.contactId, 'x')
    expect([await shown(ada.contactId), await shown(bob.contactId)]).toEqual([bad, good])
  })

  it('waits for the next contact, where none has it when it is found out', async () => {
    const { create, move, bounce, shown } = world()
    const ada = await create('a', 'x')
    await move('m', ada.contactId, 'y')
    expect(await bounce('n', 'x')).toBeNull()
    expect(await shown(ada.contactId)).toEqual(good)
    const bob = await create('b', 'x')
    expect(await shown(bob.contactId)).toEqual(bad)
  })

  it('reaches the contact that has it by then, and to an erased person’s successor', async () => {
    const { create, move, bounce, shown, runner } = world()
    const ada = await create('a', 'x')
    await move('m', ada.contactId, 'y')
    const bob = await create('b', 'x')
    expect(await bounce('n', 'x')).toBe(bob.contactId)
    expect([await shown(ada.contactId), await shown(bob.contactId)]).toEqual([good, bad])
    const command = { type: 'RequestErasure', data: { contactId: bob.contactId } } as const
    await runner.execute({ decider: contact, stream: contactStream(workspaceId, bob.contactId), command, context: contextOf('e') })
    expect(await shown((await create('c', 'x')).contactId)).toEqual(bad)
  })

  it('reaches a contact whose claim was open when it was found out, also where its writer died', async () => {
    const { create, bounce, shown, runner } = world()
    const stream = claimStream(workspaceId, 'email', 'emailofx')
    const command = { type: 'TakeClaim', data: { claimId: 'open', ownerId: asContactId('slow') } } as const
    await runner.execute({ decider: claim, stream, command, context: contextOf('t') })
    expect(await bounce('n', 'x')).toBeNull()
    // The writer wakes up: its claim was fenced, so that it cannot write what it decided before.
    const slow = {
      type: 'CreateContact',
      data: { contactId: asContactId('slow'), email: { value: 'x', claimId: 'open' }, details: {}, source: 'api' },
    } as const
    const execution = { decider: contact, stream: contactStream(workspaceId, asContactId('slow')), command: slow, context: contextOf('s') }
    await expect(runner.execute(execution)).rejects.toMatchObject({ code: 'claim_lost' })
    expect(await shown((await create('b', 'x')).contactId)).toEqual(bad)
  })

  it('is kept with the address from before there were facts, and its validation is', async () => {
    const { create, move, shown, runner } = world()
    const ada = await create('a', 'x')
    for (const outcome of ['delivered', 'hard_bounce'] as const)
      await runner.execute({
        decider: contact,
        stream: contactStream(workspaceId, ada.contactId),
        command: { type: 'NoteEmailOutcome', data: { contactId: ada.contactId, email: 'x', outcome } },
        context: contextOf(outcome),
      })
    await move('m', ada.contactId, 'y')
    expect(await shown(ada.contactId)).toEqual(good)
    expect(await shown((await create('b', 'x')).contactId)).toEqual(['cleaned', ['hard_bounce'], 'valid'])
  })

  it('is over by an operator’s word', async () => {
    const { contacts, create, move, bounce, shown, runner } = world()
    const ada = await create('a', 'x')
    await bounce('n', 'x')
    await contacts.liftFacts({ context: contextOf('l'), email: 'x', phone: null })
    const lift = { type: 'LiftSuppression', data: { contactId: ada.contactId, channels: ['email'] } } as const
    await runner.execute({ decider: contact, stream: contactStream(workspaceId, ada.contactId), command: lift, context: contextOf('l2') })
    await move('m', ada.contactId, 'y')
    expect(await shown(ada.contactId)).toEqual(good)
    expect(await shown((await create('b', 'x')).contactId)).toEqual(good)
  })

  it('reaches a contact that has claimed it in another spelling since before M46', async () => {
    const { contacts, runner } = world((value) => [`old${value}`])
    const take = { type: 'TakeClaim', data: { claimId: 'k', ownerId: asContactId('bob') } } as const
    await runner.execute({
      decider: claim,
      stream: claimStream(workspaceId, 'email', 'oldx'),
      command: take,
      context: contextOf('t'),
    })
    const create = { contactId: asContactId('bob'), email: { value: 'X', claimId: 'k' }, details: {}, source: 'api' } as const
    await runner.execute({
      decider: contact,
      stream: contactStream(workspaceId, asContactId('bob')),
      command: { type: 'CreateContact', data: create },
      context: contextOf('c'),
    })
    expect(await contacts.noteFacts({ context: contextOf('n'), kind: 'email', value: 'x', facts: dead })).toMatchObject({
      contactId: 'bob',
    })
  })
})

describe('a number at which nothing arrives', () => {
  const sms = [{ ...consents[0], channel: 'sms' }] as const
  const unreachable = async () => {
    const { contacts, runner, stateOf } = world()
    const details = { details: {}, source: 'api', consents: sms }
    const { contactId } = await contacts.create({ context: contextOf('a'), phone: 'n', ...details })
    await contacts.noteFacts({ context: contextOf('n'), kind: 'phone', value: 'n', facts: { ...noFacts, unreachable: true } })
    const on = (word: string, command: Parameters<typeof contact.decide>[0]) =>
      runner.execute({ decider: contact, stream: contactStream(workspaceId, contactId), command, context: contextOf(word) })
    await on('u', { type: 'NoteSmsUnreachable', data: { contactId, phone: 'n' } })
    const move = (word: string, phone: string | null) => contacts.update({ context: contextOf(word), contactId, phone })
    const next = async () =>
      (await stateOf((await contacts.create({ context: contextOf('b'), phone: 'n', ...details })).contactId)).consents.sms
    return { contacts, contactId, on, move, next, smsOf: async () => (await stateOf(contactId)).consents.sms }
  }

  it('is one for the next contact', async () => {
    const { move, next } = await unreachable()
    await move('m', 'n2')
    expect(await next()).toBe('cleaned')
  })

  it('is none any more by an operator’s word, also once its contact gives it up', async () => {
    const { contacts, contactId, on, move, next, smsOf } = await unreachable()
    await contacts.liftFacts({ context: contextOf('l'), email: null, phone: 'n' })
    await on('l2', { type: 'LiftSuppression', data: { contactId, channels: ['sms'] } })
    await move('m', 'n2')
    expect([await smsOf(), await next()]).toEqual(['subscribed', 'subscribed'])
  })

  it('is none any more once the person answers there', async () => {
    const { contacts, contactId, on, move, smsOf } = await unreachable()
    await contacts.liftFacts({ context: contextOf('s'), email: null, phone: 'n' })
    await on('s2', { type: 'NoteSmsReply', data: { contactId, phone: 'n', reply: 'start', message: null } })
    await move('m', null)
    await move('m2', 'n')
    expect(await smsOf()).toBe('subscribed')
  })
})
