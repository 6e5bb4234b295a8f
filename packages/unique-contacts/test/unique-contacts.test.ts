import { createCommandRunner } from '@tidings/commands'
import { contextOf, modelLog, workspaceId } from '@tidings/commands/testing'
import { asContactId, type ContactId, claim, claimStream, contact, contactStream, Refused } from '@tidings/domain'
import { describe, expect, it } from 'vitest'
import { AddressTaken } from '../src/address-taken.ts'
import type { AddressValues } from '../src/requests.ts'
import { createUniqueContacts } from '../src/unique-contacts.ts'
import { type Appending, logOf } from './claims.testing.ts'

const digest = (_: string, kind: string, value: string) => `${kind}of${value}`

const world = (model = modelLog(), appending: Appending = 'apart') => {
  const waits: number[] = []
  const clock = { now: () => 0, random: () => 0, sleep: async (ms: number) => void waits.push(ms) }
  const runner = createCommandRunner({ log: logOf(model.log, appending), clock })
  const contacts = createUniqueContacts({ runner, clock, claimDigest: digest })
  const create = (word: string, values: AddressValues) =>
    contacts.create({ context: contextOf(word), details: {}, source: 'api', ...values })
  return { model, contacts, runner, create, waits }
}

const claimsOf = (kind: 'email' | 'phone', value: string) => claimStream(workspaceId, kind, digest(workspaceId, kind, value))
const x = { email: 'x' }
const xp = { email: 'x', phone: 'p' }

