import { type EventLog, SubjectErased, uuidv7 } from '@tidings/codec'
import { type CommandRunner, createCommandRunner } from '@tidings/commands'
import { loadConfig } from '@tidings/config'
import { eraseContact, startErasures } from '@tidings/consumers'
import { erasureView } from '@tidings/directory'
import {
  activity,
  activityStream,
  asFlowId,
  asListId,
  asWorkspaceId,
  bucketOf,
  type ContactEvent,
  type ContactId,
  contact,
  contactStream,
  contactSubject,
  enrolment,
  enrolmentStream,
  flowsStream,
  listStream,
  members,
  membersStream,
} from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'
import { createLog } from '@tidings/observability/log'
import { createProgress } from '@tidings/projections'
import { projections, startProjectors } from '@tidings/projectors'
import { keptTexts } from '@tidings/receipts'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { createUniqueContacts } from '@tidings/unique-contacts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { erasingIn } from '../../src/erasures/erasing-in.ts'
import { openStores, type Stores } from '../../src/stores/open-stores.ts'

type Erasing = Parameters<typeof eraseContact>[0]

const workspaceId = asWorkspaceId(uuidv7())
const listId = asListId(uuidv7())
const flowId = asFlowId(uuidv7())
const never = new AbortController().signal

let db: TestDatabase
let stores: Stores
/** Another process: caches of its own, which follow the log through its view. */
let other: Stores
let projectors: ReturnType<typeof startProjectors>
const progress = createProgress()

const opened = async (): Promise<Stores> => {
  const env = { TIDINGS_DATABASE_URL: db.url, TIDINGS_MASTER_KEY: '11'.repeat(32), TIDINGS_LOG_LEVEL: 'error' }
  return await openStores({ config: loadConfig(env, null), log: await createLog({ level: 'error' }), mode: 'command' })
}

beforeAll(async () => {
  db = await testDatabase()
  stores = await opened()
  other = await opened()
  projectors = startProjectors({ log: stores.log, pool: stores.workPool, progress })
  const list = { type: 'ListCreated', data: { listId, name: 'VIP', listType: 'static' } } as const
  await stores.log.append(listStream(workspaceId, listId), 'no_stream', [list], context())
  const flow = {
    flowId,
    name: 'Welcome',
    version: 1,
    trigger: { type: 'contact_created' },
    steps: [{ type: 'wait', minutes: 60 }],
  } as const
  await stores.log.append(flowsStream(workspaceId), 'no_stream', [{ type: 'FlowDefined', data: flow }], context())
})
afterAll(async () => {
  await projectors?.stop()
  await other?.close()
  await stores?.close()
  await db?.drop()
})

const context = () => {
  const commandId = uuidv7()
  return { commandId, workspaceId, actor: 'test', requestId: commandId, at: new Date().toISOString() }
}

const shown = async (position: Position): Promise<void> => {
  const isShown = ({ name }: { name: string }) => {
    const reached = progress.of(name)?.position
    return reached !== undefined && comparePositions(reached, position) >= 0
  }
  await expect.poll(() => projections.every(isShown), { interval: 5 }).toBe(true)
}

const contactsOf = (commands: CommandRunner, { keyRing }: Stores) =>
  createUniqueContacts({
    runner: commands,
    claimDigest: keyRing.claimDigest,
    createKey: (workspace, contactId) => keyRing.newKeyFor(workspace, contactSubject({ contactId })),
  })

