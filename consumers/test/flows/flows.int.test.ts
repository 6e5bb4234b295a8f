import {
  asContactId,
  asFlowId,
  asListId,
  asTemplateId,
  bucketOf,
  type ContactId,
  contact,
  contactStream,
  enrolment,
  enrolmentStream,
  type FlowId,
  type ListId,
  type MembershipReason,
  members,
  membersStream,
  signUpStream,
  UNCONFIRMED_SIGN_UP,
} from '@tidings/domain'
import { suspendedWorkspaces } from '@tidings/jobs'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { causeOf } from '../../src/flows/cause.ts'
import { EVERY_JOB } from '../testing/every-job.ts'
import { flowRig, sends, type TestClock, testClock, walk } from '../testing/flow-rig.ts'
import { openRig, type Rig, WORKSPACE } from '../testing/rig.ts'
import { withoutLateAnswers } from '../testing/without-late-answers.ts'

let db: TestDatabase
let rig: Rig
let clock: TestClock
let given: ReturnType<typeof flowRig>
let running: Awaited<ReturnType<typeof walk>> | null = null

beforeEach(async () => {
  db = await testDatabase()
  rig = await openRig(db.pool)
  await rig.configureSender(true)
  clock = testClock(db.pool)
  given = flowRig(rig)
})
afterEach(async () => {
  await running?.stop()
  expect(withoutLateAnswers(running?.faults ?? [])).toEqual([])
  running = null
  await rig.close()
  await db.drop()
})

const start = async (options: Omit<Parameters<typeof walk>[2], 'clock'> = {}) => {
  running = await walk(rig, db.pool, { clock, ...options })
  return running
}
const HOUR = 3_600_000
const wait = (minutes: number) => ({ type: 'wait', minutes }) as const
const ordered = { type: 'custom_event', event: 'order_placed' } as const
const way = async (flowId: FlowId, contactId: ContactId) => (await given.runs(flowId, contactId)).map(({ type }) => type)
const goes = (flowId: FlowId, contactId: ContactId, ...types: string[]) =>
  until(async () => expect(await way(flowId, contactId)).toEqual(types))
const lastOf = async (flowId: FlowId, contactId: ContactId) => (await given.runs(flowId, contactId)).at(-1)
type Mail = Readonly<{ recipient: string; subject: string; html: string; headers: Record<string, string> }>
const sent = async () =>
  (await db.pool.query<Mail>('select recipient, subject, html, headers from outbox.message where channel = $1 order by seq', ['email']))
    .rows
const subjects = async () => (await sent()).map(({ subject }) => subject)
const existing = <T>(found: T | null): T => {
  if (found === null) throw new Error('there is none')
  return found
}
const ENTERED = 'ContactEnteredFlow'
const [WAITS, QUEUED, RESOLVED, BRANCHED, SKIPPED, LEFT] = [
  'FlowWaitBegun',
  'FlowMessageQueued',
  'FlowMessageResolved',
  'FlowBranchTaken',
  'FlowStepSkipped',
  'ContactLeftFlow',
]

