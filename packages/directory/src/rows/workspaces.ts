import { asciiDomain, emailKey } from '@tidings/addresses'
import {
  type SenderAddressStatus,
  type SenderIdStatus,
  senderIdsDeclarations,
  type WorkspaceId,
  type WorkspacePlan,
  type WorkspaceStatus,
  workspaceDeclarations,
} from '@tidings/domain'
import { createReferenceCache, type ReferenceCache } from '@tidings/log-views'
import type { Pool } from 'pg'
import type { DirectoryWorkspace } from '../directory.ts'
import { rowsAtCheckpoint } from './at-checkpoint.ts'
import { byWorkspace } from './by-workspace.ts'

type Domain = Readonly<{ domain: string; verified: boolean; blocklisted: boolean }>
type Address = Readonly<{ email: string; name: string | null; status: SenderAddressStatus }>
type SmsSender = Readonly<{ senderId: string; status: SenderIdStatus }>
type DirectoryWorkspaceRow = Readonly<{
  n: number
  workspace_id: WorkspaceId
  slug: string
  name: string
  plan: WorkspacePlan
  status: WorkspaceStatus
  country: string
  tracking: boolean
  domains: readonly Domain[] | null
  addresses: readonly Address[] | null
  sms_senders: readonly SmsSender[] | null
}>

const toWorkspace = ({
  workspace_id,
  domains,
  addresses,
  sms_senders,
  slug,
  name,
  plan,
  status,
  country,
  tracking,
}: DirectoryWorkspaceRow): DirectoryWorkspace => ({
  workspaceId: workspace_id,
  slug,
  name,
  plan,
  status,
  country,
  tracking,
  // A log from before M46 may have a domain in two spellings: the one that is verified counts.
  senderDomains: new Map(
    (domains ?? [])
      .toSorted((one, other) => Number(one.verified) - Number(other.verified))
      .map(({ domain, verified, blocklisted }) => [asciiDomain(domain), { verified, blocklisted }]),
  ),
  senderAddresses: new Map(
    (addresses ?? []).map(({ email, name: fromName, status: inbox }) => [emailKey(email), { name: fromName, status: inbox }]),
  ),
  smsSenders: new Map((sms_senders ?? []).map((sender) => [sender.senderId.toLowerCase(), sender])),
})

/** Workspaces by id, each with its senders. */
export function workspacesById(pool: Pool): ReferenceCache<DirectoryWorkspace> {
  return createReferenceCache({
    name: 'workspaces',
    max: 5_000,
    invalidates: byWorkspace(workspaceDeclarations, senderIdsDeclarations),
    load: rowsAtCheckpoint<DirectoryWorkspaceRow, DirectoryWorkspace>(pool, {
      name: 'directory workspaces',
      projections: ['workspaces', 'sender_addresses', 'sms_senders'],
      values: (ids) => [ids],
      toEntry: toWorkspace,
      select: `select keys.n::int as n, w.workspace_id, w.slug, w.name, w.plan, w.status, w.country, w.tracking,
          (select json_agg(json_build_object('domain', d.domain, 'verified', d.verified, 'blocklisted', d.blocklisted))
           from read.sender_domains d where d.workspace_id = w.workspace_id) as domains,
          (select json_agg(json_build_object('email', a.email, 'name', a.name, 'status', a.status))
           from read.sender_addresses a where a.workspace_id = w.workspace_id) as addresses,
          (select json_agg(json_build_object('senderId', s.sender_id, 'status', s.status) order by s.created_at, s.sender_id)
           from read.sms_senders s where s.workspace_id = w.workspace_id) as sms_senders
        from unnest($2::uuid[]) with ordinality keys(id, n) join read.workspaces w on w.workspace_id = keys.id`,
    }),
  })
}