/** A contact with an address, on a list and in a flow; and the request to forget it. */
const requested = async () => {
  const commands = createCommandRunner({ log: stores.log, deadlineMs: PATIENT_MS })
  const email = `${uuidv7()}@example.com`
  const contacts = contactsOf(commands, stores)
  const { contactId } = await contacts.create({ context: context(), email, details: { firstName: 'Ada' }, source: 'test' })
  const add = { type: 'AddMembers', data: { listId, contactIds: [contactId] } } as const
  await commands.execute({
    decider: members,
    stream: membersStream(workspaceId, listId, bucketOf(contactId)),
    command: add,
    context: context(),
  })
  const cause = { eventId: uuidv7(), type: 'ContactCreated', stream: 'test', at: new Date().toISOString() }
  const enter = { type: 'EnterFlow', data: { flowId, contactId, runId: uuidv7(), version: 1, cause } } as const
  await commands.execute({
    decider: enrolment,
    stream: enrolmentStream(workspaceId, flowId, contactId),
    command: enter,
    context: context(),
  })
  const ask = { type: 'RequestErasure', data: { contactId } } as const
  const stream = contactStream(workspaceId, contactId)
  const request = () => commands.execute({ decider: contact, stream, command: ask, context: context() })
  return { contactId, email, request }
}

const erasing = (from: Stores): Erasing => ({
  log: from.log,
  pool: from.workPool,
  commands: createCommandRunner({ log: from.log, deadlineMs: PATIENT_MS }),
  keyRing: from.keyRing,
  locations: erasingIn(from).locations,
  settle: shown,
  inFlightMs: 0,
})

const ownEvents = (log: EventLog, contactId: ContactId) => log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, contactId))

const isWhole = async ({ contactId, email }: Readonly<{ contactId: ContactId; email: string }>): Promise<void> => {
  const events = await ownEvents(other.log, contactId)
  expect(events.filter(({ type }) => type === 'ContactErased')).toHaveLength(1)
  expect(events.find(({ type }) => type === 'ContactCreated')?.erased).toBe(true)
  await expect(other.keyRing.keyFor(workspaceId, contactSubject({ contactId }))).rejects.toThrow(SubjectErased)
  const contacts = contactsOf(createCommandRunner({ log: other.log, deadlineMs: PATIENT_MS }), other)
  expect(await contacts.ownerOf(workspaceId, 'email', email)).toBeNull()
  await shown(await stores.log.head())
  const count = async (table: string, column = 'contact_id') =>
    (await db.pool.query(`select 1 from read.${table} where ${column} = $1`, [contactId])).rowCount
  expect([await count('profiles', 'id'), await count('list_members')]).toEqual([0, 0])
  const { rows } = await db.pool.query('select state, reason from read.flow_runs where contact_id = $1', [contactId])
  expect(rows).toEqual([{ state: 'over', reason: 'contact_gone' }])
  const { rowCount } = await db.pool.query('select 1 from ops.erasure where contact_id = $1 and finished_at is not null', [contactId])
  expect(rowCount).toBe(1)
  // There was one of each, however often it was tried.
  for (const cleared of Object.values(await receiptOf(contactId))) expect(cleared).toBeLessThanOrEqual(1)
}

/** What the receipt says of the address, the list and the flow of a person. */
const receiptOf = async (contactId: ContactId): Promise<Readonly<Record<string, number>>> => {
  const { rows } = await db.pool.query<Readonly<{ cleared: Readonly<Record<string, number>> }>>(
    'select cleared from ops.erasure where contact_id = $1',
    [contactId],
  )
  const { 'claims of addresses': claims = 0, lists = 0, flows = 0 } = rows[0]?.cleared ?? {}
  return { claims, lists, flows }
}

class Killed extends Error {}

/** The same work, by a process that dies before or after its n-th call of anything outside of itself. */
const dying = (of: Erasing, at: number, when: 'before' | 'after'): Erasing => {
  let calls = 0
  const counted =
    <Args extends readonly unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const call = ++calls
      if (call === at && when === 'before') throw new Killed()
      const result = await work(...args)
      if (call === at) throw new Killed()
      return result
    }
  const { log, commands, keyRing } = of
  return {
    ...of,
    log: { ...log, readStream: counted(log.readStream) as EventLog['readStream'], head: counted(log.head) },
    commands: { ...commands, execute: counted(commands.execute) as CommandRunner['execute'] },
    keyRing: {
      ...keyRing,
      claimDigest: counted(async (...args: Parameters<typeof keyRing.claimDigest>) => keyRing.claimDigest(...args)),
      shred: counted(keyRing.shred),
    },
    locations: of.locations.map(({ name, clear }) => ({ name, clear: counted(clear) })),
    settle: counted(of.settle),
  }
}

