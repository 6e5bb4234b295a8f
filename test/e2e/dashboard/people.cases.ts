import { createCommandRunner } from '@tidings/commands'
import type {
  ContactConsent,
  FlowsOfPerson,
  FoundMessage,
  ListsOfPerson,
  MessageSearchPage,
  Page,
  PastProfile,
  Profile,
  TimelinePage,
} from '@tidings/contracts'
import { activity, activityStream, asContactId, asWorkspaceId, type ContactId } from '@tidings/domain'
import { PATIENT_MS } from '@tidings/testing'
import { describe, expect, it } from 'vitest'
import { dataOf, outcome, uncoded } from '../support/answers.ts'
import type { Client } from '../support/client.ts'
import { askToErase } from '../support/erase.ts'
import { profilesOf } from '../support/profiles.ts'
import type { Session } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; acme: Client; sessions: Readonly<Record<'member', Session>>; stranger: Session }>

const HOSTILE = '<script>alert(1)</script>\u202egnp.exe'

type Report = Readonly<{ contactId: ContactId; event: string; occurredAt: string }>

/** As an ingested event is recorded; many may have occurred at one moment. */
const record = async ({ stores: { log } }: World, { applied }: Client, report: Report): Promise<void> => {
  const workspaceId = asWorkspaceId(applied.workspace.id)
  const activityId = crypto.randomUUID()
  await createCommandRunner({ log, deadlineMs: PATIENT_MS }).execute({
    decider: activity,
    stream: activityStream(workspaceId, activityId),
    command: { type: 'RecordActivity', data: { ...report, activityId, source: 'api', properties: {} } },
    context: { commandId: activityId, workspaceId, actor: 'operator', requestId: 'test', at: new Date().toISOString() },
  })
}

