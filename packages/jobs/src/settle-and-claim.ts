import type { WorkspaceId } from '@tidings/domain'
import { storableText } from '@tidings/postgres'
import type { Pool } from 'pg'
import type { Deferral, Job } from './job.ts'
import type { WorkspaceCounts } from './workspace-counts.ts'

/** A claimed job with what proves the claim. `lane` and `token` are int8 texts: they only travel back. */
export type Claimed = Job & Readonly<{ lane: string; token: string }>
/** One job of a kind. */
export function idOf({ lane, seq }: Claimed): string {
  return `${lane}/${seq}`
}
/** `again` null: the job is done. */
export type Settled = Readonly<{ job: Claimed; again: Deferral | null }>
/** `ended`: the token of a bundle of which every job is done; `unbundled`: of one that becomes rows. */
export type Settlement = Settled | Readonly<{ ended: string }> | Readonly<{ unbundled: string }>
/** `after`: where the claim goes on among the workspaces; as the last answer said, null to begin with the first. */
export type Round = Readonly<{
  kind: string
  settled: readonly Settlement[]
  limit: number
  leaseMs: number
  after: WorkspaceId | null
  has?: ClaimedPerWorkspace
}>
/** How many claimed jobs this process has of each workspace that has some; without it, slots are not shared. */
export type ClaimedPerWorkspace = ReturnType<WorkspaceCounts['columns']>
/** `more`: something due is left to a later claim. */
export type RoundAnswer = Readonly<{ claimed: readonly Claimed[]; after: WorkspaceId | null; more: boolean }>

const TEXT = `select lane::text, seq::text, token::text, workspace_id, attempt, payload, next_after, taken_over, claimed_before, more, handed_to
from inbox.settle_and_claim($1, $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::boolean[], $7::boolean[], $8::text[], $9::uuid[],
  $10::text[], $11::bigint[], $12::bigint[], $13, $14, $15, $16::uuid[], $17::integer[], $18::boolean[])`

type SettleAndClaimRow = [
  string | null,
  string,
  string,
  WorkspaceId,
  number,
  string,
  WorkspaceId | null,
  boolean,
  boolean,
  boolean,
  string | null,
]

const list = (values: readonly (string | bigint | number | boolean | null)[]): string =>
  `{${values.map((value) => value ?? 'NULL').join(',')}}`

/** Settles jobs and claims what is due, shared by workspace: `limit` slots are free. One statement, one transaction, not durable before the next fsync. */
export async function settleAndClaim(pool: Pool, { kind, settled: all, limit, leaseMs, after, has }: Round): Promise<RoundAnswer> {
  const settled = all.filter((one) => 'job' in one)
  const { rows } = await pool.query<SettleAndClaimRow>({
    name: 'inbox-settle-and-claim',
    text: TEXT,
    rowMode: 'array',
    values: [
      kind,
      list(settled.map(({ job }) => job.lane)),
      list(settled.map(({ job }) => job.seq)),
      list(settled.map(({ job }) => job.token)),
      list(settled.map(({ again }) => (again === null ? null : Math.round(again.inMs)))),
      list(settled.map(({ again }) => again?.counts ?? null)),
      list(settled.map(({ again }) => again?.isAside ?? false)),
      list(settled.map(({ again }) => again?.deferredFor ?? null)),
      list(settled.map(({ again }) => again?.deferredBy ?? null)),
      // An error's text may come from a remote server; a NUL in it would fail every round.
      settled.map(({ again }) => (again?.error === undefined ? null : storableText(again.error))),
      list(all.flatMap((one) => ('ended' in one ? [one.ended] : []))),
      list(all.flatMap((one) => ('unbundled' in one ? [one.unbundled] : []))),
      limit,
      leaseMs,
      after,
      has?.workspaces ?? null,
      has?.counts ?? null,
      list(settled.map(({ again }) => again?.wasNotHandedOver ?? false)),
    ],
  })
  return { claimed: rows.flatMap(toClaimed), after: rows[0]?.[6] ?? null, more: rows[0]?.[9] ?? false }
}

const toClaimed = ([
  lane,
  seq,
  token,
  workspaceId,
  attempt,
  payload,
  ,
  takenOver,
  claimedBefore,
  ,
  handedTo,
]: SettleAndClaimRow): Claimed[] => {
  if (lane === null) return []
  const job = { lane, seq: BigInt(seq), token, workspaceId, attempt, payload, takenOver, claimedBefore }
  return [handedTo === null ? job : { ...job, handedTo }]
}