describe('creating a contact', () => {
  it('is two appends and no read for a new email', async () => {
    const { model, create } = world()
    const { contactId, created } = await create('a', x)
    expect(created).toBe(true)
    expect(model.calls).toEqual([`append ${claimsOf('email', 'x')}`, `append ${contactStream(workspaceId, contactId)}`])
  })

  it('needs no claim when it has neither email nor phone', async () => {
    const { model, create } = world()
    await create('a', {})
    expect(model.calls).toHaveLength(1)
  })

  it('is refused for a taken email, and the error names the owner', async () => {
    const { create } = world()
    const { contactId } = await create('a', x)
    const refusal = await create('b', x).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(AddressTaken)
    expect(refusal).toBeInstanceOf(Refused)
    expect(refusal).toMatchObject({ code: 'contact_email_taken', context: {}, ownerId: contactId, owner: { email: 'x' } })
  })

  it('frees the email it took when the phone is taken', async () => {
    const { create, contacts } = world()
    await create('a', { phone: 'p' })
    await expect(create('b', xp)).rejects.toMatchObject({ code: 'contact_phone_taken' })
    expect(await contacts.ownerOf(workspaceId, 'email', 'x')).toBeNull()
    await expect(create('c', x)).resolves.toMatchObject({ created: true })
  })

  it('claims nothing when the domain refuses the rest', async () => {
    const { model, contacts } = world()
    const details = { customProperties: { k: 'x'.repeat(40_000) } }
    await expect(contacts.create({ context: contextOf('a'), details, source: 'api', ...x })).rejects.toMatchObject({
      code: 'custom_properties_too_large',
    })
    expect(model.calls).toEqual([])
  })

  it('waits a little for an open claim, then fences it', async () => {
    const { model, runner, create, waits } = world()
    const command = { type: 'TakeClaim', data: { claimId: 'crashed', ownerId: asContactId('unknown') } } as const
    await runner.execute({ decider: claim, stream: claimsOf('email', 'x'), command, context: contextOf('crash') })
    await expect(create('a', x)).resolves.toMatchObject({ created: true })
    expect(waits).toEqual([10, 20, 40, 80, 100])
    expect(model.events(contactStream(workspaceId, asContactId('unknown'))).map(({ type }) => type)).toEqual(['ContactClaimAbandoned'])
  })

  it('run again is the same contact, even when its email has moved on since', async () => {
    const { model, contacts, create } = world()
    const { contactId } = await create('a', x)
    await expect(world(model).create('a', x)).resolves.toMatchObject({ contactId, created: true })
    await contacts.update({ context: contextOf('b'), contactId, email: 'y' })
    await create('c', x)
    await expect(world(model).create('a', x)).resolves.toMatchObject({ contactId, created: true, state: { email: 'y' } })
  })

  it('gets an id that sorts by the time of its command', async () => {
    const { contacts } = world()
    const commandId = '0192f0c1-1234-7abc-8def-0123456789ab'
    const { contactId } = await contacts.create({ context: { ...contextOf('a'), commandId }, details: {}, source: 'api' })
    expect(contactId).toMatch(/^0192f0c1-1234-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(contactId).not.toBe(commandId)
  })
})

describe('creating a contact on a log that appends to several streams at once', () => {
  const request = (word: string) => ({ context: contextOf(word), details: {}, source: 'api', ...x })
  const draftFor = (of: ReturnType<typeof world>, word: string, contactId: ContactId) => {
    const command = { type: 'TakeClaim', data: { claimId: word, ownerId: contactId } } as const
    return of.runner.draft({ decider: claim, stream: `other-${word}`, command, context: contextOf(word) })
  }
  const commitWith = async (of: ReturnType<typeof world>, word: string, other: string) => {
    const prepared = await of.contacts.prepareNew(request(word))
    const draft = draftFor(of, other, prepared.contactId)
    return { prepared, committed: await of.contacts.commit(prepared, draft ? [draft] : []) }
  }

  it('is one append and no read', async () => {
    const { model, create } = world(modelLog(), 'together')
    const { contactId } = await create('a', xp)
    const streams = [claimsOf('email', 'x'), claimsOf('phone', 'p'), contactStream(workspaceId, contactId)]
    expect(model.calls).toEqual([`append ${streams.join(' + ')}`])
  })

  it('writes every event under the id that it has step by step', async () => {
    const [together, apart] = [world(modelLog(), 'together'), world(modelLog(), 'apart')]
    await together.create('a', xp)
    await apart.create('a', xp)
    const idsIn = ({ model }: typeof apart) => model.streams().flatMap((stream) => model.events(stream).map(({ id }) => `${stream} ${id}`))
    expect(idsIn(together).sort()).toEqual(idsIn(apart).sort())
  })

  it('writes drafts with a new contact, and says where they are', async () => {
    const of = world(modelLog(), 'together')
    const { prepared, committed } = await commitWith(of, 'a', 'message')
    expect(prepared.state.email).toBe('x')
    expect(committed).toMatchObject({ contactId: prepared.contactId, created: true, state: { email: 'x' } })
    expect(of.model.events('other-message')).toMatchObject([{ position: committed.appended[0]?.position }])
    expect(of.model.calls).toHaveLength(1)
  })

  it('writes no drafts with a contact that is there already', async () => {
    const of = world(modelLog(), 'together')
    await world(of.model).create('a', x)
    const { committed } = await commitWith(of, 'b', 'message')
    expect(committed).toMatchObject({ created: false, appended: [] })
    expect(of.model.events('other-message')).toEqual([])
  })

  it('writes nothing before the commit, and the contact alone without drafts', async () => {
    const of = world(modelLog(), 'together')
    const prepared = await of.contacts.prepareNew(request('a'))
    expect(of.model.calls).toEqual([])
    await expect(of.contacts.commit(prepared, [])).resolves.toMatchObject({ created: true, appended: [] })
    expect(of.model.calls).toHaveLength(1)
  })

  it('run again is the same contact, and leaves the drafts to be recognised', async () => {
    const of = world(modelLog(), 'together')
    const first = await commitWith(of, 'a', 'message')
    const { committed } = await commitWith(world(of.model, 'together'), 'a', 'message')
    expect(committed).toMatchObject({ contactId: first.committed.contactId, created: true, appended: [] })
    expect(of.model.events('other-message')).toHaveLength(1)
  })

  it('goes step by step where the address was claimed after it was prepared', async () => {
    const of = world(modelLog(), 'together')
    const prepared = await of.contacts.prepareNew(request('a'))
    const { contactId } = await of.create('b', x)
    const draft = draftFor(of, 'message', prepared.contactId)
    await expect(of.contacts.commit(prepared, draft ? [draft] : [])).resolves.toMatchObject({ contactId, created: false, appended: [] })
    expect(of.model.events('other-message')).toEqual([])
  })

  it('of twenty at once writes one contact with its drafts', async () => {
    const of = world(modelLog(), 'together')
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => commitWith(of, `r${n}`, `m${n}`)))
    expect(new Set(all.map(({ committed }) => committed.contactId)).size).toBe(1)
    expect(all.filter(({ committed }) => committed.appended.length > 0)).toHaveLength(1)
    expect(of.model.calls).toHaveLength(1)
  })

  it('goes step by step where the email has an open claim', async () => {
    const of = world(modelLog(), 'together')
    const command = { type: 'TakeClaim', data: { claimId: 'crashed', ownerId: asContactId('unknown') } } as const
    await of.runner.execute({ decider: claim, stream: claimsOf('email', 'x'), command, context: contextOf('crash') })
    await expect(world(of.model, 'together').create('a', x)).resolves.toMatchObject({ created: true })
    expect(of.model.events(contactStream(workspaceId, asContactId('unknown'))).map(({ type }) => type)).toEqual(['ContactClaimAbandoned'])
  })
})