describe('a contact', () => {
  test('enters by being created, waits, and gets one mail', async () => {
    const templateId = await given.template({ subject: 'Hi {{firstName}}' })
    const flowId = await given.configure({ trigger: { type: 'contact_created' }, steps: [wait(60), sends(templateId)] })
    await start()
    const contactId = await given.contact('ada@example.com', { firstName: 'Ada' })
    await goes(flowId, contactId, ENTERED, WAITS)
    expect(await sent()).toEqual([])
    await clock.advance(HOUR)
    await goes(flowId, contactId, ENTERED, WAITS, QUEUED, RESOLVED, LEFT)
    expect(await lastOf(flowId, contactId)).toMatchObject({ data: { reason: 'finished' } })
    expect(await subjects()).toEqual(['Hi Ada'])
  })

  test('gets marketing mail with the properties of the event, which cannot shadow names, and with a way to unsubscribe', async () => {
    const templateId = asTemplateId(
      await given.template({ subject: '{{orderId}} for {{firstName}}', html: '<a href="{{unsubscribeUrl}}">out</a>' }),
    )
    const flowId = await given.configure({ trigger: ordered, steps: [sends(templateId)] })
    await start()
    const contactId = await given.contact('ada@example.com', { firstName: 'Ada' })
    await given.report(contactId, 'order_placed', { orderId: 'A-7', firstName: 'Mallory', unsubscribeUrl: 'https://evil.example' })
    await goes(flowId, contactId, ENTERED, QUEUED, RESOLVED, LEFT)
    const [mail] = await sent()
    expect(mail?.subject).toBe('A-7 for Ada')
    expect(mail?.html).toContain('http://127.0.0.1:3000/u?t=')
    expect(mail?.html).not.toContain('evil.example')
    expect(Object.keys(mail?.headers ?? {})).toEqual(expect.arrayContaining(['List-Unsubscribe', 'List-Unsubscribe-Post']))
    expect(await db.pool.query('select from ops.flow_message')).toMatchObject({ rowCount: 0 })
  })

  test('takes the branch that its rule leads to', async () => {
    const [big, small] = [await given.template({ subject: 'big' }), await given.template({ subject: 'small' })]
    const rule = {
      any: [
        { field: 'customProperties.spend', op: 'gte', value: 1000 },
        { field: 'event.order_placed.count', op: 'gt', value: 5 },
      ],
    }
    const flowId = asFlowId(
      await given.configure({
        trigger: ordered,
        steps: [{ type: 'branch', rule, matched: [sends(asTemplateId(big))], otherwise: [sends(asTemplateId(small))] }],
      }),
    )
    await start()
    const rich = await given.contact('rich@example.com', { customProperties: { spend: 2000 } })
    await given.report(rich, 'order_placed')
    await goes(flowId, rich, ENTERED, BRANCHED, QUEUED, RESOLVED, LEFT)
    const poor = await given.contact('poor@example.com')
    await given.report(poor, 'order_placed')
    await goes(flowId, poor, ENTERED, BRANCHED, QUEUED, RESOLVED, LEFT)
    expect(await subjects()).toEqual(['big', 'small'])
  })

  test('takes a branch on events once reads show what the log had, however long they are behind, and others go on meanwhile', async () => {
    const [again, first] = [await given.template({ subject: 'again' }), await given.template({ subject: 'first' })]
    const plain = await given.template({ subject: 'plain' })
    const rule = { any: [{ field: 'event.order_placed.count', op: 'gt', value: 1 }] }
    const branching = asFlowId(
      await given.configure({
        trigger: ordered,
        steps: [{ type: 'branch', rule, matched: [sends(asTemplateId(again))], otherwise: [sends(asTemplateId(first))] }],
      }),
    )
    const mailing = asFlowId(
      await given.configure({ trigger: { type: 'contact_created' }, steps: [sends(plain)] }, asFlowId(crypto.randomUUID())),
    )
    const counted = new Map<string, { count: number; lastAt: number }>()
    let shown: bigint | null = null
    const asked: bigint[] = []
    const reads = {
      wait: async (position: { commit: bigint } | null) => {
        if (position !== null) asked.push(position.commit)
        return shown !== null && position !== null && position.commit <= shown ? ('visible' as const) : ('pending' as const)
      },
    }
    await start({ counted, reads })
    const contactId = await given.contact('ada@example.com')
    await goes(mailing, contactId, ENTERED, QUEUED, RESOLVED, LEFT)
    const { position } = await given.report(contactId, 'order_placed')
    await until(async () => expect(asked.length).toBeGreaterThan(1))
    expect(await way(branching, contactId)).toEqual([ENTERED])
    expect(asked.every((commit) => commit >= position.commit)).toBe(true)
    // The log goes on, and what was asked for first is enough.
    await given.contact('later@example.com')
    counted.set('order_placed', { count: 2, lastAt: Date.now() })
    shown = asked[0] ?? null
    await goes(branching, contactId, ENTERED, BRANCHED, QUEUED, RESOLVED, LEFT)
    expect((await given.runs(branching, contactId))[1]).toMatchObject({ data: { branch: 'then' } })
  })

  test('takes each branch as of its own moment, also where another process took the one before it', async () => {
    const rule = { any: [{ field: 'event.order_placed.count', op: 'gt', value: 1 }] }
    const branch = { type: 'branch', rule, matched: [], otherwise: [] } as const
    const flowId = await given.configure({ trigger: ordered, steps: [branch, branch] })
    let shown = 0n
    const asked: bigint[] = []
    const reads = {
      wait: async (position: { commit: bigint } | null) => {
        if (position !== null) asked.push(position.commit)
        return position !== null && position.commit <= shown ? ('visible' as const) : ('pending' as const)
      },
    }
    const { view } = await start({ reads })
    const contactId = await given.contact('ada@example.com')
    await given.report(contactId, 'order_placed')
    await until(async () => expect(asked.length).toBeGreaterThan(1))
    const [entry] = await given.runs(flowId, contactId)
    if (entry?.type !== 'ContactEnteredFlow') throw new Error('it did not enter')
    const { runId, version } = entry.data
    const [first] = existing(await view.program(WORKSPACE, flowId, version))
    if (first?.type !== 'branch') throw new Error('it does not begin with a branch')
    await rig.runner.execute({
      decider: enrolment,
      stream: enrolmentStream(WORKSPACE, flowId, contactId),
      command: { type: 'TakeBranch', data: { runId, step: 0, next: first.otherwise, at: entry.meta.at, branch: 'else' } },
      context: { ...entry.meta, commandId: `${runId}:0:branch` },
    })
    const taken = (await rig.log.head()).commit
    shown = asked[0] ?? 0n
    await until(async () => expect(asked.some((commit) => commit >= taken)).toBe(true))
    expect(await way(flowId, contactId)).toEqual([ENTERED, BRANCHED])
    shown = taken
    await goes(flowId, contactId, ENTERED, BRANCHED, BRANCHED, LEFT)
  })

  test('that has not confirmed joins the dynamic lists that it came onto when it first confirms, and each once', async () => {
    const listId = () => asListId(crypto.randomUUID())
    const [before, left, made, after] = [listId(), listId(), listId(), listId()]
    const ofList = (listId: ListId) => given.configure({ trigger: { type: 'list_joined', listId }, steps: [] })
    const [ofBefore, ofLeft, ofMade, ofAfter] = [await ofList(before), await ofList(left), await ofList(made), await ofList(after)]
    await start()
    const contactId = asContactId(crypto.randomUUID())
    const evidence = { ip: null, userAgent: null }
    const asked = { commandId: crypto.randomUUID(), workspaceId: WORKSPACE, actor: 'test', requestId: 'r', at: new Date().toISOString() }
    const created = { contactId, email: { value: 'ada@example.com', claimId: crypto.randomUUID() }, details: {}, consents: [] }
    await rig.runner.execute({
      decider: contact,
      stream: contactStream(WORKSPACE, contactId),
      command: { type: 'CreateContact', data: { ...created, source: UNCONFIRMED_SIGN_UP } },
      context: asked,
    })
    const put = async (type: 'AddMembers' | 'RemoveMembers', listId: ListId, reason: MembershipReason = 'contact') =>
      await rig.runner.execute({
        decider: members,
        stream: membersStream(WORKSPACE, listId, bucketOf(contactId)),
        command: { type, data: { listId, contactIds: [contactId], reason } },
        context: { ...asked, commandId: crypto.randomUUID() },
      })
    const confirm = async (requestId: string) => {
      const context = { ...asked, requestId, at: new Date().toISOString(), commandId: crypto.randomUUID() }
      const consents = [{ channel: 'email', status: 'subscribed', source: 'embedded_form', ...evidence }] as const
      const command = { type: 'RecordConsent', data: { contactId, consents } } as const
      await rig.runner.execute({ decider: contact, stream: contactStream(WORKSPACE, contactId), command, context })
      const signUpId = crypto.randomUUID()
      const confirmed = { type: 'SignUpConfirmed', data: { signUpId, contactId } }
      await rig.log.append(signUpStream(WORKSPACE, signUpId), 'any', [confirmed], { ...context, commandId: signUpId })
    }
    await put('AddMembers', before)
    await put('AddMembers', left)
    await put('RemoveMembers', left)
    await put('AddMembers', made, 'rule')
    const seen = async (email: string) => {
      const flowId = await given.configure({ trigger: { type: 'contact_created' }, steps: [] })
      await goes(flowId, await given.contact(email), ENTERED, LEFT)
    }
    await seen('one@example.com')
    expect(await way(ofBefore, contactId)).toEqual([])
    await confirm('first')
    await goes(ofBefore, contactId, ENTERED, LEFT)
    await put('AddMembers', after)
    await goes(ofAfter, contactId, ENTERED, LEFT)
    await confirm('second')
    await seen('two@example.com')
    const ways = await Promise.all([ofBefore, ofLeft, ofMade, ofAfter].map((flowId) => way(asFlowId(flowId), contactId)))
    expect(ways).toEqual([[ENTERED, LEFT], [], [], [ENTERED, LEFT]])
  })

  test('is not locked out by a clock that was ahead when it left', async () => {
    const flowId = await given.configure({ trigger: ordered, steps: [wait(60)] })
    await start()
    const contactId = await given.contact('ada@example.com')
    await given.report(contactId, 'order_placed')
    await goes(flowId, contactId, ENTERED, WAITS)
    await clock.advance(2 * HOUR)
    await goes(flowId, contactId, ENTERED, WAITS, LEFT)
    // This is an hour before it left, by the system's clock.
    await given.report(contactId, 'order_placed')
    await goes(flowId, contactId, ENTERED, WAITS, LEFT, ENTERED, WAITS)
  })

  test('is inside once, whatever else it does, and may enter again afterwards', async () => {
    const flowId = await given.configure({ trigger: ordered, steps: [wait(60)] })
    await start()
    const contactId = await given.contact('ada@example.com')
    await given.report(contactId, 'order_placed')
    await goes(flowId, contactId, ENTERED, WAITS)
    await given.report(contactId, 'order_placed')
    await clock.advance(HOUR)
    await goes(flowId, contactId, ENTERED, WAITS, LEFT)
    await given.report(contactId, 'order_placed', {}, new Date(clock.now()).toISOString())
    await goes(flowId, contactId, ENTERED, WAITS, LEFT, ENTERED, WAITS)
  })

  test('finishes the version of the flow that it entered', async () => {
    const [old, newer] = [await given.template({ subject: 'old' }), await given.template({ subject: 'new' })]
    const flowId = await given.configure({ trigger: ordered, steps: [wait(60), sends(asTemplateId(old))] })
    await start()
    const [first, second] = [await given.contact('a@example.com'), await given.contact('b@example.com')]
    await given.report(first, 'order_placed')
    await goes(flowId, first, ENTERED, WAITS)
    await given.configure({ trigger: ordered, steps: [sends(asTemplateId(newer))] }, flowId)
    await given.report(second, 'order_placed')
    await goes(flowId, second, ENTERED, QUEUED, RESOLVED, LEFT)
    await clock.advance(HOUR)
    await goes(flowId, first, ENTERED, WAITS, QUEUED, RESOLVED, LEFT)
    expect(await subjects()).toEqual(['new', 'old'])
  })

  test('enters no flow by what it did before its erasure was asked for', async () => {
    const flowId = await given.configure({ trigger: ordered, steps: [wait(60)] })
    const [gone, other] = [await given.contact('ada@example.com'), await given.contact('bob@example.com')]
    await given.report(gone, 'order_placed')
    await given.requestErasure(gone)
    await given.report(other, 'order_placed')
    await start()
    await goes(flowId, other, ENTERED, WAITS)
    await until(async () => expect((await db.pool.query(`select 1 from inbox.job where payload like 'activity-%'`)).rowCount).toBe(0))
    expect(await way(flowId, gone)).toEqual([])
  })

  test('enters no flow by what it did before the flow was there, nor a retired one', async () => {
    const contactId = await given.contact('ada@example.com')
    await given.report(contactId, 'order_placed')
    const flowId = await given.configure({ trigger: ordered, steps: [wait(60)] })
    const retired = await given.configure({ trigger: ordered, steps: [wait(60)] }, asFlowId(crypto.randomUUID()), true)
    await start()
    const other = await given.contact('bob@example.com')
    await given.report(other, 'order_placed')
    await goes(flowId, other, ENTERED, WAITS)
    expect(await way(flowId, contactId)).toEqual([])
    expect(await way(retired, other)).toEqual([])
  })

  test('is counted once by the route and the consumer, which enter it at once', async () => {
    const flowId = await given.configure({ trigger: ordered, steps: [wait(60)] })
    const { entry } = await start()
    const contactId = await given.contact('ada@example.com')
    const recorded = await given.report(contactId, 'order_placed')
    const cause = existing(causeOf(recorded))
    expect(await Promise.all([entry.enterFlows(cause), entry.enterFlows(cause)])).toEqual([1, 1])
    await goes(flowId, contactId, ENTERED, WAITS)
    expect(await entry.enterFlows(existing(causeOf(await given.report(contactId, 'order_placed'))))).toBe(0)
  })
})