describe.each(['before', 'after'] as const)('an erasure whose process dies %s any of its calls', (when) => {
  test('is finished by the next one', { timeout: 600_000 }, async () => {
    let deaths = 0
    for (let at = 1; ; at++) {
      const person = await requested()
      await person.request()
      const of = { workspaceId, contactId: person.contactId }
      const died = await eraseContact(dying(erasing(stores), at, when), of, never).then(
        () => false,
        (error: unknown) => {
          if (!(error instanceof Killed)) throw error
          return true
        },
      )
      if (died) await eraseContact(erasing(other), of, never)
      await isWhole(person)
      if (!died) break
      deaths++
    }
    expect(deaths).toBeGreaterThan(10)
  })
})

describe('an erasure that was asked for and left', () => {
  const finished = async (contactId: ContactId): Promise<boolean> =>
    (await db.pool.query('select 1 from ops.erasure where contact_id = $1 and finished_at is not null', [contactId])).rowCount === 1
  const running = (more: Partial<Parameters<typeof startErasures>[0]> = {}) => {
    const faults: unknown[] = []
    const warn = ({ err }: Readonly<{ err: unknown }>) => void faults.push(err)
    const logger = { info: () => undefined, warn, error: warn }
    const fast = { afterSeconds: 0, everyMs: 20 }
    const all = { ...erasing(other), requestPool: other.pool, canWork: () => true, logger, ...fast, ...more }
    return { faults, erasures: startErasures(all) }
  }

  test('does not wait for one that fails again and again', async () => {
    const [broken, person] = [await requested(), await requested()]
    for (const one of [broken, person]) await one.request()
    const failing = {
      name: 'failing',
      clear: async ({ contactId }: Readonly<{ contactId: ContactId }>) => {
        if (contactId === broken.contactId) throw new Error('it cannot be cleared')
        return 0
      },
    }
    const { erasures, faults } = running({ locations: [failing], limit: 1 })
    await expect.poll(() => finished(person.contactId)).toBe(true)
    await erasures.stop()
    await isWhole(person)
    expect(faults).not.toEqual([])
    expect(await finished(broken.contactId)).toBe(false)
    await eraseContact(erasing(stores), { workspaceId, contactId: broken.contactId }, never)
  })

  test('is finished beside a read side that shows, at every look, less than the log has by then', async () => {
    const person = await requested()
    await person.request()
    let shownTo = await stores.log.head()
    const settle = async (position: Position): Promise<void> => {
      const isShown = comparePositions(position, shownTo) <= 0
      shownTo = await stores.log.head()
      // What comes now is shown at the next look, when there is more again.
      await (await requested()).request()
      if (!isShown) throw new Error('it is not shown yet')
      await shown(position)
    }
    const { erasures } = running({ settle })
    await expect.poll(() => finished(person.contactId)).toBe(true)
    await erasures.stop()
    await isWhole(person)
    expect(await receiptOf(person.contactId)).toEqual({ claims: 1, lists: 1, flows: 1 })
  })

  test('says in its receipt also what went before a try failed', async () => {
    const person = await requested()
    await person.request()
    // The run is ended, and its job cannot be reached.
    const pool = new Proxy(stores.workPool, {
      get: (target, name) => {
        if (name === 'connect') return () => Promise.reject(new Error('the jobs are away'))
        const own: unknown = Reflect.get(target, name)
        return typeof own === 'function' ? own.bind(target) : own
      },
    })
    const of = { workspaceId, contactId: person.contactId }
    await expect(eraseContact({ ...erasing(stores), pool }, of, never)).rejects.toThrow('the jobs are away')
    await eraseContact(erasing(stores), of, never)
    await isWhole(person)
    expect(await receiptOf(person.contactId)).toEqual({ claims: 1, lists: 1, flows: 1 })
  })

  test('is left by a process that lacks the master key in force to one that has it', async () => {
    const person = await requested()
    await person.request()
    const lacking = running({ canWork: () => false })
    const having = running()
    await expect.poll(() => finished(person.contactId)).toBe(true)
    await Promise.all([lacking.erasures.stop(), having.erasures.stop()])
    await isWhole(person)
    expect(lacking.faults).toEqual([])
  })

  test('clears nothing again where a restore has brought no key back', async () => {
    const person = await requested()
    await person.request()
    await eraseContact(erasing(stores), { workspaceId, contactId: person.contactId }, never)
    await db.pool.query('update ops.erasure set finished_at = null')
    const cleared: string[] = []
    const noting = { name: 'noting', clear: async ({ contactId }: Readonly<{ contactId: ContactId }>) => cleared.push(contactId) }
    const { erasures, faults } = running({ locations: [noting] })
    await expect.poll(() => finished(person.contactId)).toBe(true)
    await erasures.stop()
    await isWhole(person)
    // Those whom the tests before have left are cleared now.
    expect(cleared).not.toContain(person.contactId)
    expect(faults).toEqual([])
  })

  test('is delayed by a table beside the live ones that a rebuild holds, and finished when it is free', async () => {
    const person = await requested()
    await person.request()
    const of = { workspaceId, contactId: person.contactId }
    // A swap leaves this: the person is in it, and a rebuild of the projection has begun.
    await db.pool.query('create table read.profiles__old (contact_id uuid)')
    const rebuilding = await db.pool.connect()
    await rebuilding.query(`begin; select pg_advisory_xact_lock(hashtextextended('rebuild profiles', 0))`)
    await expect(eraseContact(erasing(stores), of, never)).rejects.toThrow(
      /^The key of contact \S+ is destroyed, and read\.profiles__old may still show the person, because a rebuild or a reader uses it/,
    )
    expect(await finished(person.contactId)).toBe(false)
    const { erasures } = running()
    await rebuilding.query('rollback')
    rebuilding.release()
    await expect.poll(() => finished(person.contactId)).toBe(true)
    await erasures.stop()
    expect((await db.pool.query(`select to_regclass('read.profiles__old') is null as gone`)).rows).toEqual([{ gone: true }])
    await isWhole(person)
  })

  test('is finished by a process that consumes', async () => {
    const person = await requested()
    await person.request()
    const { erasures, faults } = running()
    await expect.poll(() => finished(person.contactId)).toBe(true)
    await erasures.stop()
    await isWhole(person)
    expect(faults).toEqual([])
  })

  test('is gone through again where a restore has brought its key back', async () => {
    const person = await requested()
    const subject = contactSubject(person)
    const kept = await db.pool.query('select * from keys.subject_key where workspace_id = $1 and subject = $2', [workspaceId, subject])
    await person.request()
    await eraseContact(erasing(stores), { workspaceId, contactId: person.contactId }, never)
    await db.pool.query('update keys.subject_key set wrapped = $3, shredded_at = null where workspace_id = $1 and subject = $2', [
      workspaceId,
      subject,
      kept.rows[0]?.wrapped,
    ])
    await db.pool.query('update ops.erasure set finished_at = null')
    const { erasures } = running()
    await expect.poll(() => finished(person.contactId)).toBe(true)
    await erasures.stop()
    const { rows } = await db.pool.query('select wrapped from keys.subject_key where workspace_id = $1 and subject = $2', [
      workspaceId,
      subject,
    ])
    expect(rows).toEqual([{ wrapped: null }])
    await isWhole(person)
  })
})

