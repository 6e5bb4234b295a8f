import type { Page, Profile } from '@tidings/contracts'
import { asMessageId, messageStream } from '@tidings/domain'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { outcome } from './support/answers.ts'
import type { Answer, Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { outboxOf } from './support/outbox.ts'
import { profilesOf } from './support/profiles.ts'
import { storedEvents } from './support/stored-log.ts'
import { startWorld, type World } from './support/world.ts'

const PARALLEL = 50

let world: World
let umbrella: Client
let profiles: ReturnType<typeof profilesOf>

beforeAll(async () => {
  world = await startWorld()
  umbrella = await world.workspace('umbrella')
  profiles = profilesOf(umbrella)
})
afterAll(() => world.stop())

const times = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))

const allProfiles = async (search: string): Promise<readonly Profile[]> => {
  const { items, total } = (await umbrella.request('GET', `/public/profiles?limit=200&search=${encodeURIComponent(search)}`)).body
    .data as Page<Profile>
  expect(total).toBe(items.length)
  return items
}

/** The status and code of every answer, each once. A 503 is left out: a machine that is busy enough says so, and then all else must still hold. */
const kinds = (answers: readonly Answer[]): readonly string[] =>
  [
    ...new Set(answers.filter(({ status }) => status !== 503).map((answer) => `${answer.status} ${outcome(answer).code ?? ''}`.trim())),
  ].sort()

it('50 parallel upserts of one email make one contact, which has what each of them said', async () => {
  const answers = await times(PARALLEL, (i) =>
    umbrella.request('PUT', '/public/profiles', { email: 'upsert@one.example', customProperties: { [`k${i}`]: i } }),
  )
  expect(kinds(answers)).toEqual(['200'])
  const written = answers.filter(({ status }) => status === 200).map(({ body }) => (body.data as Profile).id)
  expect(new Set(written).size).toBe(1)
  const [only, ...others] = await allProfiles('upsert@one.example')
  expect(others).toEqual([])
  expect(Object.keys(only?.customProperties ?? {}).length).toBeGreaterThanOrEqual(written.length)
})

it('50 parallel upserts by one email and one phone meet in one contact', async () => {
  const answers = await times(PARALLEL, (i) =>
    umbrella.request('PUT', '/public/profiles', {
      ...(i % 3 !== 0 && { email: 'meet@one.example' }),
      ...(i % 3 !== 1 && { phone: '+972501000001' }),
      customProperties: { [`k${i}`]: i },
    }),
  )
  const found = [...(await allProfiles('meet@one.example')), ...(await allProfiles('+972501000001'))]
  const owners = new Set(found.map(({ id }) => id))
  // An upsert by email and one by phone that both came first are two people: a request that names both afterwards is refused.
  expect(kinds(answers).filter((kind) => kind !== '200' && kind !== '409 contact_phone_taken')).toEqual([])
  expect(owners.size).toBe(kinds(answers).length === 1 ? 1 : 2)
})

it('parallel creations of one email have one winner', async () => {
  const answers = await times(PARALLEL, () => umbrella.request('POST', '/public/profiles', { email: 'create@one.example' }))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(kinds(answers)).toEqual(['201', '409 contact_email_taken'])
  expect(await allProfiles('create@one.example')).toHaveLength(1)
})

it('contacts that take, swap and free a few addresses at once never share one', async () => {
  const point = (n: number) => ({ email: `p${n}@swap.example`, phone: `+97250200000${n}` })
  const contacts = await times(6, (n) => profiles.create({ ...point(n), lastName: 'Swap' }))
  const answers = await times(120, (i) => {
    const id = contacts[i % contacts.length]?.id ?? ''
    const { email, phone } = point((i * 7 + Math.trunc(i / 6)) % 8)
    if (i % 4 === 0) return umbrella.request('PATCH', `/public/profiles/${id}`, { email })
    if (i % 4 === 1) return umbrella.request('PATCH', `/public/profiles/${id}`, { phone })
    if (i % 4 === 2) return umbrella.request('PATCH', `/public/profiles/${id}`, { email, phone })
    return umbrella.request('PUT', '/public/profiles', { email, lastName: 'Swap' })
  })
  expect(kinds(answers).filter((kind) => !['200', '409 contact_email_taken', '409 contact_phone_taken'].includes(kind))).toEqual([])

  const all = await allProfiles('swap')
  for (const field of ['email', 'phone'] as const) {
    const held = all.map((profile) => profile[field]).filter((value) => value !== null)
    expect(new Set(held).size).toBe(held.length)
  }
  // What the list says, the claims say: the owner is who is looked up and refused for, and an unused value is free.
  for (const { id, email } of all) if (email !== null) expect((await profiles.lookup(email)).id).toBe(id)
  for (let n = 0; n < 8; n++) {
    const { email } = point(n)
    const owner = all.find((profile) => profile.email === email)
    const { status } = await umbrella.request('POST', '/public/profiles', { email, lastName: 'Later' })
    expect([n, status]).toEqual([n, owner ? 409 : 201])
  }
})

it('50 parallel sends to one new address make one contact and 50 emails, in the order of their acceptance', async () => {
  const ids = await times(PARALLEL, (i) => umbrella.send('Lane@one.example', { subject: `n${i}` }))
  expect(new Set(ids).size).toBe(PARALLEL)
  expect(await allProfiles('lane@one.example')).toHaveLength(1)

  const { list } = outboxOf(world)
  const emails = await eventually(
    () => list('?to=lane@one.example'),
    (found) => found.length >= PARALLEL,
  )
  const accepted = (await storedEvents(world.stores.store)).filter(({ type }) => type === 'EmailAccepted').map(({ stream }) => stream)
  const byStream = new Map(ids.map((id) => [messageStream(umbrella.applied.workspace.id, asMessageId(id)), id]))
  const inOrder = accepted.flatMap((stream) => byStream.get(stream) ?? [])
  expect(emails.map(({ messageId }) => messageId).reverse()).toEqual(inOrder)
  for (const id of ids) expect(await umbrella.messageWith(id, 'sent')).toMatchObject({ failureReason: null })
})