describe('a step', () => {
  test('without an address to send to is skipped', async () => {
    const flowId = await given.configure({ trigger: ordered, steps: [sends(await given.template())] })
    await start()
    const contactId = await given.contact(null)
    await given.report(contactId, 'order_placed')
    await goes(flowId, contactId, ENTERED, SKIPPED, LEFT)
  })

  test('whose template is archived ends the run', async () => {
    const templateId = await given.template()
    const flowId = await given.configure({ trigger: ordered, steps: [wait(60), sends(templateId)] })
    await start()
    const contactId = await given.contact('ada@example.com')
    await given.report(contactId, 'order_placed')
    await goes(flowId, contactId, ENTERED, WAITS)
    await given.archive(templateId)
    await clock.advance(HOUR)
    await goes(flowId, contactId, ENTERED, WAITS, LEFT)
    expect(await lastOf(flowId, contactId)).toMatchObject({ data: { reason: 'template_gone' } })
  })

  test('for a person who was erased meanwhile ends the run', async () => {
    const flowId = await given.configure({ trigger: ordered, steps: [wait(60), sends(await given.template())] })
    await start()
    const contactId = await given.contact('ada@example.com')
    await given.report(contactId, 'order_placed')
    await goes(flowId, contactId, ENTERED, WAITS)
    await rig.erase(contactId)
    await clock.advance(HOUR)
    await goes(flowId, contactId, ENTERED, WAITS, LEFT)
    expect(await lastOf(flowId, contactId)).toMatchObject({ data: { reason: 'contact_gone' } })
    expect(await sent()).toEqual([])
  })

  test('that is more than 24 h late is missed, and one that is less is not', async () => {
    const flowId = await given.configure({ trigger: ordered, steps: [wait(60), sends(await given.template())] })
    const first = await start()
    const [early, late] = [await given.contact('a@example.com'), await given.contact('b@example.com')]
    await given.report(early, 'order_placed')
    await goes(flowId, early, ENTERED, WAITS)
    await first.stop()
    await clock.advance(24 * HOUR)
    const second = await start()
    await goes(flowId, early, ENTERED, WAITS, QUEUED, RESOLVED, LEFT)
    await given.report(late, 'order_placed', {}, new Date(clock.now()).toISOString())
    await goes(flowId, late, ENTERED, WAITS)
    await second.stop()
    await clock.advance(25 * HOUR + 1_000)
    await start()
    await goes(flowId, late, ENTERED, WAITS, LEFT)
    expect(await lastOf(flowId, late)).toMatchObject({ data: { reason: 'missed' } })
    expect(await sent()).toHaveLength(1)
  })
})

