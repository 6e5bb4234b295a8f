import type { ApiKeyId, MessageId, WorkspaceId, WorkspaceStatus } from '@tidings/domain'
import { type Kysely, sql } from 'kysely'
import type { SmsSenderRow } from './tables/lookups.ts'
import type { SenderAddressRow, SenderDomainRow, WorkspaceRow } from './tables/workspaces.ts'
import type { ApiKeyRow, ReadModels, WaitingTextRow } from './tables.ts'

// What has to be found before the workspace is known, or of all workspaces for the service itself. Nothing else may look across workspaces.

/** Finds a key for the operator's commands, which name it by its id alone. */
export function apiKeyById(db: Kysely<ReadModels>, id: ApiKeyId): Promise<ApiKeyRow | undefined> {
  return db.withSchema('read').selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The workspaces in which an address is a user, for sign-in: at most `limit`, in the order of their ids. */
export async function workspacesOfUser(
  db: Kysely<ReadModels>,
  { email, limit }: Readonly<{ email: string; limit: number }>,
): Promise<readonly WorkspaceId[]> {
  const rows = db.withSchema('read').selectFrom('users').select('workspace_id').distinct().where('email', '=', email)
  return (await rows.orderBy('workspace_id').limit(limit).execute()).map(({ workspace_id }) => workspace_id)
}

/** The addresses of these users, whichever workspace they are of, for operators; those of users who were removed are left out. */
export async function addressesOfUsers(db: Kysely<ReadModels>, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.withSchema('read').selectFrom('users').select(['id', 'email']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, email }) => [id, email]))
}

/** The workspaces of messages that a provider's receipts name by the ids of our API, by message, without those that are not shown. */
export async function workspacesOfMessages(db: Kysely<ReadModels>, ids: readonly MessageId[]): Promise<ReadonlyMap<string, WorkspaceId>> {
  if (ids.length === 0) return new Map()
  const rows = await db.withSchema('read').selectFrom('messages').select(['id', 'workspace_id']).where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row.workspace_id]))
}

/** The same, by what a mail server calls the messages; null for a name that several have, since servers use theirs anew. */
export async function messagesOfProviderIds(
  db: Kysely<ReadModels>,
  names: readonly string[],
): Promise<ReadonlyMap<string, FoundMessage | null>> {
  if (names.length === 0) return new Map()
  // Two rows of a name are enough to know that it is not one message's: a server that calls all mails alike has a row for each.
  const { rows } = await sql<FoundMessage & Readonly<{ name: string }>>`
    select n.name, m.workspace_id as "workspaceId", m.message_id as "messageId" from unnest(${[...new Set(names)]}::text[]) n (name)
    cross join lateral (select workspace_id, message_id from read.provider_ids where provider_message_id = n.name limit 2) m`.execute(db)
  const found = new Map<string, FoundMessage | null>()
  for (const { name, workspaceId, messageId } of rows) found.set(name, found.has(name) ? null : { workspaceId, messageId })
  return found
}

type FoundMessage = Readonly<{ workspaceId: WorkspaceId; messageId: MessageId }>

/** The same, of the last mails that asked sender addresses to confirm: they are no messages of the API. */
export async function workspacesOfConfirmations(db: Kysely<ReadModels>, ids: readonly string[]): Promise<ReadonlyMap<string, WorkspaceId>> {
  if (ids.length === 0) return new Map()
  const addresses = db.withSchema('read').selectFrom('sender_addresses').select(['confirmation_id as id', 'workspace_id'])
  const rows = await addresses.where('confirmation_id', 'in', ids).execute()
  return new Map(rows.flatMap(({ id, workspace_id }) => (id === null ? [] : [[id, workspace_id] as const])))
}