describe('a text that waits to be taken', () => {
  const phone = '+972501112233'
  /** It stays as long as the test: nothing takes texts here. */
  const waits = async (to: string, id: string, from = phone) =>
    await keptTexts({ pool: db.pool, keyRing: stores.keyRing }).keep({
      sms: { id, providerMessageId: id, requestId: 'r', from, to, body: 'STOP', at: new Date().toISOString() },
      ...{ number: from, isStop: true, head: null },
    })
  const waiting = async () => (await db.pool.query('select seq from ops.inbound_text order by seq')).rows.map(({ seq }) => seq)
  const withPhone = async () => {
    const commands = createCommandRunner({ log: stores.log, deadlineMs: PATIENT_MS })
    const { contactId } = await contactsOf(commands, stores).create({ context: context(), phone, details: {}, source: 'test' })
    const ask = { type: 'RequestErasure', data: { contactId } } as const
    await commands.execute({ decider: contact, stream: contactStream(workspaceId, contactId), command: ask, context: context() })
    return contactId
  }
  /** Another workspace wrote to the number as this sender. */
  const wroteElsewhere = (sender: string) =>
    db.pool.query(
      `insert into read.sms_recipients (workspace_id, contact_id, phone, sender_key, sender, message_id, last_at, last_commit, last_prepare)
       values ($1, $2, $3, $4, $4, $5, now(), 1, 1)`,
      [uuidv7(), uuidv7(), phone, sender, uuidv7()],
    )

  test('goes with the person, and not where it says STOP to another workspace', async () => {
    const contactId = await withPhone()
    await wroteElsewhere('NEIGHBOUR')
    await waits('OURS', 'to-us')
    await waits('OURS', 'by-a-gateway-of-the-country', '0501112233')
    const { seq } = await waits('NEIGHBOUR', 'to-the-neighbour')
    const cleared = await eraseContact(erasing(stores), { workspaceId, contactId }, never)
    expect(cleared).toContainEqual({ place: 'texts that wait to be taken', cleared: 2 })
    expect(await waiting()).toEqual([seq])
    await db.pool.query('delete from ops.inbound_text')
  })

  test('that comes after its place was cleared goes before the erasure is whole', async () => {
    const contactId = await withPhone()
    const of = erasing(stores)
    const shred = async (...args: Parameters<typeof of.keyRing.shred>) => {
      await waits('OURS', 'late')
      await of.keyRing.shred(...args)
    }
    await eraseContact({ ...of, keyRing: { ...of.keyRing, shred } }, { workspaceId, contactId }, never)
    expect(await waiting()).toEqual([])
  })
})

