import { randomUUID } from 'node:crypto'
import {
  asApiKeyId,
  asContactId,
  asMessageId,
  asWorkspaceId,
  byOperator,
  contactStream,
  type DomainEvent,
  messageStream,
  noDetails,
  type WorkspaceId,
  workspaceStream,
} from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import {
  apiKeyById,
  forWorkspace,
  messageStatusById,
  overdueSenderAddresses,
  profileById,
  type ReadModels,
  templatePages,
  toMessageStatus,
  toProfile,
  toSenderAddressOption,
  workspacesOfMessages,
} from '@tidings/read-models'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projections } from '../src/index.ts'
import { memoryLog, write } from './log.ts'
import { runToHead } from './tables.ts'

type OverdueAddress = Awaited<ReturnType<typeof overdueSenderAddresses>>[number]

let database: TestDatabase
let db: Kysely<ReadModels>

const [acme, other] = [asWorkspaceId(randomUUID()), asWorkspaceId(randomUUID())]
const AT = '2026-01-01T00:00:00.123Z'

/** The same in both workspaces, under the same contact and message ids: only the workspace tells them apart. */
const contactId = asContactId(randomUUID())
const messageId = asMessageId(randomUUID())
const keyId = asApiKeyId(randomUUID())

const workspace = (workspaceId: WorkspaceId, slug: string): readonly DomainEvent[] => [
  { type: 'WorkspaceCreated', data: { workspaceId, slug, name: slug.toUpperCase(), plan: 'pro', country: 'IL', tracking: false } },
  {
    type: 'ApiKeyCreated',
    data: {
      keyId: slug === 'acme' ? keyId : asApiKeyId(randomUUID()),
      name: 'server',
      prefix: 'sk_evt_00000000',
      hash: `hash of ${slug}`,
      ...byOperator,
    },
  },
  { type: 'SenderDomainConfigured', data: { domain: 'good.example', verified: true, blocklisted: false } },
  { type: 'SenderDomainConfigured', data: { domain: 'listed.example', verified: true, blocklisted: true } },
  { type: 'SenderDomainConfigured', data: { domain: 'new.example', verified: false, blocklisted: false } },
  ...['good.example', 'listed.example', 'new.example', 'unknown.example'].map(
    (domain): DomainEvent => ({
      type: 'SenderAddressConfigured',
      data: { addressId: randomUUID(), email: `hello@${domain}`, name: 'Acme', status: 'verified' },
    }),
  ),
  { type: 'SenderAddressConfigured', data: { addressId: randomUUID(), email: 'bare@good.example', name: null, status: 'verified' } },
  { type: 'SenderAddressConfigured', data: { addressId: randomUUID(), email: 'pending@good.example', name: null, status: 'pending' } },
]

const contact = (firstName: string): DomainEvent => ({
  type: 'ContactCreated',
  data: {
    contactId,
    email: 'ann@acme.example',
    emailClaimId: null,
    phone: null,
    phoneClaimId: null,
    source: 'api',
    firstName,
    lastName: null,
    timezone: null,
    locale: null,
    notes: null,
    tags: ['a "quoted", tag', '{}', 'NULL'],
    customProperties: { nested: { list: [1, null, 'x'] } },
  },
})

const email: DomainEvent = {
  type: 'EmailAccepted',
  data: {
    messageId,
    contactId,
    channel: 'email',
    to: 'ann@acme.example',
    fromEmail: 'hello@good.example',
    fromName: null,
    replyTo: null,
    content: null,
    contentId: null,
    templateId: null,
    kind: 'transactional',
  },
}

beforeAll(async () => {
  database = await testDatabase()
  db = kyselyOn<ReadModels>(database.pool)
  const log = memoryLog()
  for (const [workspaceId, slug] of [
    [acme, 'acme'],
    [other, 'other'],
  ] as const) {
    const at = (stream: string, events: readonly DomainEvent[]) =>
      write(
        log,
        events.map((event) => ({ workspaceId, stream, event, at: AT })),
      )
    await at(workspaceStream(workspaceId), workspace(workspaceId, slug))
    await at(contactStream(workspaceId, contactId), [contact(slug)])
    await at(messageStream(workspaceId, messageId), [email])
  }
  await runToHead({ pool: database.pool, log, projections })
})