describe('changing a contact', () => {
  it('without an address is one append', async () => {
    const { model, contacts, create } = world()
    const { contactId } = await create('a', x)
    model.calls.length = 0
    await contacts.update({ context: contextOf('b'), contactId, details: { firstName: 'Ada' } })
    expect(model.calls).toEqual([`append ${contactStream(workspaceId, contactId)}`])
  })

  it('frees the address it leaves', async () => {
    const { model, contacts, create } = world()
    const { contactId } = await create('a', x)
    await contacts.update({ context: contextOf('b'), contactId, email: 'y', phone: 'p' })
    expect(model.events(claimsOf('email', 'x')).map(({ type }) => type)).toEqual(['ClaimTaken', 'ClaimReleased'])
    expect(await contacts.ownerOf(workspaceId, 'email', 'y')).toBe(contactId)
    expect(await contacts.ownerOf(workspaceId, 'phone', 'p')).toBe(contactId)
  })

  it('claims nothing for the address that the contact has', async () => {
    const { model, contacts, create } = world()
    const { contactId } = await create('a', xp)
    model.calls.length = 0
    await contacts.update({ context: contextOf('b'), contactId, ...xp, details: { firstName: 'Ada' } })
    expect(model.calls.filter((call) => call.includes('claim-'))).toEqual([])
  })

  it('is refused for an address of another contact, and keeps everything as it was', async () => {
    const { contacts, create, runner } = world()
    const { contactId } = await create('a', x)
    await create('b', { phone: 'p' })
    await expect(contacts.update({ context: contextOf('c'), contactId, email: 'y', phone: 'p' })).rejects.toMatchObject({
      code: 'contact_phone_taken',
    })
    expect(await contacts.ownerOf(workspaceId, 'email', 'y')).toBeNull()
    const { state } = await runner.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
    expect(state).toMatchObject({ email: 'x', phone: null })
  })

  it('is refused for a contact that does not exist', async () => {
    const { contacts } = world()
    await expect(contacts.update({ context: contextOf('a'), contactId: asContactId('unknown'), email: 'y' })).rejects.toMatchObject({
      code: 'contact_not_found',
    })
  })
})

