import type { FlowList, FlowRuns, ShownFlow, TriedFlow } from '@tidings/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from '../support/answers.ts'
import type { Client } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { formOf, SHOP } from '../support/forms.ts'
import { listsOf } from '../support/lists.ts'
import { outboxOf } from '../support/outbox.ts'
import { profilesOf } from '../support/profiles.ts'
import type { Session } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; stranger: Session; signedIn: (client: Client, email: string) => Promise<Session> }>

// An object with this name in its source looks like a promise to the linter.
const THEN = 'then'
const FILE = `users: [{ email: ada@runs.example, password: correct horse battery, role: member }]
features: [embedded_forms]
formOrigins: ["${SHOP}"]
lists: [{ name: VIP, type: static }]
templates:
  - { name: thanks, channel: email, subject: Thanks, html: "<p>Thanks</p>" }
  - { name: confirm, channel: email, subject: Confirm, html: "<a href=\\"{{confirmUrl}}\\">Yes</a>" }
forms: [{ id: asking, list: VIP, doubleOptIn: true, template: confirm, from: hello@runs.example }]
flows:
  - { name: Joined, trigger: { type: list_joined, list: VIP }, steps: [ { wait: { minutes: 60 } } ] }
  - name: After order
    trigger: { type: custom_event, event: order_placed }
    steps:
      - branch:
          rule: { field: tags, op: contains, value: vip }
          then: [ { send: { channel: email, template: thanks, from: hello@runs.example } }, { wait: { minutes: 4320 } } ]
          else: [ { wait: { minutes: 60 } } ]`

