import { createEventLog, type EventLog, type KeyRing, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import {
  type ActivityRecorded,
  activityStream,
  asContactId,
  asWorkspaceId,
  contactSubject,
  eventDeclarations,
  type WorkspaceStatus,
} from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import type { Job } from '@tidings/jobs'
import { ReadSideBehind } from '@tidings/projections'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Abandoning, abandonCart } from '../../src/abandoned-carts/abandon-cart.ts'
import { lastActivitiesIn } from '../testing/last-activities.ts'

const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const contactId = asContactId('0192b1f0-0000-7000-8000-00000000000a')
const STARTED = Date.parse('2026-11-23T10:00:00.000Z')
const minutes = (n: number) => n * 60_000
const at = (n: number) => new Date(STARTED + minutes(n)).toISOString()

let keyRing: KeyRing
let log: EventLog
let outcomes: string[]
beforeEach(() => {
  keyRing = memoryKeyRing()
  log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing })
  outcomes = []
})
afterEach(() => log.close())

let reports = 0
const report = async (event: string, minute: number, of = contactId, recordedAt = minute): Promise<Job> => {
  const activityId = asContactId(`0192b1f0-0000-7000-8000-${String(++reports).padStart(12, '0')}`)
  const context = { commandId: activityId, workspaceId, actor: 'test', requestId: 'r', at: at(recordedAt) }
  const properties = { externalId: 'cart-7', orderId: null, amount: 12.5, currency: 'ILS' }
  const data = { activityId, contactId: of, event, source: 'store', occurredAt: at(minute), properties, propertyNames: [] } as const
  await log.append(activityStream(workspaceId, activityId), 'no_stream', [{ type: 'ActivityRecorded', data }], context)
  return { workspaceId, seq: 1n, attempt: 0, payload: activityId, takenOver: false, claimedBefore: false }
}

type GivenCart = Readonly<{ minute: number; status?: WorkspaceStatus; behind?: boolean }>
const abandoning = ({ minute, status = 'active', behind = false }: GivenCart): Abandoning => ({
  log,
  commands: createCommandRunner({ log, deadlineMs: Number.POSITIVE_INFINITY }),
  workspaces: { status: () => status },
  lastActivities: (workspace, contact) => lastActivitiesIn(log, { workspaceId: workspace, contactId: contact }),
  gate: {
    requireAsOfNow: async (_, projections) => {
      if (behind) throw new ReadSideBehind(await log.head(), projections)
    },
  },
  suspended: { putOff: async () => ({ type: 'Deferred', inMs: 1_000, counts: false, deferredFor: 'workspace_suspended' }) },
  now: () => STARTED + minutes(minute),
  onOutcome: (outcome) => outcomes.push(outcome),
})
const look = (job: Job, given: GivenCart) => abandonCart(abandoning(given), job)
const abandoned = async () =>
  (await log.readAll('start', 1_000)).events.filter(({ data }) => (data as ActivityRecorded['data']).event === 'cart.abandoned')

describe('a cart is abandoned', () => {
  it('an hour after it began, once, with what was in it', async () => {
    const job = await report('checkout.started', 0)
    expect(await look(job, { minute: 60 })).toBe('done')
    expect(await look(job, { minute: 60 })).toBe('done')
    const [event, ...others] = await abandoned()
    expect(others).toEqual([])
    expect(event?.data).toMatchObject({
      contactId,
      source: 'service',
      occurredAt: at(60),
      properties: { externalId: 'cart-7', orderId: null, amount: 12.5, currency: 'ILS' },
    })
    expect(event?.meta).toMatchObject({ workspaceId, actor: 'pipeline' })
  })

  it('once, though two processes look at it at the same time', async () => {
    const job = await report('checkout.started', 0)
    await Promise.all(Array.from({ length: 10 }, () => look(job, { minute: 60 })))
    expect(await abandoned()).toHaveLength(1)
  })

  it('though somebody else ordered, and though its contact ordered before', async () => {
    await report('order.completed', -1)
    const job = await report('checkout.started', 0)
    await report('order.completed', 5, asContactId('0192b1f0-0000-7000-8000-00000000000b'))
    await look(job, { minute: 60 })
    expect(outcomes).toEqual(['abandoned'])
  })
})

describe('a cart is not abandoned', () => {
  it('before the hour is over', async () => {
    const job = await report('checkout.started', 0)
    expect(await look(job, { minute: 59 })).toEqual({ type: 'Deferred', inMs: minutes(1), counts: false, deferredFor: 'due_time' })
    expect(await abandoned()).toEqual([])
  })

  it.each(['order.completed', 'cart.abandoned', 'checkout.started'])('where its contact has a later %s', async (event) => {
    const job = await report('checkout.started', 0)
    await report(event, 30)
    expect(await look(job, { minute: 60 })).toBe('done')
    expect(outcomes).toEqual([event === 'order.completed' ? 'bought' : 'renewed'])
    expect((await abandoned()).filter(({ meta }) => meta.actor === 'pipeline')).toEqual([])
  })

  it('more than a day late: after a restore, or a week of downtime', async () => {
    const job = await report('checkout.started', 0)
    expect(await look(job, { minute: 60 + 24 * 60 })).toBe('done')
    const old = await report('checkout.started', -1)
    expect(await look(old, { minute: 60 + 24 * 60 })).toBe('done')
    expect(outcomes).toEqual(['abandoned', 'missed'])
    expect(await abandoned()).toHaveLength(1)
  })

  it('of a store that reported it more than a day after it began', async () => {
    const job = await report('checkout.started', -24 * 60 - 30, contactId, 0)
    expect(await look(job, { minute: 0 })).toBe('done')
    expect(outcomes).toEqual(['missed'])
    expect(await abandoned()).toEqual([])
  })

  it('while the read side is behind: an order may have been accepted', async () => {
    const job = await report('checkout.started', 0)
    await expect(look(job, { minute: 60, behind: true })).rejects.toThrow(ReadSideBehind)
    expect(outcomes).toEqual([])
    expect(await look(job, { minute: 61 })).toBe('done')
    expect(outcomes).toEqual(['abandoned'])
  })

  it('in a workspace that is closed', async () => {
    const job = await report('checkout.started', 0)
    expect(await look(job, { minute: 60, status: 'closed' })).toBe('done')
    expect(outcomes).toEqual(['closed'])
    expect(await abandoned()).toEqual([])
  })

  it('in a workspace that is suspended, until it is active again', async () => {
    const job = await report('checkout.started', 0)
    expect(await look(job, { minute: 60, status: 'suspended' })).toMatchObject({ counts: false })
    expect(await abandoned()).toEqual([])
    expect(await look(job, { minute: 90 })).toBe('done')
    expect(await abandoned()).toHaveLength(1)
  })

  it('of a person who was erased', async () => {
    const job = await report('checkout.started', 0)
    await keyRing.shred(workspaceId, contactSubject({ contactId }))
    await look(job, { minute: 60 })
    expect(outcomes).toEqual(['forgotten'])
  })
})
