import type { ListId, WorkspaceId } from '@tidings/domain'
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { type ProfilesStand, standColumns, type WrittenRow, writtenSince } from './changed-profiles.ts'
import type { ProfileBucket, ReadModels } from './tables.ts'
import type { Direction } from './timeline.ts'

type CreatedText = Pick<ReadModels['profile_search'], 'id' | 'created_at' | 'text'>
type Rows<Table extends keyof ReadModels> = SelectQueryBuilder<ReadModels, Table, object>

/** Every query of a workspace's rows starts with one of these: the workspace condition is already in it. */
export type WorkspaceQueries = Readonly<{
  workspace: () => Rows<'workspaces'>
  apiKeys: () => Rows<'api_keys'>
  users: () => Rows<'users'>
  senderDomains: () => Rows<'sender_domains'>
  senderAddresses: () => Rows<'sender_addresses'>
  templates: () => Rows<'templates'>
  tags: () => Rows<'tags'>
  lists: () => Rows<'lists'>
  listMembers: () => Rows<'list_members'>
  profiles: () => Rows<'profiles'>
  profileSearch: () => Rows<'profile_search'>
  suppressions: () => Rows<'suppressions'>
  consentHistory: () => Rows<'consent_history'>
  contactTimeline: () => Rows<'contact_timeline'>
  audit: () => Rows<'audit'>
  messages: () => Rows<'messages'>
  webhooks: () => Rows<'webhooks'>
  customFields: () => Rows<'custom_fields'>
  smsSenders: () => Rows<'sms_senders'>
  customEvents: () => Rows<'custom_events'>
  forms: () => Rows<'forms'>
  campaigns: () => Rows<'campaigns'>
  campaignResults: () => Rows<'campaign_results'>
  campaignResponses: () => Rows<'campaign_responses'>
  wallets: () => Rows<'wallets'>
  messageHours: () => Rows<'message_hours'>
  consentHours: () => Rows<'consent_hours'>
  consentTotals: () => Rows<'consent_totals'>
  flows: () => Rows<'flows'>
  flowRuns: () => Rows<'flow_runs'>
  flowSteps: () => Rows<'flow_steps'>
  activityFacts: () => Rows<'activity_facts'>
  observedEvents: () => Rows<'observed_events'>
  /** Addresses that may be sent from: verified, on a domain that is verified and on no blocklist (contract: Lookup lists). */
  usableSenderAddresses: () => SelectQueryBuilder<ReadModels, 'sender_addresses' | 'sender_domains', object>
  /** Exact, maintained with the rows: one row read, however many there are. */
  profileTotal: (bucket?: ProfileBucket) => Promise<number>
  /** How the profiles stand, as columns of a statement that counts some of them, so that both see the same moment. */
  profilesStand: () => ReturnType<typeof standColumns>
  /** Rows of `profile_search` that were written since the profiles stood so: `atMost` of them, and one to show that there are more. */
  searchWrittenSince: (stand: ProfilesStand, atMost: number) => SelectQueryBuilder<ReadModels & { written: WrittenRow }, 'written', object>
  /** What a search looks through of the profiles that were created first, or last. */
  firstSearched: (direction: Direction, atMost: number) => SelectQueryBuilder<ReadModels & { first: CreatedText }, 'first', object>
  messageTotal: () => Promise<number>
  /** Zero for an unknown list. */
  listTotal: (listId: ListId) => Promise<number>
}>