/** What a member sees of flows, and how a flow is stopped. */
export function flowCases(doors: () => Doors): void {
  let client: Client
  let ada: Session
  let id: string
  let vip: string
  const read = async () => dataOf<ShownFlow>(await ada.call(`GET /dashboard/flows/${id}`), 200)
  const move = (session: Session, verb: string, ifMatch?: string) =>
    session.call(`POST /dashboard/flows/${id}/${verb}`, { body: {}, headers: ifMatch === undefined ? {} : { 'If-Match': `"${ifMatch}"` } })
  const orders = async (contactId: string) =>
    dataOf<Readonly<{ enrolled: number }>>(await client.request('POST', '/events/ingest', { event: 'order_placed', contactId }), 200)
  const person = async (name: string, more: object = {}) =>
    (await profilesOf(client).create({ email: `${name}@people.runs.example`, ...more })).id

  describe('flows', () => {
    beforeAll(async () => {
      const { world, signedIn } = doors()
      client = await world.workspace('runs', FILE)
      ada = await signedIn(client, 'ada@runs.example')
      id = client.applied.flows['After order'] ?? ''
      vip = await person('vip', { tags: ['vip'], emailConsent: 'subscribed' })
      const silent = await person('silent', { tags: ['vip'] })
      for (const contact of [vip, silent, await person('other')]) expect(await orders(contact)).toMatchObject({ enrolled: 1 })
    })

    it('are listed with what begins them, and shown by their steps: who is at each, passed it and left at it', async () => {
      const flow = await eventually(read, ({ steps, ends }) => steps[2]?.inside === 1 && steps[3]?.inside === 1 && ends.length > 0)
      expect(flow).toMatchObject({
        ...{ name: 'After order', status: 'active', version: 1, inside: 2, finished: 1, counts: 'current', olderVersions: [] },
        trigger: { type: 'custom_event', event: 'order_placed', list: null },
        ends: [{ reason: 'no_consent', runs: 1 }],
        changedBy: 'operator',
      })
      expect(flow.steps.map(({ path, inside, passed, left }) => [path, inside, passed, left])).toEqual([
        ['steps[0]', 0, 3, 0],
        ['steps[0].then[0]', 0, 1, 1],
        ['steps[0].then[1]', 1, 0, 0],
        ['steps[0].else[0]', 1, 0, 0],
      ])
      expect(flow.steps[1]).toMatchObject({ type: 'send', channel: 'email', template: { name: 'thanks' }, from: 'hello@runs.example' })
      const { items } = dataOf<FlowList>(await ada.call('GET /dashboard/flows'), 200)
      expect(items.map(({ name, trigger, inside }) => [name, trigger.list?.name ?? trigger.event, inside])).toEqual([
        ['Joined', 'VIP', 0],
        ['After order', 'order_placed', 2],
      ])
    })

    it('show the way of one person, and no way of one who never was inside', async () => {
      const way = async (contact: string) => dataOf<FlowRuns>(await ada.call(`GET /dashboard/flows/${id}/profiles/${contact}`), 200)
      const { items, earlier } = await way(vip)
      expect(items).toMatchObject([{ version: 1, endedAt: null, reason: null }])
      expect(items[0]?.steps.map(({ type, step }) => [type, step])).toEqual([
        ['ContactEnteredFlow', null],
        ['FlowBranchTaken', 0],
        ['FlowMessageQueued', 1],
        ['FlowMessageResolved', 1],
        ['FlowWaitBegun', 2],
      ])
      expect(items[0]?.steps[2]?.messageId).toMatch(/^[0-9a-f-]{36}$/)
      expect(earlier).toBe(false)
      expect(await way(await person('elsewhere'))).toEqual({ items: [], earlier: false })
      expect(outcome(await ada.call(`GET /dashboard/flows/${id}/profiles/${crypto.randomUUID()}`))).toEqual(
        uncoded(404, 'Contact not found'),
      )
    })

    it('stop for whom has seen them as they are: what changed meanwhile is refused, and nothing is written', async () => {
      expect(outcome(await move(ada, 'pause'))).toEqual(coded(428, 'if_match_required'))
      const seen = await read()
      const paused = dataOf<ShownFlow>(await move(ada, 'pause', seen.etag), 200)
      expect(paused).toMatchObject({ status: 'paused', changedBy: 'ada@runs.example', inside: 2 })
      expect(await orders(await person('late'))).toMatchObject({ enrolled: 0 })
      expect(outcome(await move(ada, 'retire', seen.etag))).toEqual(coded(409, 'changed_meanwhile'))
      expect(await read()).toMatchObject({ status: 'paused', etag: paused.etag })
      const resumed = dataOf<ShownFlow>(await move(ada, 'resume', paused.etag), 200)
      expect(resumed).toMatchObject({ status: 'active', etag: seen.etag })
      expect(await orders(await person('again'))).toMatchObject({ enrolled: 1 })
    })

    it('retire and are used again in the version that they had', async () => {
      const retired = dataOf<ShownFlow>(await move(ada, 'retire', (await read()).etag), 200)
      expect(retired).toMatchObject({ status: 'retired', version: 1 })
      expect(await orders(await person('too-late'))).toMatchObject({ enrolled: 0 })
      expect(dataOf<ShownFlow>(await move(ada, 'restore', retired.etag), 200)).toMatchObject({ status: 'active', version: 1 })
    })

    const make = (session: Session, body: object) => session.call('POST /dashboard/flows', { body })
    const wait = (minutes: unknown) => ({ wait: { minutes } })
    const born = { type: 'contact_created' }
    const put = (session: Session, { id: flow, etag }: Readonly<{ id: string; etag: string }>, body: object) =>
      session.call(`PUT /dashboard/flows/${flow}`, { body, headers: { 'If-Match': `"${etag}"` } })

    it('are made under a name that is free, and let contacts in at once', async () => {
      const { VIP: list = '' } = client.applied.lists
      const send = { send: { channel: 'email', template: client.applied.templates.thanks, from: 'Hello@RUNS.example' } }
      const body = { name: ' Tea ', trigger: { type: 'custom_event', event: 'tea_drunk' }, steps: [send, wait(5)] }
      const made = dataOf<ShownFlow>(await make(ada, body), 201)
      expect(made).toMatchObject({ name: 'Tea', status: 'active', version: 1, changedBy: 'ada@runs.example' })
      expect(made.steps).toMatchObject([{ template: { name: 'thanks' }, from: 'hello@runs.example' }, { minutes: 5 }])
      expect(outcome(await make(ada, body))).toEqual(coded(409, 'flow_name_taken'))
      const joined = dataOf<ShownFlow>(
        await make(ada, { name: 'Welcome VIP', trigger: { type: 'list_joined', list }, steps: [wait(1)] }),
        201,
      )
      expect(joined.trigger).toMatchObject({ list: { id: list, name: 'VIP' } })
      const contactId = await person('drinker', { emailConsent: 'subscribed' })
      const drunk = await client.request('POST', '/events/ingest', { event: 'tea_drunk', contactId })
      expect(dataOf<object>(drunk, 200)).toMatchObject({ enrolled: 1 })
    })

    it('get another version where they are still as they were read, and stay paused', async () => {
      const first = dataOf<ShownFlow>(await make(ada, { name: 'Changed', trigger: born, steps: [wait(1)] }), 201)
      const headers = { 'If-Match': `"${first.etag}"` }
      const paused = dataOf<ShownFlow>(await ada.call(`POST /dashboard/flows/${first.id}/pause`, { body: {}, headers }), 200)
      const wanted = { trigger: { type: 'custom_event', event: 'tea' }, steps: [wait(2), wait(3)] }
      expect(outcome(await ada.call(`PUT /dashboard/flows/${first.id}`, { body: wanted }))).toEqual(coded(428, 'if_match_required'))
      const late = await put(ada, first, wanted)
      expect(outcome(late)).toEqual(coded(409, 'changed_meanwhile'))
      expect(late.body).toMatchObject({ by: 'ada@runs.example' })
      const second = dataOf<ShownFlow>(await put(ada, paused, wanted), 200)
      expect(second).toMatchObject({ version: 2, status: 'paused', trigger: { event: 'tea' } })
      expect(second.steps.map(({ minutes }) => minutes)).toEqual([2, 3])
      // What says the same again is no version.
      expect(dataOf<ShownFlow>(await put(ada, second, wanted), 200)).toMatchObject({ version: 2, etag: second.etag })
    })

    it('are refused what no flow can be with a sentence that names the step, and stay as they are', async () => {
      const { thanks = '' } = client.applied.templates
      const { VIP: list = '' } = client.applied.lists
      const send = (more: object) => ({ send: { channel: 'email', template: thanks, from: 'hello@runs.example', ...more } })
      const stays = await read()
      const cases: readonly (readonly [object, RegExp])[] = [
        [{ steps: [] }, /steps/],
        [{ steps: Array.from({ length: 101 }, () => wait(1)) }, /steps/],
        [{ steps: [wait(1), wait(-1)] }, /^steps\[1\]\.wait\.minutes must be a whole number from 0 to 525600/],
        [{ steps: [wait('5')] }, /^steps\[0\]\.wait\.minutes must be/],
        [{ steps: [{ ...wait(1), ...send({}) }] }, /^steps\[0\] must be one step/],
        [{ steps: [{ jump: {} }] }, /^steps\[0\] must be a map with wait, send or branch/],
        [
          { steps: [send({ template: crypto.randomUUID() })] },
          /^steps\[0\]\.send\.template: there is no template "[^"]+" in this workspace$/,
        ],
        [{ steps: [send({ template: 'thanks' })] }, /^steps\[0\]\.send\.template: there is no template "thanks"/],
        [{ steps: [send({ from: 'other@else.example' })] }, /^steps\[0\]\.send\.from: there is no sender address/],
        [{ steps: [send({ channel: 'sms', from: 'Tilly' })] }, /^steps\[0\]\.send\.template: "[^"]+" is for email, the step for sms$/],
        [{ steps: [JSON.parse('{ "branch": { "rule": { "all": [] }, "then": [] } }')] }, /^steps\[0\]\.branch\.rule\.all must be/],
        [
          {
            steps: [JSON.parse('{ "branch": { "rule": { "field": "tags", "op": "contains", "value": "a" }, "then": [{ "wait": {} }] } }')],
          },
          /^steps\[0\]\.branch\.then\[0\]\.wait\.minutes must be/,
        ],
        [{ trigger: { type: 'list_joined' } }, /^trigger\.list is missing$/],
        [{ trigger: { type: 'list_joined', list: crypto.randomUUID() } }, /^trigger\.list: there is no list "[^"]+" in this workspace$/],
        [{ trigger: { type: 'custom_event' } }, /^trigger\.event is missing$/],
        [{ trigger: { ...born, list } }, /^trigger\.list is only a field of list_joined$/],
      ]
      for (const [more, sentence] of cases)
        for (const asked of [
          make(ada, { name: 'Wrong', trigger: born, steps: [wait(1)], ...more }),
          put(ada, stays, { trigger: born, steps: [wait(1)], ...more }),
        ]) {
          const answer = await asked
          expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(sentence)])
        }
      expect((await read()).etag).toBe(stays.etag)
      const { items } = dataOf<FlowList>(await ada.call('GET /dashboard/flows'), 200)
      expect(items.map(({ name }) => name)).not.toContain('Wrong')
    })

    const tryFor = (session: Session, who: object, flow: object) => session.call('POST /dashboard/flows/try', { body: { flow, ...who } })
    const example = (more: object = {}) => ({ example: { email: 'eve@people.runs.example', agrees: ['email'], ...more } })
    const sendsThanks = () => ({
      send: { channel: 'email', template: client.applied.templates.thanks, from: 'hello@runs.example' },
    })

    it('are tried as they are written, for a person or an example, and nothing is written', async () => {
      const rule = { field: 'event.cup_drunk.count', op: 'gte', value: 1 }
      const branch = { branch: { rule, [THEN]: [wait(60), sendsThanks()], else: [wait(5)] } }
      const drunk = { trigger: { type: 'custom_event', event: 'cup_drunk' }, steps: [branch] }
      const known = dataOf<TriedFlow>(await tryFor(ada, { contactId: vip }, drunk), 200)
      expect(known.steps.map(({ path, outcome }) => [path, outcome])).toEqual([
        ['steps[0]', 'matched'],
        ['steps[0].then[0]', 'waits'],
        ['steps[0].then[1]', 'sends'],
      ])
      expect(known.steps[2]).toMatchObject({ number: 2, to: 'vip@people.runs.example', from: 'hello@runs.example', text: 'Thanks' })
      expect(known.ends).toBe('finished')
      const tried = dataOf<TriedFlow>(await tryFor(ada, example({ agrees: [] }), { trigger: born, steps: [sendsThanks(), wait(1)] }), 200)
      expect(tried).toMatchObject({ ends: 'no_consent', steps: [{ outcome: 'not_allowed', channel: 'email', reason: 'no_consent' }] })
      expect(dataOf<TriedFlow>(await tryFor(ada, example(), { ...drunk, trigger: born }), 200).steps[0]).toMatchObject({
        outcome: 'otherwise',
      })
      const found = dataOf<{ items: object[] }>(await ada.call('GET /dashboard/profiles?search=eve@people.runs.example'), 200)
      expect(found.items).toEqual([])
      expect(await outboxOf(client).list('?to=eve@people.runs.example')).toEqual([])
    })

    it('say whether they would let the person in, which is not what their steps would do', async () => {
      const made = await person('tried-entry')
      const entry = async (who: object, trigger: object, flowId?: string) =>
        dataOf<TriedFlow>(await tryFor(ada, { ...who, ...(flowId && { flowId }) }, { trigger, steps: [wait(1)] }), 200).entry
      const joined = { type: 'list_joined', list: client.applied.lists.VIP }
      const ordered = { type: 'custom_event', event: 'order_placed' }
      expect(await entry(example(), born, id)).toBe('enters')
      expect(await entry({ contactId: made }, born)).toBe('made_already')
      expect(await entry({ contactId: made }, joined)).toBe('enters')
      await listsOf(client).add(listsOf(client).id('VIP'), { contactIds: [made] })
      expect(await entry({ contactId: made }, joined)).toBe('member_already')
      expect(await entry({ contactId: made }, ordered, id)).toBe('enters')
      await orders(made)
      expect(await entry({ contactId: made }, ordered, id)).toBe('inside')
      expect(await entry({ contactId: made }, ordered)).toBe('enters')
      const signedUp = await formOf(client).subscribe({ formId: 'asking', email: 'signed-up@people.runs.example' })
      expect(await entry({ contactId: signedUp.body.data.contactId }, born)).toBe('unconfirmed')
      const paused = dataOf<ShownFlow>(await move(ada, 'pause', (await read()).etag), 200)
      expect(await entry({ contactId: made }, ordered, id)).toBe('paused')
      const resumed = dataOf<ShownFlow>(await move(ada, 'resume', paused.etag), 200)
      const retired = dataOf<ShownFlow>(await move(ada, 'retire', resumed.etag), 200)
      expect(await entry(example(), ordered, id)).toBe('retired')
      expect((await move(ada, 'restore', retired.etag)).status).toBe(200)
    })

    it('are tried for no one else, and with nothing that no flow can be', async () => {
      const flow = { trigger: born, steps: [wait(1)] }
      const cases: readonly (readonly [object, object, RegExp])[] = [
        [{}, flow, /^one of contactId and example is required$/],
        [{ contactId: vip, ...example() }, flow, /^one of contactId and example is required$/],
        [example({ phone: 'tea' }), flow, /^example\.phone is no phone number$/],
        [example({ agrees: ['smoke'] }), flow, /agrees/],
        [{ ...example(), properties: {} }, flow, /^properties is only a field of custom_event$/],
        [example(), { ...flow, trigger: { type: 'list_joined' } }, /^trigger\.list is missing$/],
        [example(), { ...flow, steps: [wait(-1)] }, /^steps\[0\]\.wait\.minutes must be/],
      ]
      for (const [who, asked, sentence] of cases) {
        const answer = await tryFor(ada, who, asked)
        expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(sentence)])
      }
      const large = { ...example(), properties: { text: 'ש'.repeat(4_096) } }
      const event = { ...flow, trigger: { type: 'custom_event', event: 'tea' } }
      expect((await tryFor(ada, large, event)).status).toBe(400)
      for (const [by, flowId] of [[ada, crypto.randomUUID()] as const, [doors().stranger, id] as const])
        expect(outcome(await tryFor(by, { ...example(), flowId }, flow))).toEqual(coded(404, 'flow_not_found'))
      expect(outcome(await tryFor(ada, { contactId: crypto.randomUUID() }, flow))).toEqual(uncoded(404, 'Contact not found'))
      expect(outcome(await tryFor(doors().stranger, { contactId: vip }, flow))).toEqual(uncoded(404, 'Contact not found'))
      const theirs = await tryFor(doors().stranger, example(), { trigger: born, steps: [sendsThanks()] })
      expect([theirs.status, theirs.body.message]).toEqual([400, expect.stringMatching(/^steps\[0\]\.send\.template: there is no/)])
    })

    it('of another workspace are not there, whatever is asked of them', async () => {
      const { stranger } = doors()
      const missing = coded(404, 'flow_not_found')
      expect(outcome(await stranger.call(`GET /dashboard/flows/${id}`))).toEqual(missing)
      expect(outcome(await stranger.call(`GET /dashboard/flows/${id}/profiles/${vip}`))).toEqual(missing)
      const { etag } = await read()
      for (const verb of ['pause', 'resume', 'retire', 'restore']) expect(outcome(await move(stranger, verb, etag))).toEqual(missing)
      const steps = [{ send: { channel: 'email', template: client.applied.templates.thanks, from: 'hello@runs.example' } }]
      expect(outcome(await put(stranger, { id, etag }, { trigger: born, steps }))).toEqual(missing)
      const elsewhere = await make(stranger, { name: 'Elsewhere', trigger: born, steps })
      expect([elsewhere.status, elsewhere.body.message]).toEqual([400, expect.stringMatching(/^steps\[0\]\.send\.template: there is no/)])
      expect(dataOf<FlowList>(await stranger.call('GET /dashboard/flows'), 200)).toEqual({ items: [] })
      expect((await read()).etag).toBe(etag)
    })
  })
}