describe('a flow that is paused', () => {
  test('lets no contact in, and goes on with what came due when it is resumed', async () => {
    const flowId = await given.configure({ trigger: ordered, steps: [wait(60), sends(await given.template())] })
    await start()
    const [inside, outside] = [await given.contact('a@example.com'), await given.contact('b@example.com')]
    await given.report(inside, 'order_placed')
    await goes(flowId, inside, ENTERED, WAITS)
    await given.change('PauseFlow', flowId)
    await given.report(outside, 'order_placed')
    await clock.advance(2 * HOUR)
    await until(async () => expect(await reasons()).toEqual([`flow_paused ${flowId}`]))
    await given.change('ResumeFlow', flowId)
    await goes(flowId, inside, ENTERED, WAITS, QUEUED, RESOLVED, LEFT)
    expect(await way(flowId, outside)).toEqual([])
  })

  test('for more than a day misses what came due', async () => {
    const flowId = await given.configure({ trigger: ordered, steps: [wait(60), sends(await given.template())] })
    await start()
    const contactId = await given.contact('a@example.com')
    await given.report(contactId, 'order_placed')
    await goes(flowId, contactId, ENTERED, WAITS)
    await given.change('PauseFlow', flowId)
    await clock.advance(2 * HOUR)
    await until(async () => expect(await reasons()).toEqual([`flow_paused ${flowId}`]))
    await clock.advance(25 * HOUR)
    await goes(flowId, contactId, ENTERED, WAITS, LEFT)
    expect(await sent()).toEqual([])
  })

  const reasons = async () =>
    (await db.pool.query("select concat_ws(' ', deferred_for, deferred_by) as waits from inbox.job where kind = 'flow-run'")).rows.map(
      (row) => row.waits,
    )
})

