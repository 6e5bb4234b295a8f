import type { ClientBase } from 'pg'
import { announceInside } from './due-channel.ts'
import type { NewJob } from './job.ts'
import type { Claimed, ClaimedPerWorkspace } from './settle-and-claim.ts'

/**
 * Admits a batch inside the caller's transaction; what it returns must be called once that transaction has committed, and never otherwise.
 * Keeps the lock of the kind until the transaction ends: admit last, commit at once.
 */
export type Admission = (tx: ClientBase, jobs: readonly NewJob[]) => Promise<() => void>

/** Admits jobs that another process runs. */
export function admission(kind: string): Admission {
  return async (tx, jobs) => {
    const { added } = await admit(tx, kind, jobs)
    if (added > 0) await announceInside(tx, kind)
    return () => undefined
  }
}

/** `room`: how many of the admitted may be claimed at once, for `leaseMs`, shared with what this process `has` of each workspace. */
export type Room = Readonly<{ room: number; leaseMs: number; has?: ClaimedPerWorkspace }>

const NO_ROOM: Room = { room: 0, leaseMs: 0 }

/** `added`: how many were new; a job that already waits stays as it is. */
export type Admitted = Readonly<{ added: number; claimed: readonly Claimed[] }>

type AdmittedRow = [added: number, nth: number | null, lane: string, token: string]

/** Admits a batch in one statement, and claims what need not wait as far as there is room; that saves each such job its claim. */
export async function admit(
  tx: ClientBase,
  kind: string,
  jobs: readonly NewJob[],
  { room, leaseMs, has }: Room = NO_ROOM,
): Promise<Admitted> {
  if (jobs.length === 0) return { added: 0, claimed: [] }
  const { rows } = await tx.query<AdmittedRow>({
    name: 'inbox-admit',
    text: 'select added, nth, lane::text, token::text from inbox.admit($1, $2::uuid[], $3::text[], $4::bigint[], $5::text[], $6, $7, $8::uuid[], $9::integer[])',
    rowMode: 'array',
    values: [
      kind,
      `{${jobs.map((job) => job.workspaceId).join(',')}}`,
      jobs.map((job) => job.lane),
      `{${jobs.map((job) => job.seq).join(',')}}`,
      jobs.map((job) => job.payload),
      room,
      leaseMs,
      has?.workspaces ?? null,
      has?.counts ?? null,
    ],
  })
  return { added: rows[0]?.[0] ?? 0, claimed: rows.flatMap((row) => toClaimed(row, jobs)) }
}

function toClaimed([, nth, lane, token]: AdmittedRow, jobs: readonly NewJob[]): Claimed[] {
  const job = nth === null ? undefined : jobs[nth - 1]
  if (job === undefined) return []
  const { workspaceId, seq, payload } = job
  return [{ workspaceId, seq, payload, attempt: 0, takenOver: false, claimedBefore: false, lane, token }]
}