/** The workspaces that have one of these sender IDs, in the order of their ids, for the operator's commands. Every sender ID is read. */
export async function workspacesWithSender(db: Kysely<ReadModels>, senderIds: readonly string[]): Promise<readonly WorkspaceId[]> {
  if (senderIds.length === 0) return []
  const rows = db.withSchema('read').selectFrom('sms_senders').select('workspace_id').distinct().where('sender_id', 'in', senderIds)
  return (await rows.orderBy('workspace_id').execute()).map(({ workspace_id }) => workspace_id)
}

/** The workspaces that credits are held in, after `after`, in the order of their ids: for the sweep, which looks at all of them. */
export async function workspacesWithHolds(
  db: Kysely<ReadModels>,
  { after, limit }: Readonly<{ after: WorkspaceId; limit: number }>,
): Promise<readonly WorkspaceId[]> {
  const wallets = db.withSchema('read').selectFrom('wallets').select('workspace_id')
  const rows = await wallets.where('open_holds', '>', 0).where('workspace_id', '>', after).orderBy('workspace_id').limit(limit).execute()
  return rows.map(({ workspace_id }) => workspace_id)
}

/** A page of the workspaces for operators, by slug. `available`: null where it never had credits. `waiting`: sender IDs that are to be decided about. */
type PageOfWorkspaces = Readonly<{ search: string; status: WorkspaceStatus | null; after: string; limit: number }>
type ListedWorkspace = Readonly<Pick<WorkspaceRow, 'slug' | 'name' | 'plan' | 'status'>> &
  Readonly<{ id: WorkspaceId; createdAt: Date; profiles: number; available: number | null; waiting: number }>

/** What is searched for is a part of the slug or the name, in any case of its letters. */
export async function pageOfWorkspaces(
  db: Kysely<ReadModels>,
  { search, status, after, limit }: PageOfWorkspaces,
): Promise<readonly ListedWorkspace[]> {
  const { rows } = await sql<ListedWorkspace>`
    select w.workspace_id as id, w.slug, w.name, w.plan, w.status, w.created_at as "createdAt",
      coalesce((select total from read.profile_totals p where p.workspace_id = w.workspace_id and p.bucket = 'all'), 0)::float8 as profiles,
      (select (balance - held)::float8 from read.wallets c where c.workspace_id = w.workspace_id) as available,
      (select count(*)::float8 from read.sms_senders s where s.workspace_id = w.workspace_id and s.status = 'pending') as waiting
    from read.workspaces w where w.slug > ${after} and (${status}::text is null or w.status = ${status})
      and (position(lower(${search}) in w.slug) > 0 or position(lower(${search}) in lower(w.name)) > 0)
    order by w.slug limit ${limit}`.execute(db)
  return rows
}

/** The workspace of a slug, for operators. */
export function workspaceOfSlug(db: Kysely<ReadModels>, slug: string): Promise<WorkspaceRow | undefined> {
  return db.withSchema('read').selectFrom('workspaces').selectAll().where('slug', '=', slug).executeTakeFirst()
}

/** The slugs of these workspaces, for operators; what has none is left out. */
export async function slugsOfWorkspaces(db: Kysely<ReadModels>, ids: readonly WorkspaceId[]): Promise<ReadonlyMap<WorkspaceId, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .withSchema('read')
    .selectFrom('workspaces')
    .select(['slug', 'workspace_id'])
    .where('workspace_id', 'in', ids)
    .execute()
  return new Map(rows.map(({ slug, workspace_id }) => [workspace_id, slug]))
}

type OfWorkspace<Row> = Row & Readonly<{ slug: string; workspace_name: string }>
type UndecidedSenders = Readonly<{
  smsSenders: readonly OfWorkspace<SmsSenderRow>[]
  domains: readonly OfWorkspace<SenderDomainRow>[]
  addresses: readonly OfWorkspace<SenderAddressRow>[]
}>

