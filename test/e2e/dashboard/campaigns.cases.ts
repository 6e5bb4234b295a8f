import type { Audience, Campaign, CampaignFigures, CampaignPreview, MessageSearchPage } from '@tidings/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from '../support/answers.ts'
import type { Answer, Client } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { listsOf } from '../support/lists.ts'
import { outboxOf } from '../support/outbox.ts'
import { profilesOf } from '../support/profiles.ts'
import type { Session } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; stranger: Session; signedIn: (client: Client, email: string) => Promise<Session> }>

const FILE = `users:
  - { email: ada@sales.example, password: correct horse battery, role: member }
  - { email: bob@sales.example, password: correct horse battery, role: member }
lists: [{ name: VIP, type: static }, { name: Empty, type: static }]
templates:
  - { name: short, channel: email, subject: "Hi {{firstName|you}}", html: "<p>{{firstName|you}}</p><script>alert(1)</script>", text: "Hi" }
  - { name: long, channel: email, subject: "Dear {{firstName|you}}", html: "<p>Long</p>" }
  - { name: words, channel: sms, body: "Hi" }`

/** What two marketers, both members, do with campaigns of a workspace of their own. */
export function campaignCases(doors: () => Doors): void {
  let client: Client
  let ada: Session
  let bob: Session
  let people: Readonly<Record<'ann' | 'ben' | 'cat', string>>
  const settings = () => ({
    ...{ listId: client.applied.lists.VIP, templateId: client.applied.templates.short, variants: [] },
    ...{ from: 'hello@sales.example', quietHours: 'wait', tagIds: [], archived: false },
  })
  const create = (name: string, more: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    ada.call('POST /dashboard/campaigns', { body: { name, channel: 'email', ...settings(), ...more }, headers })
  const made = async (name: string, more?: object) => dataOf<Campaign>(await create(name, more), 201)
  const read = async (id: string) => dataOf<Campaign>(await ada.call(`GET /dashboard/campaigns/${id}`), 200)
  const move = (session: Session, id: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    session.call(`POST /dashboard/campaigns/${id}/moves`, { body, headers })
  const figures = async (id: string) => dataOf<CampaignFigures>(await ada.call(`GET /dashboard/campaigns/${id}/figures`), 200)
  const ended = (id: string) =>
    eventually(
      () => read(id),
      ({ status }) => status === 'sent' || status === 'failed',
    )

  describe('campaigns', () => {
    beforeAll(async () => {
      const { world, signedIn } = doors()
      client = await world.workspace('sales', FILE)
      ;[ada, bob] = [await signedIn(client, 'ada@sales.example'), await signedIn(client, 'bob@sales.example')]
      const person = async (name: string, more: object) =>
        (await profilesOf(client).create({ email: `${name}@people.sales.example`, firstName: name, ...more })).id
      people = {
        ann: await person('ann', { emailConsent: 'subscribed' }),
        ben: await person('ben', { emailConsent: 'subscribed' }),
        cat: await person('cat', {}),
      }
      const lists = listsOf(client)
      await lists.add(lists.id('VIP'), { contactIds: Object.values(people) })
    })

    it('are made as drafts under a name that is free, and again under the same key', async () => {
      const key = { 'Idempotency-Key': 'make-once' }
      const first = dataOf<Campaign>(await create('Made', {}, key), 201)
      expect(first).toMatchObject({
        ...{ name: 'Made', channel: 'email', status: 'draft', reason: null, listName: 'VIP', from: 'hello@sales.example' },
        ...{ movedBy: 'ada@sales.example', startedAt: null, templates: [{ name: 'short', archived: false }] },
      })
      expect(dataOf<Campaign>(await create('Made', {}, key), 201)).toEqual(first)
      expect(outcome(await create('Made'))).toEqual(coded(409, 'campaign_name_taken'))
      expect(await read(first.id)).toEqual(first)
      const raced = await Promise.all(['one', 'two', 'three'].map(() => create('Raced')))
      expect(raced.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
    })

    it('are refused what is not of the workspace, or of another channel', async () => {
      const { stranger } = doors()
      const id = crypto.randomUUID()
      const cases: readonly (readonly [object, ReturnType<typeof outcome>])[] = [
        [{ listId: id }, uncoded(404, 'List not found')],
        [{ templateId: id }, coded(404, 'template_not_found')],
        [{ templateId: client.applied.templates.words }, coded(400, 'template_channel_mismatch')],
        [{ from: 'else@sales.example' }, coded(400, 'sender_inbox_not_verified')],
        [{ tagIds: [id] }, uncoded(400, 'tagIds must be tags of the workspace')],
        [
          { variants: [{ templateId: client.applied.templates.long, weight: 1 }] },
          uncoded(400, 'variants must be empty where templateId is given'),
        ],
        [{ name: '   ' }, uncoded(400, 'name should not be empty')],
      ]
      for (const [wrong, answer] of cases) expect(outcome(await create('Wrong', wrong))).toEqual(answer)
      const body = { name: 'Theirs', channel: 'email', ...settings(), from: null }
      expect((await stranger.call('POST /dashboard/campaigns', { body })).status).toBe(404)
    })

    it('of another workspace are not there, whatever is asked of them', async () => {
      const { stranger } = doors()
      const { id } = await made('Own')
      const missing = uncoded(404, 'Campaign not found')
      const path = `/dashboard/campaigns/${id}`
      const headers = { 'If-Match': `"${'0'.repeat(64)}"` }
      for (const asked of [
        stranger.call(`GET ${path}`),
        stranger.call(`GET ${path}/figures`),
        stranger.call(`POST ${path}/moves`, { body: { move: 'cancel' } }),
        stranger.call(`POST ${path}/preview`, { body: { contact: people.ann } }),
        stranger.call(`GET ${path}/preview/${people.ann}`),
        stranger.call(`POST ${path}/test`, { body: {} }),
      ])
        expect(outcome(await asked)).toEqual(missing)
      expect(outcome(await stranger.call(`PUT ${path}`, { body: settings(), headers }))).toEqual(missing)
      expect((await read(id)).status).toBe('draft')
      const audience = await stranger.call(`GET /dashboard/campaigns/audience?listId=${client.applied.lists.VIP}&channel=email`)
      expect(dataOf<Audience>(audience, 200)).toEqual({ members: 0, mayGet: 0, isEstimate: false })
    })

    it('are changed where they are still as they were read; a move meanwhile is no change of them', async () => {
      const { id, etag } = await made('Changed')
      const put = (session: Session, body: object, ifMatch?: string) =>
        session.call(`PUT /dashboard/campaigns/${id}`, { body, headers: ifMatch === undefined ? {} : { 'If-Match': `"${ifMatch}"` } })
      expect(outcome(await put(ada, settings()))).toEqual(coded(428, 'if_match_required'))
      await move(bob, id, { move: 'schedule', at: '2100-01-01T10:00:00+02:00' })
      const variants = [
        { templateId: client.applied.templates.short, weight: 3 },
        { templateId: client.applied.templates.long, weight: 1 },
      ]
      const split = { ...settings(), templateId: null, variants, quietHours: 'skip' }
      const changed = dataOf<Campaign>(await put(ada, split, etag), 200)
      expect(changed).toMatchObject({ variants, quietHours: 'skip', status: 'scheduled', scheduleAt: '2100-01-01T08:00:00.000Z' })
      const late = await put(bob, settings(), etag)
      expect(outcome(late)).toEqual(coded(409, 'changed_meanwhile'))
      expect(late.body).toMatchObject({ by: 'ada@sales.example' })
      expect(dataOf<Campaign>(await move(ada, id, { move: 'unschedule' }), 200).status).toBe('draft')
    })

    it('go nowhere at a time that is over, has no zone, or is none', async () => {
      const { id } = await made('Timed')
      for (const at of ['2100-01-01', '2100-01-01T10:00', 'tomorrow', '2100-13-01T10:00:00Z'])
        expect(outcome(await move(ada, id, { move: 'schedule', at })).status).toBe(400)
      expect((await move(ada, id, { move: 'schedule' })).status).toBe(400)
      expect((await move(ada, id, { move: 'start', at: '2100-01-01T10:00:00Z' })).status).toBe(400)
      expect(outcome(await move(ada, id, { move: 'schedule', at: '2020-01-01T10:00:00Z' }))).toEqual(
        coded(400, 'campaign_schedule_not_ahead'),
      )
      for (const wrong of ['pause', 'resume', 'cancel', 'unschedule'])
        expect(outcome(await move(ada, id, { move: wrong }))).toEqual(coded(409, 'campaign_move_not_allowed'))
    })

    it('say how many may get them: who agreed, has an address and is not blocked', async () => {
      const path = `/dashboard/campaigns/audience?listId=${client.applied.lists.VIP}`
      expect(dataOf<Audience>(await ada.call(`GET ${path}&channel=email`), 200)).toEqual({ members: 3, mayGet: 2, isEstimate: false })
      expect(dataOf<Audience>(await ada.call(`GET ${path}&channel=sms`), 200)).toEqual({ members: 3, mayGet: 0, isEstimate: false })
    })

    it('are shown as a person gets them, named by id or address, in a frame that runs nothing', async () => {
      const { id } = await made('Shown')
      const preview = async (contact: string) => ada.call(`POST /dashboard/campaigns/${id}/preview`, { body: { contact } })
      const shown = dataOf<CampaignPreview>(await preview(people.ann), 200)
      expect(shown).toMatchObject({
        ...{ contactId: people.ann, variant: 1, to: 'ann@people.sales.example', from: 'hello@sales.example' },
        ...{ subject: 'Hi ann', hasText: true, body: null, block: null },
      })
      expect(dataOf<CampaignPreview>(await preview(' ANN@people.sales.example '), 200)).toEqual(shown)
      expect(dataOf<CampaignPreview>(await preview(people.cat), 200).block).toEqual({
        outcome: 'skipped',
        reason: 'no_consent',
        until: null,
      })
      for (const unknown of ['unknown@people.sales.example', crypto.randomUUID(), '+12', 'x'])
        expect(outcome(await preview(unknown))).toEqual(uncoded(404, 'Contact not found'))
      const frame = (query = '') =>
        fetch(`${doors().world.url}/api/v1/dashboard/campaigns/${id}/preview/${people.ann}${query}`, {
          headers: { Authorization: `Bearer ${ada.token}` },
        })
      const html = await frame()
      expect(html.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(html.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:;/)
      expect(html.headers.get('content-security-policy')).not.toMatch(/script|https/)
      expect(await html.text()).toContain('<p>ann</p>')
      expect(await (await frame('?part=text')).text()).toBe('Hi')
      const second = await ada.call(`POST /dashboard/campaigns/${id}/preview`, { body: { contact: people.ann, variant: 2 } })
      expect(outcome(second)).toEqual(coded(400, 'campaign_variant_not_found'))
    })

    it('are tried by a copy to the caller alone, once under one key', async () => {
      const { id } = await made('Tried')
      const test = (body: object, headers: Readonly<Record<string, string>> = {}) =>
        ada.call(`POST /dashboard/campaigns/${id}/test`, { body, headers })
      expect((await test({ to: 'victim@example.com' })).status).toBe(400)
      const key = { 'Idempotency-Key': 'try-once' }
      const copies = await Promise.all([test({}, key), test({}, key)])
      const again = dataOf<{ messageId: string; to: string }>(await test({}, key), 202)
      expect(again.to).toBe('ada@sales.example')
      for (const answer of copies) expect([202, 409]).toContain(answer.status)
      await client.messageWith(again.messageId, 'sent')
      expect((await outboxOf(client).list('?to=ada@sales.example')).map(({ subject }) => subject)).toEqual(['[Test] Hi you'])
      expect(await figures(id)).toMatchObject({ status: 'draft', audience: 0, sent: 0 })
    })

    it('are started once, however often it is pressed, and show what became of them', async () => {
      const { id } = await made('Sent')
      const key = { 'Idempotency-Key': 'start-once' }
      const pressed = await Promise.all([
        move(ada, id, { move: 'start' }, key),
        move(ada, id, { move: 'start' }, key),
        move(bob, id, { move: 'start' }),
      ])
      expect(pressed.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
      for (const answer of pressed) expect([200, 409]).toContain(answer.status)
      expect(outcome(await move(bob, id, { move: 'start' }))).toEqual(coded(409, 'campaign_move_not_allowed'))
      expect((await ended(id)).status).toBe('sent')
      const done = await eventually(
        () => figures(id),
        ({ sent }) => sent === 2,
      )
      expect(done).toMatchObject({ status: 'sent', audience: 2, waiting: 0, queued: 0, notSent: [], secondsLeft: null })
      expect(done.variants).toMatchObject([{ templateId: client.applied.templates.short, sent: 2 }])
      const people = async (query: string, session = ada) =>
        dataOf<MessageSearchPage>(await session.call(`GET /dashboard/messages?campaignId=${id}&${query}`), 200).items.map(
          ({ person }) => person?.name,
        )
      // The messages have a projection of their own.
      await doors().world.settle()
      expect((await people('outcome=sent')).toSorted()).toEqual(['ann', 'ben'])
      expect(await people('outcome=sent', doors().stranger)).toEqual([])
      for (const none of ['opened', 'clicked', 'bounced', 'unsubscribed', 'notSent&reason=no_consent'])
        expect(await people(`outcome=${none}`)).toEqual([])
      expect((await ada.call(`GET /dashboard/messages?campaignId=${id}&outcome=lost`)).status).toBe(400)
    })

    it('fail, and say why, where no member may get them or their template is archived', async () => {
      const empty = await made('Empty', { listId: client.applied.lists.Empty })
      await move(ada, empty.id, { move: 'start' })
      expect(await ended(empty.id)).toMatchObject({ status: 'failed', reason: 'no_audience' })
      const { id } = await made('Archived', { templateId: client.applied.templates.long })
      await doors().world.workspace('sales', FILE.replace('name: long,', 'name: long, archived: true,'))
      expect((await read(id)).templates).toMatchObject([{ name: 'long', archived: true }])
      expect(outcome(await ada.call(`POST /dashboard/campaigns/${id}/preview`, { body: { contact: people.ann } }))).toEqual(
        coded(404, 'template_not_found'),
      )
      await move(ada, id, { move: 'start' })
      expect(await ended(id)).toMatchObject({ status: 'failed', reason: 'template_gone' })
    })
  })
}