test('what only the person’s stream says of the address stays with the address', async () => {
  const person = await requested()
  const { contactId, email } = person
  const commands = createCommandRunner({ log: stores.log, deadlineMs: PATIENT_MS })
  // A log from before M45 has this: nothing is noted with the address.
  const bounced = { type: 'NoteEmailOutcome', data: { contactId, email, outcome: 'hard_bounce' } } as const
  await commands.execute({ decider: contact, stream: contactStream(workspaceId, contactId), command: bounced, context: context() })
  await person.request()
  await eraseContact(erasing(stores), { workspaceId, contactId }, never)
  const next = await contactsOf(commands, stores).create({ context: context(), email, details: {}, source: 'test' })
  expect([next.contactId === contactId, next.state.suppressions.email]).toEqual([false, ['hard_bounce']])
})

test('two processes at once, and a third time, do it once', async () => {
  const person = await requested()
  await person.request()
  const of = { workspaceId, contactId: person.contactId }
  await Promise.all([eraseContact(erasing(stores), of, never), eraseContact(erasing(other), of, never)])
  await eraseContact(erasing(stores), of, never)
  await isWhole(person)
})

test('no other process writes anything that can be read about a person, whatever it had cached when the erasure began', async () => {
  const person = await requested()
  const { contactId, email } = person
  const commands = createCommandRunner({ log: other.log, deadlineMs: PATIENT_MS })
  const contacts = contactsOf(commands, other)
  await other.keyRing.keyFor(workspaceId, contactSubject({ contactId }))
  const view = erasureView({ keyRing: other.keyRing, commands })
  const seen = async (type: string): Promise<void> => {
    for (const event of await ownEvents(other.log, contactId)) if (event.type === type) view.apply(event)
  }
  const stopping = new AbortController()
  const written: string[] = []
  const seeing = async (n: number): Promise<void> => {
    const activityId = uuidv7()
    const data = {
      activityId,
      contactId,
      event: 'seen',
      source: 'api',
      occurredAt: new Date().toISOString(),
      properties: { what: `secret ${n}` },
    } as const
    const stream = activityStream(workspaceId, activityId)
    await commands.execute({ decider: activity, stream, command: { type: 'RecordActivity', data }, context: context(), isNew: true })
    written.push(stream)
  }
  const changing = (n: number) => contacts.update({ context: context(), contactId, details: { notes: `note ${n}` } })
  const writer = (async () => {
    for (let n = 0; !stopping.signal.aborted; n++) for (const write of [seeing, changing]) await write(n).catch(() => undefined)
  })()
  await expect.poll(() => written.length).toBeGreaterThan(2)
  await person.request()
  await seen('ContactErasureRequested')
  await eraseContact(erasing(stores), { workspaceId, contactId }, never)
  await seen('ContactErased')
  const before = written.length
  stopping.abort()
  await writer
  await isWhole(person)
  const events = await ownEvents(other.log, contactId)
  expect(events.slice(-2).map(({ type }) => type)).toEqual(['ContactErasureRequested', 'ContactErased'])
  for (const stream of written)
    for (const event of await other.log.readStream(workspaceId, stream))
      expect([event.type, event.erased]).toEqual(['ActivityRecorded', true])
  expect(before).toBeGreaterThan(2)
  await expect(seeing(0)).rejects.toThrow(SubjectErased)
  await expect(changing(0)).rejects.toThrow('contact_not_found')
  const again = await contacts.upsert({ context: context(), email, details: { firstName: 'New' }, source: 'test' })
  expect(again.contactId).not.toBe(contactId)
})

