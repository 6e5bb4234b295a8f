import { createEventLog, type EventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { factsOf, readContact } from '@tidings/directory'
import {
  asContactId,
  asListId,
  asWorkspaceId,
  bucketOf,
  compileRule,
  contactStream,
  eventDeclarations,
  type MembershipReason,
  membersStream,
  parseRule,
} from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'
import type { RecentActivity } from '@tidings/read-models'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { reasonOf } from '../../src/dynamic-lists/reason-of.ts'
import type { ListRule } from '../../src/dynamic-lists/rule-table.ts'

const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const listId = asListId('0192b1f0-0000-7000-8000-000000000002')
const contactId = asContactId('0192b1f0-0000-7000-8000-00000000000a')
const START = Date.parse('2026-11-28T10:00:00.000Z')
const SECOND = 1_000
const DAY = 86_400_000
const compiledOf = (field: string, op: string, value: unknown) => compileRule(parseRule({ all: [{ field, op, value }] }))

/** `reason`: of the review; `shown`: how many activities the read models show at most, of all that they count. */
type Reviewed = Readonly<{ reason?: MembershipReason; shown?: number }>

/** A world of one contact and one list: what two processes do to it, with clocks that differ. */
const openWorld = () => {
  const log: EventLog = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  let now = START
  let recent: readonly RecentActivity[] = []
  let isMember = false
  const joins: string[] = []
  let cameBy: string | null = null
  let events = 0
  const append = async (stream: string, type: string, data: object, ahead = 0): Promise<Position> => {
    const commandId = `c${++events}`
    const context = { commandId, workspaceId, actor: 'test', requestId: 'r', at: new Date(now + ahead).toISOString() }
    await log.append(stream, 'any', [{ type, data }], context)
    return await log.head()
  }
  const stream = contactStream(workspaceId, contactId)
  const details = { lastName: null, timezone: null, locale: null, notes: null, tags: [], customProperties: {} }
  const name = async (firstName: string, ahead = 0, source = 'test') => {
    const known = await readContact(log, { workspaceId, contactId })
    if (known === null)
      await append(stream, 'ContactCreated', { contactId, email: null, phone: null, ...details, firstName, consents: [], source }, ahead)
    else await append(stream, 'ContactDetailsChanged', { contactId, firstName }, ahead)
  }
  const order = async (ahead = 0, late = 0) => {
    const position = await append(`list-${workspaceId}-order`, 'ListCreated', { listId, name: 'order', listType: 'static' }, ahead)
    recent = [...recent, { position, at: now + ahead, occurredAt: now + ahead - late }]
  }
  const setMember = async (isOn: boolean, reason: string, ahead = 0) => {
    if (isOn === isMember) return
    isMember = isOn
    if (isOn && reason !== 'rule') joins.push(reason)
    cameBy = isOn ? reason : null
    const type = isOn ? 'ContactAddedToList' : 'ContactRemovedFromList'
    await append(membersStream(workspaceId, listId, bucketOf(contactId)), type, { listId, contactId, reason }, ahead)
  }
  const facts = async () => {
    const known = await readContact(log, { workspaceId, contactId })
    if (known === null) return null
    const counted =
      recent.length === 0 ? [] : [['placed', { count: recent.length, lastAt: Math.max(...recent.map((one) => one.occurredAt)) }] as const]
    return factsOf(known, new Map(counted))
  }
  return {
    name,
    order,
    joins,
    stale: async (isOn: boolean) => {
      if ((await facts()) !== null) await setMember(isOn, 'rule')
    },
    pass: (ms: number) => {
      now += ms
    },
    isMember: () => isMember,
    /** The reason of its membership now, null for none. */
    cameBy: () => cameBy,
    /** `before`: the rule that it replaces. */
    makes: async (compiled: ListRule['compiled'], version = 1, before?: ListRule): Promise<ListRule> => {
      const position = await append(`list-${workspaceId}-${listId}`, 'ListCreated', { listId, name: 'list', listType: 'dynamic' })
      const replaced = before === undefined || before.since === null ? [] : [{ compiled: before.compiled, since: before.since }]
      return { listId, version, compiled, since: { position, at: now }, earlier: [...replaced, ...(before?.earlier ?? [])] }
    },
    matches: async ({ compiled }: ListRule) => {
      const known = await facts()
      return known !== null && compiled.matches(known, now)
    },
    /** The reason that a process computes whose clock is so much ahead. */
    review: async (rule: ListRule, ahead = 0, { reason = 'contact', shown = 8 }: Reviewed = {}) => {
      const judged = await facts()
      if (judged === null) return
      const isWanted = rule.compiled.matches(judged, now + ahead)
      if (isWanted === isMember) return
      const changing = { workspaceId, contactId, rule, facts: judged, isMember: isWanted, now: now + ahead } as const
      const known = new Map([['placed', shown === 0 ? [] : recent.slice(-shown)]])
      await setMember(isWanted, await reasonOf({ log }, { ...changing, reason, recent: known }), ahead)
    },
    close: () => log.close(),
  }
}

const inA = compiledOf('firstName', 'eq', 'Ada')
const inB = compiledOf('firstName', 'eq', 'Zoe')

describe('a membership by rule', () => {
  it('of a contact that matches since before the rule was made comes of the rule', async () => {
    const world = openWorld()
    await world.name('Ada')
    const rule = await world.makes(inA)
    await world.name('Ada')
    await world.review(rule)
    expect([world.isMember(), world.joins]).toEqual([true, []])
    await world.close()
  })

  it('of a contact that was made after the rule comes of the contact, though the run of the rule sees it first', async () => {
    const world = openWorld()
    const rule = await world.makes(inA)
    await world.name('Ada')
    await world.review(rule)
    await world.review(rule)
    expect([world.isMember(), world.joins]).toEqual([true, ['contact']])
    await world.close()
  })

  it('that a rule of a few seconds took away comes back with the rule, and the one that came meanwhile by itself', async () => {
    const world = openWorld()
    const a = await world.makes(inA)
    await world.name('Ada')
    await world.review(a)
    const b = await world.makes(inB, 2)
    await world.review(b)
    expect(world.isMember()).toBe(false)
    await world.review({ ...a, version: 3 })
    expect([world.isMember(), world.joins]).toEqual([true, ['contact']])
    await world.close()
  })

  const inAorB = compiledOf('firstName', 'in', ['Ada', 'Zoe'])
  const inAny = compiledOf('firstName', 'exists', true)

  it('that a fact brought by a rule which was replaced before it was computed comes of the fact, however late', async () => {
    const world = openWorld()
    await world.name('Bo')
    const a = await world.makes(inA)
    await world.name('Ada')
    world.pass(SECOND)
    const wider = await world.makes(inAorB, 2, a)
    const widest = await world.makes(inAny, 3, wider)
    world.pass(60 * SECOND)
    await world.review(widest)
    expect([world.isMember(), world.joins]).toEqual([true, ['contact']])
    // The rule between had none, and takes the member away; who comes back with the next comes by the rule.
    const none = await world.makes(inB, 4, widest)
    await world.review(none)
    await world.review(await world.makes(inA, 5, none))
    expect([world.isMember(), world.joins]).toEqual([true, ['contact']])
    await world.close()
  })

  it('that a rule brings is no join where the rule before did not have it, or had it from its beginning', async () => {
    const world = openWorld()
    const b = await world.makes(inB)
    await world.name('Ada')
    const a = await world.makes(inA, 2, b)
    const wider = await world.makes(inAorB, 3, a)
    await world.review(wider)
    expect([world.isMember(), world.joins]).toEqual([true, []])
    await world.close()
  })

  it('that was computed before its rule was replaced is joined once', async () => {
    const world = openWorld()
    const a = await world.makes(inA)
    await world.name('Ada')
    await world.review(a)
    const b = await world.makes(inB, 2, a)
    await world.review(b)
    await world.review(await world.makes(inAorB, 3, b))
    const back = { ...a, version: 4, earlier: [{ compiled: b.compiled, since: b.since! }, ...a.earlier] }
    await world.stale(false)
    await world.review(back)
    expect([world.isMember(), world.joins]).toEqual([true, ['contact']])
    await world.close()
  })

  it('whose time a clock ahead took early is back without a join, and ends once', async () => {
    const world = openWorld()
    const rule = await world.makes(compiledOf('event.placed.last', 'within_days', 1 / 86_400))
    await world.name('Ada')
    await world.order()
    await world.review(rule)
    expect(world.joins).toEqual(['event'])
    await world.review(rule, 5 * SECOND)
    await world.review(rule)
    expect([world.isMember(), world.joins]).toEqual([true, ['event']])
    world.pass(5 * SECOND)
    await world.review(rule)
    await world.order()
    await world.review(rule)
    expect([world.isMember(), world.joins]).toEqual([true, ['event', 'event']])
    await world.close()
  })

  it.each([
    ['a day', DAY, ['event']],
    ['more than a day', DAY + 1, []],
    ['years', 1_000 * DAY, []],
  ])('by what a store reports %s late is a join only where that is news', async (_, late, joins) => {
    const world = openWorld()
    const rule = await world.makes(compiledOf('event.placed.count', 'gte', 2))
    await world.name('Ada')
    await world.order()
    await world.review(rule, 0, { reason: 'event' })
    await world.order(0, late)
    await world.review(rule, 0, { reason: 'event' })
    expect([world.isMember(), world.joins]).toEqual([true, joins])
    await world.close()
  })

  it.each([
    ['eight', 8, 0, 8, ['event']],
    ['nine', 9, 0, 8, ['event']],
    ['twenty', 20, 0, 8, ['event']],
    ['nine, of which the read models show none,', 9, 0, 0, ['event']],
    ['nine old', 9, 2 * DAY, 8, []],
  ])('that %s events of a moment bring is seen to come of them', async (_, orders, late, shown, joins) => {
    const world = openWorld()
    const rule = await world.makes(compiledOf('event.placed.count', 'gte', 1))
    await world.name('Ada')
    for (let n = 0; n < orders; n++) await world.order(0, late)
    await world.review(rule, 0, { reason: 'event', shown })
    expect([world.isMember(), world.joins]).toEqual([true, joins])
    await world.close()
  })

  it('of many events from before the rule was made comes of the rule, whatever reviews it', async () => {
    const world = openWorld()
    await world.name('Ada')
    for (let n = 0; n < 20; n++) await world.order()
    const rule = await world.makes(compiledOf('event.placed.count', 'gte', 1))
    await world.order()
    await world.review(rule, 0, { reason: 'event' })
    expect([world.isMember(), world.joins]).toEqual([true, []])
    await world.close()
  })

  it('by the contact that such a report creates is no join', async () => {
    const world = openWorld()
    const rule = await world.makes(inA)
    await world.name('Ada', 0, 'store_history')
    await world.review(rule)
    expect([world.isMember(), world.joins]).toEqual([true, []])
    await world.close()
  })
})

describe('a membership by a version of a rule that an older build wrote, without since when it holds', () => {
  it.each([
    ['today', 0, ['event']],
    ['more than a day', DAY + 1, []],
  ])('by what a store reports %s late is a join only where that is news', async (_, late, joins) => {
    const world = openWorld()
    const rule = { ...(await world.makes(compiledOf('event.placed.count', 'gte', 1))), since: null }
    await world.name('Ada')
    await world.order(0, late)
    await world.review(rule, 0, { reason: 'event' })
    expect([world.isMember(), world.joins]).toEqual([true, joins])
    await world.close()
  })

  it.each([
    ['api', ['contact']],
    ['store_history', []],
  ])('by a contact that comes from %s is a join only where that is news', async (source, joins) => {
    const world = openWorld()
    const rule = { ...(await world.makes(inA)), since: null }
    await world.name('Ada', 0, source)
    await world.review(rule)
    expect([world.isMember(), world.joins]).toEqual([true, joins])
    await world.close()
  })
})

type Step =
  | Readonly<{ type: 'name'; value: string; ahead: number }>
  | Readonly<{ type: 'rule'; is: 'a' | 'b' }>
  | Readonly<{ type: 'review'; ahead: number }>
  | Readonly<{ type: 'stale'; isOn: boolean }>

const ahead = fc.constantFrom(0, 5 * SECOND, -5 * SECOND)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('name' as const), value: fc.constantFrom('Ada', 'Bo', 'Cy'), ahead }),
  fc.record({ type: fc.constant('rule' as const), is: fc.constantFrom('a' as const, 'b' as const) }),
  fc.record({ type: fc.constant('review' as const), ahead }),
  // What a worker that had lost its job, or an older build, writes: the review of it puts it right.
  fc.record({ type: fc.constant('stale' as const), isOn: fc.boolean() }),
)

