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

/**
 * `room`: how many of the admitted may be claimed at once, for `leaseMs`, shared with what this process `has` of each workspace. `bundled`: as one row of
 * each workspace.
 */
export type Room = Readonly<{ room: number; leaseMs: number; has?: ClaimedPerWorkspace; bundled?: boolean }>

const NO_ROOM: Room = { room: 0, leaseMs: 0 }

/** `added`: how many were new; a job that already waits stays as it is. `unbundled`: tokens of bundles that became rows, because something waits behind them. */
export type Admitted = Readonly<{ added: number; claimed: readonly Claimed[]; unbundled: readonly string[] }>

/** An admission as one SQL expression: `call`, with the parameters `$1` and so on, has a value that `admittedOf` reads. `name` is that of the prepared statement. */
export type AdmissionCall = Readonly<{ name: string; call: string; values: readonly unknown[] }>

/** Admits a batch, and claims what need not wait as far as there is room; that saves each such job its claim. */
export function admissionCall(
  kind: string,
  jobs: readonly NewJob[],
  { room, leaseMs, has, bundled = false }: Room = NO_ROOM,
): AdmissionCall {
  return {
    name: 'inbox-admit',
    call: 'inbox.admit_as_value($1, $2::uuid[], $3::text[], $4::bigint[], $5::text[], $6, $7, $8::uuid[], $9::integer[], $10)',
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
      bundled,
    ],
  }
}

type AdmittedValue = Readonly<{
  added: number
  token: string
  nth: readonly number[] | null
  lanes: readonly string[]
  unbundled: readonly string[]
}>

export function admittedOf(value: unknown, jobs: readonly NewJob[]): Admitted {
  // The cast is the edge where the value of `inbox.admit_as_value` becomes a type.
  const { added, token, nth, lanes, unbundled } = value as AdmittedValue
  const claimed = lanes.flatMap((lane, n): Claimed[] => {
    const job = jobs[nth === null ? n : (nth[n] ?? 0) - 1]
    if (job === undefined) return []
    const { workspaceId, seq, payload } = job
    return [{ workspaceId, seq, payload, attempt: 0, takenOver: false, claimedBefore: false, lane, token }]
  })
  return { added, claimed, unbundled }
}

/** Admits a batch in one statement of a transaction that does more than that. */
export async function admit(tx: ClientBase, kind: string, jobs: readonly NewJob[], room: Room = NO_ROOM): Promise<Admitted> {
  if (jobs.length === 0) return { added: 0, claimed: [], unbundled: [] }
  return await runAdmission(tx, admissionCall(kind, jobs, room), jobs)
}

export async function runAdmission(tx: ClientBase, { name, call, values }: AdmissionCall, jobs: readonly NewJob[]): Promise<Admitted> {
  const { rows } = await tx.query<{ admitted: unknown }>({ name, text: `select ${call} as admitted`, values: [...values] })
  return admittedOf(rows[0]?.admitted, jobs)
}
