import type { Recorded, StreamReader } from '@tidings/codec'
import { asContactId, asWorkspaceId, type ContactEvent } from '@tidings/domain'
import { expect, it } from 'vitest'
import { readProfile } from '../../src/contact/profile-at.ts'

const workspaceId = asWorkspaceId('0192f0c1-0000-7000-8000-000000000002')
const contactId = asContactId('0192f0c1-0000-7000-8000-000000000001')
const day = (n: number): string => new Date(Date.UTC(2026, 2, n)).toISOString()

type SaidEvent = Readonly<{ at: string; event: ContactEvent; erased?: boolean }>

/** A log of one stream, which answers in pages. */
const logOf = (said: readonly SaidEvent[], firstRevision = 0): StreamReader => {
  const events = said.map(({ at, event, erased = false }, n) => ({
    ...event,
    ...{
      id: `event-${n}`,
      stream: 'contact-1',
      revision: firstRevision + n,
      position: { commit: BigInt(n), prepare: 0n },
      created: at,
      erased,
    },
    meta: { workspaceId, actor: 'key:1', requestId: 'r', at, correlationId: 'r', causationId: 'r' },
  })) as unknown as readonly Recorded<ContactEvent>[]
  const readStream = async (_workspace: string, _stream: string, { from = 0, limit = events.length }: { from?: number; limit?: number }) =>
    events.filter(({ revision }) => revision >= from).slice(0, limit)
  return { readStream } as unknown as StreamReader
}

const details = {
  firstName: 'Noa',
  lastName: null,
  locale: null,
  timezone: null,
  notes: null,
  tags: ['gold'],
  customProperties: { size: 'M' },
}
const created: SaidEvent = {
  at: day(2),
  event: {
    type: 'ContactCreated',
    data: { contactId, ...details, email: 'noa@example.com', emailClaimId: 'c', phone: null, phoneClaimId: null, source: 'api' },
  },
}
const renamed: SaidEvent = { at: day(5), event: { type: 'ContactDetailsChanged', data: { contactId, firstName: 'Noah', tags: [] } } }
const blocked: SaidEvent = {
  at: day(6),
  event: { type: 'ContactSuppressed', data: { contactId, channel: 'email', reason: 'hard_bounce' } },
}
const agreed = (at: string, givenAt?: string): SaidEvent => ({
  at,
  event: {
    type: 'ContactConsentRecorded',
    data: {
      ...{
        contactId,
        channel: 'email',
        from: 'never_subscribed',
        to: 'subscribed',
        source: 'form',
        ip: null,
        userAgent: null,
        message: null,
      },
      ...(givenAt !== undefined && { givenAt }),
    } as Extract<ContactEvent, { type: 'ContactConsentRecorded' }>['data'],
  },
})
const asked: SaidEvent = { at: day(9), event: { type: 'ContactErasureRequested', data: { contactId } } }

const at = (log: StreamReader, moment: string | null) => readProfile(log, { workspaceId, contactId, at: moment })

it('is what the events up to the moment made of it, and knows when it changed', async () => {
  const log = logOf([created, renamed, blocked])
  const then = await at(log, day(3))
  expect(then?.state.details).toEqual(details)
  expect(then).toMatchObject({ createdAt: day(2), changedAt: day(2), changes: [day(2), day(5), day(6)] })
  const now = await at(log, null)
  expect(now?.state).toMatchObject({ details: { firstName: 'Noah', tags: [] }, suppressions: { email: ['hard_bounce'] } })
  expect(now).toMatchObject({ createdAt: day(2), changedAt: day(6) })
  expect((await at(log, day(5)))?.state.details.firstName).toBe('Noah')
})

it('did not exist before its creation', async () => {
  expect(await at(logOf([created]), day(1))).toBeNull()
  expect(await at(logOf([]), null)).toBeNull()
})

it('had agreed by when a consent was given, not by when it was brought', async () => {
  const log = logOf([created, agreed(day(8), day(3))])
  expect((await at(log, day(4)))?.state.consents.email).toBe('subscribed')
  expect((await at(logOf([created, agreed(day(8))]), day(4)))?.state.consents.email).toBe('never_subscribed')
})

it('is gone for every moment from the request to erase it on', async () => {
  expect(await at(logOf([created, asked]), day(3))).toBeNull()
  expect(await at(logOf([{ ...created, erased: true }]), day(3))).toBeNull()
})

it('refuses a stream whose beginning is hidden', async () => {
  await expect(at(logOf([renamed], 4), day(6))).rejects.toThrow('begins at revision 4')
})
