import type { Effect } from '@tidings/bus'
import type { ClientBase } from 'pg'
import type { NewDelivery } from './statements.ts'

/** For each delivery: the last one that this process has taken from the endpoint's queue, or null if it has no room to begin one itself. */
export type Offer = Readonly<{ owner: string; after: readonly (bigint | null)[] }>

/** `ids`: of each delivery, in their order; 0 where it waits to be taken. `dropped`: too many wait already. */
export type Admitted = Readonly<{ ids: readonly bigint[]; dropped: number }>

/** Admits a batch in one statement; its value is read by `admittedOf`. */
export function admission(all: readonly NewDelivery[], backlog: number, { owner, after }: Offer): Omit<Effect, 'done'> {
  return {
    name: 'webhooks-admit',
    call: 'webhooks.admit($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7, $8::uuid, $9::bigint[])',
    values: [
      all.map(({ endpointId }) => endpointId),
      all.map(({ workspaceId }) => workspaceId),
      all.map(({ position }) => position.commit),
      all.map(({ position }) => position.prepare),
      all.map(({ event }) => event),
      all.map(({ source }) => source),
      backlog,
      owner,
      after,
    ],
  }
}

const DROPPED = -1n

export function admittedOf(value: unknown): Admitted {
  const ids = (value as readonly string[]).map(BigInt)
  return { ids: ids.map((id) => (id === DROPPED ? 0n : id)), dropped: ids.filter((id) => id === DROPPED).length }
}

/** Runs the statement in a transaction that does more than that. */
export async function runAdmission(tx: ClientBase, { name, call, values }: Omit<Effect, 'done'>): Promise<unknown> {
  const { rows } = await tx.query<{ done: unknown }>({ name, text: `select ${call} as done`, values: [...values] })
  return rows[0]?.done
}