afterAll(() => database.drop())

test('a workspace sees its own rows only, even under ids that another has too', async () => {
  for (const [workspaceId, slug] of [
    [acme, 'acme'],
    [other, 'other'],
  ] as const) {
    const mine = forWorkspace(db, workspaceId)
    const rows = await Promise.all([
      mine.workspace().selectAll().execute(),
      mine.apiKeys().selectAll().execute(),
      mine.senderDomains().selectAll().execute(),
      mine.senderAddresses().selectAll().execute(),
      mine.profiles().selectAll().execute(),
      mine.messages().selectAll().execute(),
    ])
    expect(rows.map((found) => found.length)).toEqual([1, 1, 3, 6, 1, 1])
    expect(new Set(rows.flat().map((found) => found.workspace_id))).toEqual(new Set([workspaceId]))
    expect(await mine.profiles().select('first_name').where('id', '=', contactId).execute()).toEqual([{ first_name: slug }])
    expect([await mine.profileTotal(), await mine.profileTotal('email:subscribed'), await mine.messageTotal()]).toEqual([1, 0, 1])
  }
  const unknown = forWorkspace(db, asWorkspaceId(randomUUID()))
  expect([await unknown.profiles().selectAll().execute(), await unknown.profileTotal(), await unknown.messageTotal()]).toEqual([[], 0, 0])
})

test('rows that are looked up by id at once are each of the workspace that asked', async () => {
  const [profile, message] = [profileById(db), messageStatusById(db)]
  const found = await Promise.all([
    profile(acme, contactId),
    profile(other, asContactId(contactId.toUpperCase())),
    profile(acme, asContactId(messageId)),
    profile(asWorkspaceId(randomUUID()), contactId),
    message(other, messageId),
    message(acme, asMessageId(contactId)),
  ])
  expect(found.map((row) => row?.workspace_id)).toEqual([acme, other, undefined, undefined, other, undefined])
  expect(found.slice(0, 2)).toMatchObject([{ first_name: 'acme' }, { first_name: 'other' }])
})

test('a profile is shown as it was written, null where nothing was', async () => {
  const found = await forWorkspace(db, acme).profiles().selectAll().executeTakeFirstOrThrow()
  expect(toProfile(found)).toEqual({
    id: contactId,
    email: 'ann@acme.example',
    phone: null,
    ...noDetails,
    firstName: 'acme',
    emailConsent: 'never_subscribed',
    smsConsent: 'never_subscribed',
    pushConsent: 'never_subscribed',
    emailConsentTimestamp: null,
    smsConsentTimestamp: null,
    pushConsentTimestamp: null,
    emailValidationState: 'unknown',
    customProperties: { nested: { list: [1, null, 'x'] } },
    tags: ['a "quoted", tag', '{}', 'NULL'],
    rfmTier: null,
    emailSuppressed: false,
    smsSuppressed: false,
    createdAt: AT,
    updatedAt: AT,
  })
})

test('a message is shown with its times', async () => {
  const found = await forWorkspace(db, acme).messages().selectAll().executeTakeFirstOrThrow()
  expect(toMessageStatus(found)).toEqual({
    id: messageId,
    channel: 'email',
    status: 'queued',
    failureReason: null,
    providerMessageId: null,
    queuedAt: AT,
    sentAt: null,
    deliveredAt: null,
    updatedAt: AT,
  })
})

test('only verified addresses on verified domains that no blocklist names may be sent from', async () => {
  const found = await forWorkspace(db, acme).usableSenderAddresses().select(['email', 'name']).orderBy('email').execute()
  expect(found.map(toSenderAddressOption)).toEqual([
    { value: 'bare@good.example', label: 'bare@good.example', fromName: null },
    { value: 'hello@good.example', label: 'Acme <hello@good.example>', fromName: 'Acme' },
  ])
})

