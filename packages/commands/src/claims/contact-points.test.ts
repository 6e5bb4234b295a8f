import { claim, claimStream, contact, contactStream, Refused } from '@tidings/domain'
import { describe, expect, it } from 'vitest'
import { createCommandRunner } from '../command-runner.ts'
import { modelLog } from '../testing/model-log.ts'
import { type Appending, contextOf, logOf, workspaceId } from './claims.testing.ts'
import { ContactPointTaken } from './contact-point-taken.ts'
import { contactPoints } from './contact-points.ts'
import type { Along, PointValues } from './requests.ts'

const digest = (_: string, kind: string, value: string) => `${kind}of${value}`

const world = (model = modelLog(), appending: Appending = 'apart') => {
  const waits: number[] = []
  const pace = { now: () => 0, random: () => 0, sleep: async (ms: number) => void waits.push(ms) }
  const runner = createCommandRunner({ log: logOf(model.log, appending), pace })
  const points = contactPoints({ runner, pace, claimDigest: digest })
  const create = (word: string, values: PointValues) => points.create({ context: contextOf(word), details: {}, source: 'api', ...values })
  return { model, points, runner, create, waits }
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

  it('is refused for a taken email, and tells the program whose it is', async () => {
    const { create } = world()
    const { contactId } = await create('a', x)
    const refusal = await create('b', x).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ContactPointTaken)
    expect(refusal).toBeInstanceOf(Refused)
    expect(refusal).toMatchObject({ code: 'contact_email_taken', context: {}, ownerId: contactId, owner: { email: 'x' } })
  })

  it('frees the email it took when the phone is taken', async () => {
    const { create, points } = world()
    await create('a', { phone: 'p' })
    await expect(create('b', xp)).rejects.toMatchObject({ code: 'contact_phone_taken' })
    expect(await points.ownerOf(workspaceId, 'email', 'x')).toBeNull()
    await expect(create('c', x)).resolves.toMatchObject({ created: true })
  })

  it('claims nothing when the domain refuses the rest', async () => {
    const { model, points } = world()
    const details = { customProperties: { k: 'x'.repeat(40_000) } }
    await expect(points.create({ context: contextOf('a'), details, source: 'api', ...x })).rejects.toMatchObject({
      code: 'custom_properties_too_large',
    })
    expect(model.calls).toEqual([])
  })

  it('waits a little for a claimer that is not done, then fences it', async () => {
    const { model, runner, create, waits } = world()
    const command = { type: 'TakeClaim', data: { claimId: 'crashed', ownerId: 'nobody' } } as const
    await runner.execute({ decider: claim, stream: claimsOf('email', 'x'), command, context: contextOf('crash') })
    await expect(create('a', x)).resolves.toMatchObject({ created: true })
    expect(waits).toEqual([10, 20, 40, 80, 100])
    expect(model.events(contactStream(workspaceId, 'nobody')).map(({ type }) => type)).toEqual(['ContactClaimAbandoned'])
  })

  it('run again is the same contact, even when its email has moved on since', async () => {
    const { model, points, create } = world()
    const { contactId } = await create('a', x)
    await expect(world(model).create('a', x)).resolves.toMatchObject({ contactId, created: true })
    await points.update({ context: contextOf('b'), contactId, email: 'y' })
    await create('c', x)
    await expect(world(model).create('a', x)).resolves.toMatchObject({ contactId, created: true, state: { email: 'y' } })
  })

  it('gets an id that sorts by the time of its command', async () => {
    const { points } = world()
    const commandId = '0192f0c1-1234-7abc-8def-0123456789ab'
    const { contactId } = await points.create({ context: { ...contextOf('a'), commandId }, details: {}, source: 'api' })
    expect(contactId).toMatch(/^0192f0c1-1234-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(contactId).not.toBe(commandId)
  })
})