/** The senders of workspaces that are not closed which are neither proved nor decided about, `limit` of each kind, oldest first. Every sender is read. */
export async function undecidedSenders(db: Kysely<ReadModels>, limit: number): Promise<UndecidedSenders> {
  const of = sql`w.slug, w.name as workspace_name from`
  const open = sql`join read.workspaces w using (workspace_id) where w.status <> 'closed' and`
  const [smsSenders, domains, addresses] = await Promise.all([
    sql<OfWorkspace<SmsSenderRow>>`select s.*, ${of} read.sms_senders s ${open} s.status = 'pending'
      order by s.updated_at, s.workspace_id, s.sender_id limit ${limit}`.execute(db),
    sql<OfWorkspace<SenderDomainRow>>`select s.*, ${of} read.sender_domains s ${open} s.said_verified is null and not s.verified
      order by s.configured_at, s.workspace_id, s.domain limit ${limit}`.execute(db),
    sql<OfWorkspace<SenderAddressRow>>`select s.*, ${of} read.sender_addresses s ${open} s.status <> 'verified'
      order by s.updated_at, s.workspace_id, s.id limit ${limit}`.execute(db),
  ])
  return { smsSenders: smsSenders.rows, domains: domains.rows, addresses: addresses.rows }
}

/** The held credits of all workspaces, their messages, and the number of wallets that can spend less than `threshold`. */
export type WalletTotals = Readonly<{ openHolds: number; held: number; low: number }>

/** Sums for metrics. Reads every wallet: a row of some 60 bytes a workspace. */
export async function walletTotals(db: Kysely<ReadModels>, threshold: number): Promise<WalletTotals> {
  const { rows } =
    await sql<WalletTotals>`select coalesce(sum(open_holds), 0)::float8 as "openHolds", coalesce(sum(held), 0)::float8 as held,
    (count(*) filter (where balance - held < ${threshold}))::float8 as low from read.wallets`.execute(db)
  return rows[0] ?? { openHolds: 0, held: 0, low: 0 }
}

/** All workspaces in the order of the slugs, for the operator's commands over the whole installation. */
export async function allWorkspaces(db: Kysely<ReadModels>): Promise<readonly Readonly<{ slug: string; workspaceId: WorkspaceId }>[]> {
  const rows = await db.withSchema('read').selectFrom('workspaces').select(['slug', 'workspace_id']).orderBy('slug').execute()
  return rows.map(({ slug, workspace_id }) => ({ slug, workspaceId: workspace_id }))
}

type OverdueAddress = Readonly<{ workspaceId: WorkspaceId; addressId: string; confirmBy: Date }>

/** Pending sender addresses of all workspaces whose link has ended, after `after`, in the order in which the links ended. */
export async function overdueSenderAddresses(
  db: Kysely<ReadModels>,
  { after, limit }: Readonly<{ after: OverdueAddress | null; limit: number }>,
): Promise<readonly OverdueAddress[]> {
  const order = ['confirm_by', 'workspace_id', 'id'] as const
  const pending = db.withSchema('read').selectFrom('sender_addresses').select(order).where('status', '=', 'pending')
  const overdue = pending.where('confirm_by', '<', sql<Date>`now()`)
  const behind =
    after &&
    overdue.where(({ eb, refTuple, tuple }) => eb(refTuple(...order), '>', tuple(after.confirmBy, after.workspaceId, after.addressId)))
  const rows = await (behind ?? overdue).orderBy('confirm_by').orderBy('workspace_id').orderBy('id').limit(limit).execute()
  return rows.flatMap(({ confirm_by, workspace_id, id }) =>
    confirm_by === null ? [] : [{ workspaceId: workspace_id, addressId: id, confirmBy: confirm_by }],
  )
}

/** A workspace's texts do not count from `since` on; null: none of them does. */
type LeftOut = Readonly<{ workspaceId: WorkspaceId; since: string | null }>

