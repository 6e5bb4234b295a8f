import type { SenderAddressStatus, WorkspaceStatus } from '@tidings/domain'
import { createReferenceCache, type ReferenceCache } from '@tidings/log-views'
import type { Pool } from 'pg'
import type { DirectoryWorkspace } from '../directory.ts'
import { rowsAtCheckpoint } from './at-checkpoint.ts'

type Domain = Readonly<{ domain: string; verified: boolean; blocklisted: boolean }>
type Address = Readonly<{ email: string; name: string | null; status: SenderAddressStatus }>
type Row = Readonly<{
  n: number
  workspace_id: string
  slug: string
  name: string
  status: WorkspaceStatus
  country: string
  tracking: boolean
  domains: readonly Domain[] | null
  addresses: readonly Address[] | null
}>

const toWorkspace = ({ workspace_id, slug, name, status, country, tracking, domains, addresses }: Row): DirectoryWorkspace => ({
  workspaceId: workspace_id,
  slug,
  name,
  status,
  country,
  tracking,
  senderDomains: new Map((domains ?? []).map(({ domain, verified, blocklisted }) => [domain, { verified, blocklisted }])),
  senderAddresses: new Map((addresses ?? []).map(({ email, name: fromName, status: inbox }) => [email, { name: fromName, status: inbox }])),
})

const changed = ({ meta }: Readonly<{ meta: Readonly<{ workspaceId: string }> }>): readonly string[] => [meta.workspaceId]

/** Workspaces by id, each with its senders. */
export function workspacesById(pool: Pool): ReferenceCache<DirectoryWorkspace> {
  return createReferenceCache({
    name: 'workspaces',
    max: 5_000,
    invalidates: {
      WorkspaceSettingsChanged: changed,
      WorkspaceStatusChanged: changed,
      SenderDomainConfigured: changed,
      SenderAddressConfigured: changed,
    },
    load: rowsAtCheckpoint<Row, DirectoryWorkspace>(pool, {
      name: 'directory workspaces',
      projections: ['workspaces', 'sender_addresses'],
      values: (ids) => [ids],
      toEntry: toWorkspace,
      select: `select keys.n::int as n, w.workspace_id, w.slug, w.name, w.status, w.country, w.tracking,
          (select json_agg(json_build_object('domain', d.domain, 'verified', d.verified, 'blocklisted', d.blocklisted))
           from read.sender_domains d where d.workspace_id = w.workspace_id) as domains,
          (select json_agg(json_build_object('email', a.email, 'name', a.name, 'status', a.status))
           from read.sender_addresses a where a.workspace_id = w.workspace_id) as addresses
        from unnest($2::uuid[]) with ordinality keys(id, n) join read.workspaces w on w.workspace_id = keys.id`,
    }),
  })
}