/** A support agent who is a member of the workspace `doors`, which has the list `VIP` and the template `welcome`. */
export function peopleCases(doors: () => Doors): void {
  const ask = async <Data>(path: string): Promise<Data> => dataOf<Data>(await doors().sessions.member.call(`GET /dashboard${path}`), 200)
  const timeline = (id: string, query = '') => ask<TimelinePage>(`/profiles/${id}/timeline${query}`)
  const found = (query: string) => ask<MessageSearchPage>(`/messages?${query}`)
  const idsOf = ({ items }: Readonly<{ items: readonly Readonly<{ id: string }>[] }>) => items.map(({ id }) => id)

  describe('a person', () => {
    it('has a timeline of everything that happened, in words, newest first', async () => {
      const { acme } = doors()
      const list = acme.applied.lists.VIP ?? ''
      const { id } = await profilesOf(acme).create({ email: 'whole@doors.example', firstName: HOSTILE, emailConsent: 'subscribed' })
      await profilesOf(acme).patch(id, { lastName: 'Levi', tags: ['gold'], email: 'whole-2@doors.example' })
      await profilesOf(acme).blacklist({ contactId: id, channel: 'sms' })
      await acme.request('POST', `/public/lists/${list}/members`, { contactIds: [id] })
      const message = await acme.send('whole-2@doors.example', {
        templateId: acme.applied.templates.welcome,
        subject: undefined,
        html: undefined,
      })
      await acme.messageWith(message, 'sent', 'delivered')
      await acme.shown()
      const { items, has_more: hasMore, next_cursor: next } = await timeline(id)
      expect([hasMore, next]).toEqual([false, null])
      const said = items.map(({ kind, name, channel, status, reason, fields }) => ({ kind, name, channel, status, reason, fields }))
      const nothing = { name: null, channel: null, status: null, reason: null, fields: [] }
      expect(said).toContainEqual({ ...nothing, kind: 'message', name: 'welcome', channel: 'email', status: 'sent' })
      expect(said).toContainEqual({ ...nothing, kind: 'list_joined', name: 'VIP', reason: 'request' })
      expect(said).toContainEqual({ ...nothing, kind: 'blocked', channel: 'sms', reason: 'global_blocklist' })
      expect(said).toContainEqual({ ...nothing, kind: 'details_changed', fields: ['lastName', 'tags'] })
      expect(said).toContainEqual({ ...nothing, kind: 'email_changed', name: 'whole-2@doors.example' })
      expect(said).toContainEqual({ ...nothing, kind: 'consent', channel: 'email', status: 'subscribed', reason: 'api' })
      expect(said.at(-1)?.kind === 'created' || said.at(-2)?.kind === 'created').toBe(true)
      expect(items.map(({ at }) => at)).toEqual(
        items
          .map(({ at }) => at)
          .toSorted()
          .reverse(),
      )
      const lists = await ask<ListsOfPerson>(`/profiles/${id}/lists`)
      expect(lists.items).toEqual([{ id: list, name: 'VIP', type: 'static', addedAt: expect.any(String) }])
      expect((await ask<FlowsOfPerson>(`/profiles/${id}/flows`)).items).toEqual([])
    })

    it('has pages that neither lose nor repeat what happened in one moment', async () => {
      const { acme, world } = doors()
      const { id } = await profilesOf(acme).create({ email: 'many@doors.example' })
      const occurredAt = '2026-03-03T10:00:00.000Z'
      for (let n = 0; n < 30; n++) await record(world, acme, { contactId: asContactId(id), event: `viewed_${n}`, occurredAt })
      await acme.shown()
      const whole = await timeline(id, '?limit=100')
      expect(whole.items.filter(({ kind }) => kind === 'event').map(({ at }) => at)).toEqual(Array.from({ length: 30 }, () => occurredAt))
      const paged: string[] = []
      for (let after = ''; ; ) {
        const page = await timeline(id, `?limit=7${after}`)
        paged.push(...idsOf(page))
        if (page.next_cursor === null) break
        after = `&after=${page.next_cursor}`
      }
      expect(paged).toEqual(idsOf(whole))
      expect(new Set(paged).size).toBe(paged.length)
    })

    it('is unknown to another workspace, and once it is erased; a cursor of nothing is refused', async () => {
      const { acme, stranger, sessions, world } = doors()
      const { id } = await profilesOf(acme).create({ email: 'gone@doors.example', emailConsent: 'subscribed' })
      const message = await acme.send('gone@doors.example')
      await acme.messageWith(message, 'sent', 'delivered')
      for (const part of ['timeline', 'past', 'lists', 'flows'])
        expect(outcome(await stranger.call(`GET /dashboard/profiles/${id}/${part}`))).toEqual(uncoded(404, 'Contact not found'))
      expect(idsOf(dataOf<MessageSearchPage>(await stranger.call(`GET /dashboard/messages?contactId=${id}`), 200))).toEqual([])
      expect(outcome(await stranger.call(`GET /dashboard/messages/${message}/record`))).toEqual(uncoded(404, 'Message not found'))
      for (const after of ['x', 'f'.repeat(52), '%27'])
        expect(outcome(await sessions.member.call(`GET /dashboard/profiles/${id}/timeline?after=${after}`))).toEqual(
          uncoded(400, 'after must be the next_cursor of a page'),
        )
      await askToErase(world, acme, id)
      await acme.shown()
      for (const part of ['timeline', 'past', 'lists', 'flows'])
        expect(outcome(await sessions.member.call(`GET /dashboard/profiles/${id}/${part}`))).toEqual(uncoded(404, 'Contact not found'))
      const record = await ask<FoundMessage>(`/messages/${message}/record`)
      expect(record.person).toEqual({ id, name: null })
    })

    it('had agreed to what the log says as of any moment', async () => {
      const { acme, sessions } = doors()
      const { id, createdAt } = await profilesOf(acme).create({ email: 'then@doors.example', emailConsent: 'subscribed' })
      const before = new Date(Date.parse(createdAt) - 1).toISOString()
      const path = `/integrations/contacts/${id}/consent`
      const now = await ask<ContactConsent>(path)
      expect([now.channels.email, now.history.length]).toEqual(['subscribed', 1])
      const said = now.history[0]?.at ?? ''
      await profilesOf(acme).patch(id, { emailConsent: 'unsubscribed' })
      const then = await ask<ContactConsent>(`${path}?at=${said}`)
      expect([then.at, then.channels.email, (await ask<ContactConsent>(path)).channels.email]).toEqual([said, 'subscribed', 'unsubscribed'])
      expect(outcome(await sessions.member.call(`GET /dashboard${path}?at=${before}`))).toEqual(uncoded(404, 'Contact not found'))
    })

    it('was what the log says as of any moment, with the lists of then', async () => {
      const { acme, sessions, stranger } = doors()
      const list = acme.applied.lists.VIP ?? ''
      const { id, createdAt } = await profilesOf(acme).create({ email: 'past@doors.example', firstName: HOSTILE, tags: ['gold'] })
      await acme.request('POST', `/public/lists/${list}/members`, { contactIds: [id] })
      await acme.shown()
      const past = (at: string) => ask<PastProfile>(`/profiles/${id}/past${at}`)
      const joined = (await past('')).changes.at(-1) ?? ''
      await profilesOf(acme).patch(id, { firstName: 'Noa', tags: [], email: 'past-2@doors.example' })
      await profilesOf(acme).blacklist({ contactId: id, channel: 'email' })
      await acme.request('DELETE', `/public/lists/${list}/members`, { contactIds: [id] })
      await acme.shown()
      expect(await past(`?at=${joined}`)).toMatchObject({
        ...{ at: joined, email: 'past@doors.example', firstName: HOSTILE, tags: ['gold'], emailBlocks: [], createdAt },
        lists: [{ id: list, name: 'VIP', since: joined }],
      })
      const now = await past('')
      expect(now).toMatchObject({ email: 'past-2@doors.example', firstName: 'Noa', tags: [], emailBlocks: ['global_blocklist'], lists: [] })
      expect(now.changes).toContain(joined)
      expect(now.changes).toEqual(now.changes.toSorted())
      expect((await past(`?at=${createdAt}`)).lists).toEqual([])
      for (const [session, query, answer] of [
        [sessions.member, '?at=2020-01-01', uncoded(404, 'Contact not found')],
        [sessions.member, '?at=yesterday', uncoded(400, 'at must be a valid ISO 8601 date string')],
        [stranger, '', uncoded(404, 'Contact not found')],
      ] as const)
        expect(outcome(await session.call(`GET /dashboard/profiles/${id}/past${query}`))).toEqual(answer)
    })
  })

  describe('messages', () => {
    it('are found by person, template, kind and address, with the names of what they refer to', async () => {
      const { acme } = doors()
      const template = acme.applied.templates.welcome ?? ''
      const { id } = await profilesOf(acme).create({
        email: 'found@doors.example',
        firstName: 'Noa',
        lastName: HOSTILE,
        phone: '+972501234567',
      })
      const byTemplate = await acme.send('found@doors.example', { templateId: template, subject: undefined, html: undefined })
      const plain = await acme.send('found@doors.example')
      for (const sent of [byTemplate, plain]) await acme.messageWith(sent, 'sent', 'delivered')
      expect(idsOf(await found(`contactId=${id}`))).toEqual([plain, byTemplate])
      expect(idsOf(await found(`contactId=${id}&templateId=${template}`))).toEqual([byTemplate])
      expect(idsOf(await found(`contactId=${id}&kind=marketing`))).toEqual([])
      for (const recipient of ['FOUND@doors.example', '+972 50-123-4567', '050-1234567'])
        expect(idsOf(await found(`recipient=${encodeURIComponent(recipient)}`))).toEqual([plain, byTemplate])
      for (const recipient of ['unknown@doors.example', 'nonsense', `${'x'.repeat(240)}@doors.example`])
        expect(idsOf(await found(`recipient=${encodeURIComponent(recipient)}`))).toEqual([])
      const record = await ask<FoundMessage>(`/messages/${byTemplate}/record`)
      expect(record).toMatchObject({
        kind: 'transactional',
        person: { id, name: `Noa ${HOSTILE}` },
        template: { id: template, name: 'welcome' },
        campaign: null,
        flow: null,
        openedAt: null,
        clickedAt: null,
      })
    })

    it('are opened and clicked once a person did', async () => {
      const { acme, world } = doors()
      const { id } = await profilesOf(acme).create({ email: 'opens@doors.example' })
      const sent = await acme.send('opens@doors.example')
      await acme.messageWith(sent, 'sent', 'delivered')
      await world.stores.pool.query('update read.messages set opened_at = now() where id = $1', [sent])
      expect(idsOf(await found(`contactId=${id}&opened=true`))).toEqual([sent])
      expect(idsOf(await found(`contactId=${id}&opened=false`))).toEqual([])
      expect(idsOf(await found(`contactId=${id}&clicked=true`))).toEqual([])
      expect(idsOf(await found(`contactId=${id}&clicked=false`))).toEqual([sent])
    })
  })

  describe('profiles', () => {
    const listed = async (query: string) => {
      const { items, total } = await ask<Page<Profile>>(`/profiles?${query}`)
      return { ids: items.map(({ id }) => id).toSorted(), total }
    }

    it('are found by tag, block and list at once, with an exact total', async () => {
      const { acme, sessions } = doors()
      const make = (n: number, more: object) =>
        profilesOf(acme).create({ email: `filter-${n}@doors.example`, tags: ['filtered', `t${n}`], ...more })
      const [one, two, three] = await Promise.all([make(1, {}), make(2, {}), make(3, { tags: ['Filtered'] })])
      await profilesOf(acme).blacklist({ contactId: two.id, channel: 'email' })
      expect(await listed('tag=filtered')).toEqual({ ids: [one.id, two.id].toSorted(), total: 2 })
      expect(await listed('tag=filtered&blocked=email')).toEqual({ ids: [two.id], total: 1 })
      expect(await listed('tag=filtered&blocked=any&search=filter-2')).toEqual({ ids: [two.id], total: 1 })
      expect(await listed('tag=filtered&blocked=none')).toEqual({ ids: [one.id], total: 1 })
      expect(await listed('tag=filtered&blocked=sms')).toEqual({ ids: [], total: 0 })
      expect(await listed('tag=Filtered')).toEqual({ ids: [three.id], total: 1 })
      await acme.request('POST', `/public/lists/${acme.applied.lists.VIP ?? ''}/members`, { contactIds: [one.id] })
      expect(await listed(`tag=filtered&segmentId=${acme.applied.lists.VIP ?? ''}`)).toEqual({ ids: [one.id], total: 1 })
      expect((await sessions.member.call('GET /dashboard/profiles?blocked=push')).status).toBe(400)
      // The public list is what the contract says.
      expect(outcome(await acme.request('GET', '/public/profiles?tag=filtered'))).toEqual(uncoded(400, 'property tag should not exist'))
    })
  })
}