describe('creating a contact on a log that appends to several streams at once', () => {
  const along = (of: ReturnType<typeof world>, word: string): Along & { asked: string[] } => {
    const asked: string[] = []
    const draft = async ({ contactId, state }: Parameters<Along>[0]) => {
      asked.push(`${contactId} ${state.email}`)
      const command = { type: 'TakeClaim', data: { claimId: word, ownerId: contactId } } as const
      return of.runner.draft({ decider: claim, stream: `along-${word}`, command, context: contextOf(word) })
    }
    return Object.assign(draft, { asked })
  }
  const resolve = (of: ReturnType<typeof world>, word: string, company?: Along) =>
    of.points.resolveOrCreate({ context: contextOf(word), details: {}, source: 'api', ...x }, company)

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

  it('writes along with a new contact what belongs to it, and says where it stands', async () => {
    const of = world(modelLog(), 'together')
    const company = along(of, 'message')
    const { contactId, along: place } = await resolve(of, 'a', company)
    expect(company.asked).toEqual([`${contactId} x`])
    expect(of.model.events('along-message')).toMatchObject([{ position: place }])
    expect(of.model.calls).toHaveLength(1)
  })

  it('writes nothing along with a contact that is there already', async () => {
    const of = world(modelLog(), 'together')
    await world(of.model).create('a', x)
    const company = along(of, 'message')
    const resolved = await resolve(of, 'b', company)
    expect(resolved).toMatchObject({ created: false })
    expect(resolved.along).toBeUndefined()
    expect(of.model.events('along-message')).toEqual([])
  })

  it('writes the contact alone where nothing belongs to it, and nothing at all where that cannot be told', async () => {
    const of = world(modelLog(), 'together')
    await expect(resolve(of, 'a', () => Promise.reject(new Error('no directory')))).rejects.toThrow('no directory')
    expect(of.model.calls).toEqual([])
    const resolved = await resolve(of, 'b', async () => null)
    expect(resolved).toMatchObject({ created: true })
    expect(resolved.along).toBeUndefined()
    expect(of.model.calls).toHaveLength(1)
  })

  it('run again is the same contact, and leaves what was written along to be recognised', async () => {
    const of = world(modelLog(), 'together')
    const { contactId } = await resolve(of, 'a', along(of, 'message'))
    const again = world(of.model, 'together')
    const repeated = await resolve(again, 'a', along(again, 'message'))
    expect(repeated).toMatchObject({ contactId, created: true })
    expect(repeated.along).toBeUndefined()
    expect(of.model.events('along-message')).toHaveLength(1)
  })

  it('goes step by step where somebody claims the email and is not done', async () => {
    const of = world(modelLog(), 'together')
    const command = { type: 'TakeClaim', data: { claimId: 'crashed', ownerId: 'nobody' } } as const
    await of.runner.execute({ decider: claim, stream: claimsOf('email', 'x'), command, context: contextOf('crash') })
    await expect(world(of.model, 'together').create('a', x)).resolves.toMatchObject({ created: true })
    expect(of.model.events(contactStream(workspaceId, 'nobody')).map(({ type }) => type)).toEqual(['ContactClaimAbandoned'])
  })
})

describe('changing a contact', () => {
  it('without an address is one append', async () => {
    const { model, points, create } = world()
    const { contactId } = await create('a', x)
    model.calls.length = 0
    await points.update({ context: contextOf('b'), contactId, details: { firstName: 'Ada' } })
    expect(model.calls).toEqual([`append ${contactStream(workspaceId, contactId)}`])
  })

  it('frees the address it leaves', async () => {
    const { model, points, create } = world()
    const { contactId } = await create('a', x)
    await points.update({ context: contextOf('b'), contactId, email: 'y', phone: 'p' })
    expect(model.events(claimsOf('email', 'x')).map(({ type }) => type)).toEqual(['ClaimTaken', 'ClaimReleased'])
    expect(await points.ownerOf(workspaceId, 'email', 'y')).toBe(contactId)
    expect(await points.ownerOf(workspaceId, 'phone', 'p')).toBe(contactId)
  })

  it('claims nothing for the address that the contact has', async () => {
    const { model, points, create } = world()
    const { contactId } = await create('a', xp)
    model.calls.length = 0
    await points.update({ context: contextOf('b'), contactId, ...xp, details: { firstName: 'Ada' } })
    expect(model.calls.filter((call) => call.includes('claim-'))).toEqual([])
  })

  it('is refused for an address of somebody else, and keeps everything as it was', async () => {
    const { points, create, runner } = world()
    const { contactId } = await create('a', x)
    await create('b', { phone: 'p' })
    await expect(points.update({ context: contextOf('c'), contactId, email: 'y', phone: 'p' })).rejects.toMatchObject({
      code: 'contact_phone_taken',
    })
    expect(await points.ownerOf(workspaceId, 'email', 'y')).toBeNull()
    const { state } = await runner.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
    expect(state).toMatchObject({ email: 'x', phone: null })
  })

  it('is refused for a contact that does not exist', async () => {
    const { points } = world()
    await expect(points.update({ context: contextOf('a'), contactId: 'nobody', email: 'y' })).rejects.toMatchObject({
      code: 'contact_not_found',
    })
  })
})

describe('an upsert', () => {
  const upsert = (of: ReturnType<typeof world>, word: string, values: PointValues, knownId?: string) =>
    of.points.upsert({ context: contextOf(word), details: { firstName: word }, source: 'api', ...values, ...(knownId && { knownId }) })

  it('creates when nobody matches', async () => {
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
    await of.points.update({ context: contextOf('b'), contactId, email: 'y' })
    const { contactId: other } = await upsert(of, 'c', x, contactId)
    expect(other).not.toBe(contactId)
    await expect(upsert(of, 'd', { email: 'y' }, 'nobody')).resolves.toMatchObject({ contactId, created: false })
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
    const { points } = world()
    const request = { details: {}, source: 'api', ...x }
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => points.resolveOrCreate({ ...request, context: contextOf(`r${n}`) })))
    expect(new Set(all.map(({ contactId }) => contactId)).size).toBe(1)
    expect(all.map(({ created }) => created)).toEqual([true, ...Array<boolean>(19).fill(false)])
  })
})