/**
 * The workspace that last wrote to a number through a sender (N188): among all workspaces, `workspaceId` alone, or all without the texts that `without`
 * leaves out. If no text is known to have left, it is the one whose text waits: its provider's yes may not be in the log yet. `phone` in E.164,
 * `senderKey` of `smsSenderKey`.
 */
export function lastSmsTo(
  db: Kysely<ReadModels>,
  {
    phone,
    senderKey,
    workspaceId,
    without = [],
  }: Readonly<{ phone: string; senderKey: string; workspaceId?: WorkspaceId; without?: readonly LeftOut[] }>,
): Promise<Omit<WaitingTextRow, 'accepted_at'> | undefined> {
  const columns = ['workspace_id', 'message_id', 'contact_id', 'sender_key', 'sender', 'phone'] as const
  const read = db.withSchema('read')
  const [ids, since] = [without.map((one) => one.workspaceId), without.map((one) => one.since ?? '-infinity')]
  const isAsked = (at: 'last_at' | 'accepted_at') =>
    workspaceId === undefined
      ? sql<boolean>`not exists (select from unnest(${ids}::uuid[], ${since}::timestamptz[]) o (id, since)
          where o.id = workspace_id and o.since <= ${sql.ref(at)})`
      : sql<boolean>`workspace_id = ${workspaceId}`
  const written = read.selectFrom('sms_recipients').select([...columns, sql<boolean>`true`.as('written'), 'last_at as at'])
  const waiting = read.selectFrom('waiting_texts').select([...columns, sql<boolean>`false`.as('written'), 'accepted_at as at'])
  // One statement reads both, because a row moves from one table to the other.
  const rows = written.where('phone', '=', phone).where('sender_key', '=', senderKey).where(isAsked('last_at'))
  const all = rows.unionAll(waiting.where('phone', '=', phone).where('sender_key', '=', senderKey).where(isAsked('accepted_at')))
  return all.orderBy('written', 'desc').orderBy('at', 'desc').limit(1).executeTakeFirst()
}

/** The numbers among these that were written to through the sender, at most two. */
export async function writtenAmong(
  db: Kysely<ReadModels>,
  { phones, senderKey }: Readonly<{ phones: readonly string[]; senderKey: string }>,
): Promise<readonly string[]> {
  const { rows } = await sql<Readonly<{ phone: string }>>`
    select phone from read.sms_recipients where phone = any (${phones}::text[]) and sender_key = ${senderKey}
    union select phone from read.waiting_texts where phone = any (${phones}::text[]) and sender_key = ${senderKey}
    order by phone limit 2`.execute(db)
  return rows.map(({ phone }) => phone)
}

/** A metric over all workspaces: campaigns that are being sent, and their messages that wait. It reads a row a campaign. */
export async function campaignsUnderWay(db: Kysely<ReadModels>): Promise<Readonly<{ sending: number; queued: number }>> {
  const { fn } = db
  const read = db.withSchema('read')
  const sending = read.selectFrom('campaigns').select(fn.countAll().as('campaigns')).where('status', '=', 'sending')
  const queued = read.selectFrom('campaign_results').select(fn.sum('messages').as('messages')).where('outcome', '=', 'queued')
  const [campaigns, messages] = await Promise.all([sending.executeTakeFirst(), queued.executeTakeFirst()])
  return { sending: Number(campaigns?.campaigns ?? 0), queued: Number(messages?.messages ?? 0) }
}

/** A metric over all workspaces: names that event catalogues did not take, or dropped for newer ones. It reads a row a workspace. */
export async function ignoredByCatalogue(db: Kysely<ReadModels>): Promise<Readonly<{ names: number; properties: number }>> {
  const { fn } = db
  const sums = db.withSchema('read').selectFrom('observed_event_totals')
  const found = await sums.select([fn.sum('ignored_names').as('names'), fn.sum('ignored_properties').as('properties')]).executeTakeFirst()
  return { names: Number(found?.names ?? 0), properties: Number(found?.properties ?? 0) }
}