describe('an upsert', () => {
  const upsert = (of: ReturnType<typeof world>, word: string, values: AddressValues, knownId?: ContactId) =>
    of.contacts.upsert({ context: contextOf(word), details: { firstName: word }, source: 'api', ...values, ...(knownId && { knownId }) })

  it('creates when no contact matches', async () => {
    await expect(upsert(world(), 'a', xp)).resolves.toMatchObject({ created: true, state: { ...xp } })
  })

  it('changes the contact that has the email', async () => {
    const of = world()
    const { contactId } = await of.create('a', x)
    await expect(upsert(of, 'b', xp)).resolves.toMatchObject({ contactId, created: false, state: { ...xp, details: { firstName: 'b' } } })
  })

  it('changes the contact that has the phone, which takes the sent email', async () => {
    const of = world()
    const { contactId } = await of.create('a', { phone: 'p' })
    await expect(upsert(of, 'b', xp)).resolves.toMatchObject({ contactId, created: false, state: xp })
  })

  it('is refused when the email matches one contact and the phone belongs to another', async () => {
    const of = world()
    await of.create('a', x)
    await of.create('b', { phone: 'p' })
    await expect(upsert(of, 'c', xp)).rejects.toMatchObject({ code: 'contact_phone_taken' })
  })

  it('does not trust a match that is out of date', async () => {
    const of = world()
    const { contactId } = await of.create('a', x)
    await of.contacts.update({ context: contextOf('b'), contactId, email: 'y' })
    const { contactId: other } = await upsert(of, 'c', x, contactId)
    expect(other).not.toBe(contactId)
    await expect(upsert(of, 'd', { email: 'y' }, asContactId('unknown'))).resolves.toMatchObject({ contactId, created: false })
  })

  it('by email alone never gives the contact of a phone another email', async () => {
    const of = world()
    const { contactId } = await of.create('a', { phone: 'p' })
    const byEmail = (values: AddressValues) =>
      of.contacts.upsert({ context: contextOf(JSON.stringify(values)), details: {}, source: 'api', matchBy: 'email', ...values })
    await expect(byEmail(xp)).rejects.toMatchObject({ code: 'contact_phone_taken' })
    expect(await of.contacts.ownerOf(workspaceId, 'email', 'x')).toBeNull()
    expect(await of.contacts.ownerOf(workspaceId, 'phone', 'p')).toBe(contactId)
    await expect(byEmail({ email: 'x', phone: 'q' })).resolves.toMatchObject({ created: true })
    await expect(byEmail({ email: 'x', phone: 'r' })).resolves.toMatchObject({ created: false, state: { phone: 'r' } })
  })

  it('of one email, fifty at once, makes one contact', async () => {
    const of = world()
    const all = await Promise.all(Array.from({ length: 50 }, (_, n) => upsert(of, `u${n}`, x)))
    expect(new Set(all.map(({ contactId }) => contactId)).size).toBe(1)
    expect(all.filter(({ created }) => created)).toHaveLength(1)
    expect(of.waits).toEqual([])
  })
})

describe('resolving a recipient', () => {
  it('creates a contact once, and finds it afterwards', async () => {
    const { contacts } = world()
    const request = { details: {}, source: 'api', ...x }
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) => contacts.resolveOrCreate({ ...request, context: contextOf(`r${n}`) })),
    )
    expect(new Set(all.map(({ contactId }) => contactId)).size).toBe(1)
    expect(all.map(({ created }) => created)).toEqual([true, ...Array<boolean>(19).fill(false)])
  })

  it('by email first, else by phone, and creates one with both', async () => {
    const { contacts } = world()
    const resolve = (id: string, values: Readonly<{ email?: string; phone?: string }>) =>
      contacts.resolveOrCreate({ context: contextOf(id), details: {}, source: 'api', ...values })
    const ann = await resolve('a', { email: 'ann' })
    const bob = await resolve('b', { phone: '1' })
    expect(await resolve('c', { email: 'ann', phone: '1' })).toMatchObject({ contactId: ann.contactId, created: false })
    expect(await resolve('d', { email: 'cid', phone: '1' })).toMatchObject({ contactId: bob.contactId, created: false })
    const dora = await resolve('e', { email: 'cid', phone: '2' })
    expect(dora).toMatchObject({ created: true, state: { email: 'cid', phone: '2' } })
    expect(await resolve('f', { phone: '2' })).toMatchObject({ contactId: dora.contactId, created: false })
  })
})