test('a page of templates is what its window shows of the live ones of its workspace, with their number', async () => {
  const rows = Array.from({ length: 12 }, (_, n) => ({
    workspace_id: n === 11 ? other : acme,
    id: randomUUID(),
    name: `template ${n}`,
    channel: n % 3 === 0 ? ('sms' as const) : ('email' as const),
    archived: n === 10,
    merge_fields: [`field${n}`],
    // Two of them in each millisecond: the id decides.
    updated_at: new Date(Date.parse(AT) + (n >> 1)),
    created_at: AT,
    last_commit: 0,
    last_prepare: 0,
  }))
  await database.pool.query('insert into read.templates select * from json_populate_recordset(null::read.templates, $1)', [
    JSON.stringify(rows),
  ])
  const live = rows
    .filter(({ workspace_id, archived }) => workspace_id === acme && !archived)
    .toSorted((a, b) => b.updated_at.getTime() - a.updated_at.getTime() || (a.id < b.id ? 1 : -1))
  const pageOf = templatePages(db)
  const wanted = [undefined, 'email' as const, 'sms' as const, 'push' as const].flatMap((channel) =>
    [1, 4, 50].flatMap((limit) => [0, 3, 9, 100].map((offset) => ({ ...(channel && { channel }), limit, offset }))),
  )
  // All in one turn of the event loop, some of them twice.
  const pages = await Promise.all([...wanted, ...wanted.slice(0, 3)].map((window) => pageOf(acme, window)))
  for (const [n, { channel, limit, offset }] of wanted.entries()) {
    const all = live.filter((row) => channel === undefined || row.channel === channel)
    const shown = all
      .slice(offset, offset + limit)
      .map(({ id, name, channel: of, merge_fields }) => ({ id, name, channel: of, merge_fields }))
    expect(pages[n]).toMatchObject({ total: all.length, rows: shown })
  }
  expect(pages.slice(wanted.length)).toEqual(pages.slice(0, 3))
  const [failing, beside] = await Promise.allSettled([-1, 4].map((limit) => pageOf(acme, { limit, offset: 0 })))
  expect(failing?.status).toBe('rejected')
  expect(beside).toMatchObject({ status: 'fulfilled', value: { total: live.length } })
})

test('the id of a key or of a message leads to its workspace, and an unknown id leads nowhere', async () => {
  expect((await apiKeyById(db, keyId))?.workspace_id).toBe(acme)
  expect(await apiKeyById(db, asApiKeyId(randomUUID()))).toBeUndefined()
  expect(await workspacesOfMessages(db, [asMessageId(randomUUID())])).toEqual(new Map())
})

test('overdue sender addresses of all workspaces are paged, those whose links ended together too', async () => {
  const ids: readonly string[] = Array.from({ length: 6 }, () => randomUUID())
  const workspaceIds = ids.map((_, at) => (at % 2 === 0 ? acme : other))
  const ends = ['1 day', '2 days', '1 day', '1 day', '1 day', '3 days']
  await database.pool.query(
    `insert into read.sender_addresses (workspace_id, id, email, domain, status, confirm_by, created_at, updated_at, last_commit, last_prepare)
     select w, i, i || '@due.example', 'due.example', 'pending', date_trunc('day', now()) - ago, now(), now(), 0, 0
     from unnest($1::uuid[], $2::uuid[], $3::interval[]) as due (w, i, ago)
     union all select $4, gen_random_uuid(), 'done@due.example', 'due.example', 'verified', now() - interval '1 day', now(), now(), 0, 0
     union all select $4, gen_random_uuid(), 'early@due.example', 'due.example', 'pending', now() + interval '1 day', now(), now(), 0, 0`,
    [workspaceIds, ids, ends, acme],
  )
  const found: OverdueAddress[] = []
  for (let after: OverdueAddress | null = null; found.length <= ids.length; ) {
    const page: readonly OverdueAddress[] = await overdueSenderAddresses(db, { after, limit: 2 })
    found.push(...page)
    after = page.at(-1) ?? null
    if (after === null) break
  }
  expect(found.map(({ addressId }) => addressId).toSorted()).toEqual(ids.toSorted())
  expect(found.slice(0, 2).map(({ addressId }) => addressId)).toEqual([ids[5], ids[1]])
  expect(found.map(({ workspaceId, addressId }) => workspaceIds[ids.indexOf(addressId)] === workspaceId)).not.toContain(false)
})