test('a suspended workspace walks no flow until it is active again', async () => {
  const flowId = await given.configure({ trigger: ordered, steps: [wait(60), sends(await given.template())] })
  await start()
  const contactId = await given.contact('a@example.com')
  await given.report(contactId, 'order_placed')
  await goes(flowId, contactId, ENTERED, WAITS)
  await given.workspaceIs('suspended')
  await clock.advance(HOUR)
  await until(async () => expect(await suspendedWorkspaces(db.pool, 'flow-run')).toEqual([WORKSPACE]))
  expect(await way(flowId, contactId)).toEqual([ENTERED, WAITS])
  await given.workspaceIs('active')
  await goes(flowId, contactId, ENTERED, WAITS, QUEUED, RESOLVED, LEFT)
})

describe('a message of a flow', () => {
  const flowOf = async (...names: string[]) => {
    const steps = []
    for (const subject of names) steps.push(sends(await given.template({ subject })))
    return await given.configure({ trigger: ordered, steps })
  }

  test.each(['unsubscribed', 'never_subscribed', 'cleaned'] as const)(
    'to a contact that is %s is skipped, and ends the run',
    async (consent) => {
      const flowId = asFlowId(await flowOf('one', 'two'))
      await start()
      const contactId = await given.contact('ada@example.com', {}, consent)
      await given.report(contactId, 'order_placed')
      await goes(flowId, contactId, ENTERED, QUEUED, RESOLVED, LEFT)
      expect(await lastOf(flowId, contactId)).toMatchObject({ data: { reason: 'no_consent' } })
      expect(await sent()).toEqual([])
    },
  )

  test('to a contact that complained once is suppressed although it subscribed again, and ends the run', async () => {
    const flowId = asFlowId(await flowOf('one', 'two'))
    await start()
    const contactId = await given.contact('ada@example.com')
    await given.suppress(contactId, 'spam_complaint')
    await given.report(contactId, 'order_placed')
    await goes(flowId, contactId, ENTERED, QUEUED, RESOLVED, LEFT)
    expect((await given.runs(flowId, contactId))[2]).toMatchObject({ data: { outcome: 'suppressed', reason: 'spam_complaint' } })
    expect(await lastOf(flowId, contactId)).toMatchObject({ data: { reason: 'suppressed' } })
  })

  test('over the frequency cap is skipped, and the run goes on', async () => {
    await given.marketingRules({ frequencyCap: { messages: 2, days: 7 } })
    const flowId = asFlowId(await flowOf('one', 'two', 'three'))
    await start()
    const contactId = await given.contact('ada@example.com')
    await given.report(contactId, 'order_placed')
    await until(async () => expect(await lastOf(flowId, contactId)).toMatchObject({ data: { reason: 'finished' } }))
    expect(await subjects()).toEqual(['one', 'two'])
    const resolved = (await given.runs(flowId, contactId)).flatMap((event) => (event.type === RESOLVED ? [event.data] : []))
    expect(resolved).toMatchObject([{ outcome: 'sent' }, { outcome: 'sent' }, { outcome: 'skipped', reason: 'frequency_cap' }])
  })

  test('in quiet hours waits, and the steps behind it with it, until they end', async () => {
    const quiet = new Date(clock.now() - 60_000).toISOString().slice(11, 16)
    const ends = new Date(clock.now() + 2 * HOUR).toISOString().slice(11, 16)
    await given.marketingRules({ quietHours: { from: quiet, to: ends } })
    const flowId = asFlowId(await flowOf('one', 'two'))
    await start()
    const contactId = await given.contact('ada@example.com')
    await given.report(contactId, 'order_placed')
    await until(async () => {
      const { rows } = await db.pool.query("select deferred_for from inbox.job where kind = 'send-marketing-email'")
      expect(rows).toEqual([{ deferred_for: 'quiet_hours' }])
    })
    expect(await way(flowId, contactId)).toEqual([ENTERED, QUEUED])
    expect(await rig.accept(contactId, {})).toBeDefined()
    await until(async () => expect(await subjects()).toEqual(['Hi']))
    await clock.advance(2 * HOUR)
    await goes(flowId, contactId, ENTERED, QUEUED, RESOLVED, QUEUED, RESOLVED, LEFT)
    expect(await subjects()).toEqual(['Hi', 'one', 'two'])
  })

  test('is one, however often its events and jobs come again', async () => {
    const flowId = asFlowId(await flowOf('one', 'two'))
    const first = await start()
    const contactId = await given.contact('ada@example.com')
    await given.report(contactId, 'order_placed')
    await goes(flowId, contactId, ENTERED, QUEUED, RESOLVED, QUEUED, RESOLVED, LEFT)
    await first.stop()
    await db.pool.query('update ops.consumer_checkpoint set position_commit = 0, position_prepare = 0')
    const second = await start()
    const head = await rig.log.head()
    await until(async () => {
      const positions = Object.values({ ...second.progress(), ...second.sending.progress() }).map(({ position }) => position)
      expect(positions.every((position) => position !== null && position.commit >= head.commit)).toBe(true)
    })
    await until(async () => expect((await db.pool.query(`select from ${EVERY_JOB}`)).rowCount).toBe(0))
    expect(await way(flowId, contactId)).toHaveLength(6)
    expect(await subjects()).toEqual(['one', 'two'])
  })
})