describe('a projection that has parked the stream of the contact', () => {
  const park = ({ contactId }: Readonly<{ contactId: ContactId }>) =>
    db.pool.query(
      `insert into ops.parked_stream (projection, stream, revision, position_commit, position_prepare, event_id, event_type, workspace_id, error)
       values ('profiles', $1, 0, 0, 0, $2, 'ContactCreated', $3, 'no such column')`,
      [contactStream(workspaceId, contactId), uuidv7(), workspaceId],
    )
  const redrive = () => db.pool.query('delete from ops.parked_stream')
  const isOpen = async ({ contactId }: Readonly<{ contactId: ContactId }>) =>
    (await db.pool.query('select 1 from ops.erasure where contact_id = $1 and finished_at is not null', [contactId])).rowCount === 0
  const says = /^contact-\S+ is parked in projection profiles, .+: run `tidings projection rebuild` for it, then erase the contact again\.$/

  test('holds the erasure up before the key goes', async () => {
    const person = await requested()
    await person.request()
    const of = { workspaceId, contactId: person.contactId }
    await park(person)
    await expect(eraseContact(erasing(stores), of, never)).rejects.toThrow(says)
    await expect(stores.keyRing.keyFor(workspaceId, contactSubject(person))).resolves.toBeDefined()
    expect(await isOpen(person)).toBe(true)
    await redrive()
    await eraseContact(erasing(stores), of, never)
    await isWhole(person)
  })

  test('keeps it open where that happens while the person is cleared', async () => {
    const person = await requested()
    await person.request()
    const of = { workspaceId, contactId: person.contactId }
    const parking = { name: 'parking', clear: async () => (await park(person)).rowCount ?? 0 }
    await expect(eraseContact({ ...erasing(stores), locations: [parking] }, of, never)).rejects.toThrow(says)
    expect(await isOpen(person)).toBe(true)
    await redrive()
    await eraseContact(erasing(stores), of, never)
    await isWhole(person)
  })
})

test('a host whose clock is behind that of the request waits no longer than a request may take', async () => {
  const person = await requested()
  await person.request()
  const behind = () => Date.now() - 3_600_000
  await eraseContact({ ...erasing(stores), now: behind, inFlightMs: 10 }, { workspaceId, contactId: person.contactId }, never)
  await isWhole(person)
})