/** The read models of one workspace. There is no other way to them, except the named look-ups of `look-ups.ts`. */
export function forWorkspace(db: Kysely<ReadModels>, workspaceId: WorkspaceId): WorkspaceQueries {
  const read = db.withSchema('read')
  return {
    workspace: () => read.selectFrom('workspaces').where('workspaces.workspace_id', '=', workspaceId),
    apiKeys: () => read.selectFrom('api_keys').where('api_keys.workspace_id', '=', workspaceId),
    users: () => read.selectFrom('users').where('users.workspace_id', '=', workspaceId),
    senderDomains: () => read.selectFrom('sender_domains').where('sender_domains.workspace_id', '=', workspaceId),
    senderAddresses: () => read.selectFrom('sender_addresses').where('sender_addresses.workspace_id', '=', workspaceId),
    templates: () => read.selectFrom('templates').where('templates.workspace_id', '=', workspaceId),
    tags: () => read.selectFrom('tags').where('tags.workspace_id', '=', workspaceId),
    lists: () => read.selectFrom('lists').where('lists.workspace_id', '=', workspaceId),
    listMembers: () => read.selectFrom('list_members').where('list_members.workspace_id', '=', workspaceId),
    profiles: () => read.selectFrom('profiles').where('profiles.workspace_id', '=', workspaceId),
    profileSearch: () => read.selectFrom('profile_search').where('profile_search.workspace_id', '=', workspaceId),
    suppressions: () => read.selectFrom('suppressions').where('suppressions.workspace_id', '=', workspaceId),
    consentHistory: () => read.selectFrom('consent_history').where('consent_history.workspace_id', '=', workspaceId),
    contactTimeline: () => read.selectFrom('contact_timeline').where('contact_timeline.workspace_id', '=', workspaceId),
    audit: () => read.selectFrom('audit').where('audit.workspace_id', '=', workspaceId),
    messages: () => read.selectFrom('messages').where('messages.workspace_id', '=', workspaceId),
    webhooks: () => read.selectFrom('webhooks').where('webhooks.workspace_id', '=', workspaceId),
    forms: () => read.selectFrom('forms').where('forms.workspace_id', '=', workspaceId),
    customFields: () => read.selectFrom('custom_fields').where('custom_fields.workspace_id', '=', workspaceId),
    smsSenders: () => read.selectFrom('sms_senders').where('sms_senders.workspace_id', '=', workspaceId),
    customEvents: () => read.selectFrom('custom_events').where('custom_events.workspace_id', '=', workspaceId),
    campaigns: () => read.selectFrom('campaigns').where('campaigns.workspace_id', '=', workspaceId),
    campaignResults: () => read.selectFrom('campaign_results').where('campaign_results.workspace_id', '=', workspaceId),
    campaignResponses: () => read.selectFrom('campaign_responses').where('campaign_responses.workspace_id', '=', workspaceId),
    wallets: () => read.selectFrom('wallets').where('wallets.workspace_id', '=', workspaceId),
    messageHours: () => read.selectFrom('message_hours').where('message_hours.workspace_id', '=', workspaceId),
    consentHours: () => read.selectFrom('consent_hours').where('consent_hours.workspace_id', '=', workspaceId),
    consentTotals: () => read.selectFrom('consent_totals').where('consent_totals.workspace_id', '=', workspaceId),
    flows: () => read.selectFrom('flows').where('flows.workspace_id', '=', workspaceId),
    flowRuns: () => read.selectFrom('flow_runs').where('flow_runs.workspace_id', '=', workspaceId),
    flowSteps: () => read.selectFrom('flow_steps').where('flow_steps.workspace_id', '=', workspaceId),
    activityFacts: () => read.selectFrom('activity_facts').where('activity_facts.workspace_id', '=', workspaceId),
    observedEvents: () => read.selectFrom('observed_events').where('observed_events.workspace_id', '=', workspaceId),
    usableSenderAddresses: () =>
      read
        .selectFrom('sender_addresses')
        .innerJoin('sender_domains', (on) =>
          on
            .onRef('sender_domains.workspace_id', '=', 'sender_addresses.workspace_id')
            .onRef('sender_domains.domain', '=', 'sender_addresses.domain'),
        )
        .where('sender_addresses.workspace_id', '=', workspaceId)
        .where('sender_addresses.status', '=', 'verified')
        .where('sender_domains.verified', '=', true)
        .where('sender_domains.blocklisted', '=', false),
    profileTotal: (bucket = 'all') => profileTotal(read, workspaceId, bucket),
    profilesStand: () => standColumns(workspaceId),
    searchWrittenSince: ({ mark }, atMost) => read.selectFrom(sql<WrittenRow>`(${writtenSince(workspaceId, mark, atMost)})`.as('written')),
    firstSearched: (direction, atMost) => firstSearched(read, workspaceId, { direction, atMost }),
    messageTotal: () => messageTotal(read, workspaceId),
    listTotal: (listId) => listTotal(read, workspaceId, listId),
  }
}

const counterOf = (read: Kysely<ReadModels>, workspaceId: WorkspaceId, bucket: ProfileBucket) =>
  read.selectFrom('profile_totals').where('workspace_id', '=', workspaceId).where('bucket', '=', bucket)

type FirstPage = Readonly<{ direction: Direction; atMost: number }>

const firstSearched = (read: Kysely<ReadModels>, workspaceId: WorkspaceId, { direction, atMost }: FirstPage) => {
  const all = read.selectFrom('profile_search').select(['id', 'created_at', 'text']).where('workspace_id', '=', workspaceId)
  return read.selectFrom(all.orderBy('created_at', direction).orderBy('id', direction).limit(atMost).as('first'))
}

const profileTotal = async (read: Kysely<ReadModels>, workspaceId: WorkspaceId, bucket: ProfileBucket): Promise<number> =>
  Number((await counterOf(read, workspaceId, bucket).select('total').executeTakeFirst())?.total ?? 0n)

const messageTotal = async (read: Kysely<ReadModels>, workspaceId: WorkspaceId): Promise<number> => {
  const query = read.selectFrom('message_totals').select('total').where('workspace_id', '=', workspaceId)
  return Number((await query.executeTakeFirst())?.total ?? 0n)
}

const listTotal = async (read: Kysely<ReadModels>, workspaceId: WorkspaceId, listId: ListId): Promise<number> => {
  const query = read.selectFrom('list_totals').select('total').where('workspace_id', '=', workspaceId).where('list_id', '=', listId)
  return Number((await query.executeTakeFirst())?.total ?? 0n)
}
