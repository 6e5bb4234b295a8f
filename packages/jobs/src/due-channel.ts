import { weakMemo } from '@tidings/async'
import { listen } from '@tidings/postgres'
import type { ClientBase, Pool } from 'pg'

const CHANNEL = 'tidings_due'
/** Announcements wait so long for others: under load many are one statement. */
const GATHER_MS = 25

type Announce = (kind: string) => void

const announcerOf = weakMemo((pool: Pool): Announce => {
  let waiting = new Set<string>()
  const flush = (): void => {
    const kinds = [...waiting]
    waiting = new Set()
    const text = `select set_config('synchronous_commit', 'off', true), pg_notify('${CHANNEL}', kind) from unnest($1::text[]) kind`
    // If it is lost, the next look of the others finds what is due.
    pool.query({ name: 'announce due', text, values: [kinds] }).catch(() => undefined)
  }
  return (kind) => {
    if (waiting.size === 0) setTimeout(flush, GATHER_MS).unref()
    waiting.add(kind)
  }
})

/** Tells every process that something of the kind is due that this one may not do at once. Call it after the commit. */
export function announceDue(pool: Pool, kind: string): void {
  announcerOf(pool)(kind)
}

/** The same in the transaction that makes it due, for what this process never does. */
export async function announceInside(tx: Pick<ClientBase, 'query'>, kind: string): Promise<void> {
  await tx.query({ name: 'announce due inside', text: `select pg_notify('${CHANNEL}', $1)`, values: [kind] })
}

/** `onDue` gets the kind that was announced, and null whenever announcements may have been missed. */
export function hearDue(pool: Pool, onDue: (kind: string | null) => void): Readonly<{ stop: () => Promise<void> }> {
  return listen({ pool, channel: CHANNEL, onMessage: onDue, onConnected: () => onDue(null) })
}