it('however changes, rules, reviews and two processes come, a join is an entry by the facts, and the last entry is joined once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 14 }), async (isThereBefore, steps) => {
      const world = openWorld()
      if (isThereBefore) await world.name('Ada')
      const a = await world.makes(inA)
      const b = await world.makes(inB)
      let inForce = a
      let entries = 0
      // One whom no review took off in between does not come again.
      let isOnAlready = false
      let was = isThereBefore
      for (const one of steps) {
        world.pass(200)
        if (one.type === 'name') {
          await world.name(one.value, one.ahead)
          const is = await world.matches(a)
          if (is && !was) {
            entries++
            isOnAlready ||= world.isMember()
          }
          was = is
        } else if (one.type === 'rule') inForce = one.is === 'a' ? a : b
        else if (one.type === 'review') await world.review(inForce, one.ahead)
        else await world.stale(one.isOn)
      }
      await world.review(a)
      expect(world.isMember()).toBe(was)
      expect(world.joins.length).toBeLessThanOrEqual(entries)
      const isOneEntry = entries === 1 && was && !isOnAlready && !steps.some(({ type }) => type === 'stale')
      if (isOneEntry) expect(world.joins).toHaveLength(1)
      await world.close()
    }),
    { numRuns: 300 },
  )
})

const life = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('name' as const), value: fc.constantFrom('Ada', 'Zoe', 'Bo') }),
    fc.record({ type: fc.constant('rule' as const), of: fc.constantFrom(['Ada'], ['Zoe'], ['Ada', 'Zoe'], ['Bo', 'Ada'], ['Bo']) }),
  ),
  { maxLength: 8 },
)

type LifeOf<A> = A extends fc.Arbitrary<infer T> ? T : never

/** Reviews the contact after each step, or only in the end. */
const livedThrough = async (steps: LifeOf<typeof life>, isLate: boolean): Promise<string | null> => {
  const world = openWorld()
  let rule = await world.makes(inA)
  for (const step of steps) {
    world.pass(SECOND)
    if (step.type === 'name') await world.name(step.value)
    else rule = await world.makes(compiledOf('firstName', 'in', step.of), rule.version + 1, rule)
    if (!isLate) await world.review(rule)
  }
  await world.review(rule)
  await world.close()
  return world.cameBy()
}

it('a contact that is reviewed late came for the same reason as one that is reviewed at once', async () => {
  await fc.assert(
    fc.asyncProperty(life, async (steps) => {
      expect(await livedThrough(steps, true)).toBe(await livedThrough(steps, false))
    }),
    { numRuns: 300 },
  )
})
