import type { Pool } from 'pg'
import { headToAnchor, noteAnchored } from './anchor/anchor.ts'
import { type Anchor, AnchorRefused } from './anchor/port.ts'
import { assertContinues, lastHead, lastSignedAt, type SignedHead, signHead } from './heads.ts'
import type { LogKey } from './log-key.ts'
import { readTreeSize } from './tree-tables.ts'

/** A head is signed when the log has grown and the last one is so old, or so many events behind. */
export type HeadInterval = Readonly<{ everyMs: number; everyEvents: number }>
export const HEAD_INTERVAL: HeadInterval = { everyMs: 300_000, everyEvents: 100_000 }

type Due = Readonly<{ isShorter: boolean; isDue: boolean; isWhole: boolean }>

const dueOf = async (pool: Pool, key: LogKey, { everyMs, everyEvents }: HeadInterval, now: () => Date): Promise<Due> => {
  const size = (await readTreeSize(pool))?.size ?? 0
  const newest = await lastHead(pool, key)
  const behind = size - (newest?.statement.size ?? 0)
  const ageMs = now().getTime() - ((await lastSignedAt(pool))?.getTime() ?? Number.NEGATIVE_INFINITY)
  return { isShorter: behind < 0, isWhole: behind === 0, isDue: behind > 0 && (ageMs >= everyMs || behind >= everyEvents) }
}

/** Signs a head where one is due; answers whether the newest is of the whole tree. Throws `HeadContradicted` as soon as the log is shorter than the newest head says. */
export async function signDueHead(pool: Pool, key: LogKey, interval: HeadInterval, now: () => Date): Promise<boolean> {
  const { isShorter, isDue, isWhole } = await dueOf(pool, key, interval, now)
  if (isShorter || isDue) await signHead(pool, key, now)
  return isDue || isWhole
}

/** The same of a tree that is not at the end of the log yet: one that is made anew has still to reach the newest head. */
export async function signHeadOnTheWay(pool: Pool, key: LogKey, interval: HeadInterval, now: () => Date): Promise<void> {
  const { isDue } = await dueOf(pool, key, interval, now)
  if (isDue) await signHead(pool, key, now)
}

/** Keeps the newest head at the anchor, where it is not there yet. */
export async function anchorNewestHead(pool: Pool, key: LogKey, anchor: Anchor): Promise<void> {
  const head = await headToAnchor(pool, key)
  if (head === null) return
  await anchor.keep(head, (anchored) => assertContinued(pool, key, anchored))
  await noteAnchored(pool, head)
}

const assertContinued = async (pool: Pool, key: LogKey, anchored: SignedHead): Promise<void> => {
  if (anchored.statement.log !== key.fingerprint || !key.isSigned(anchored.statement, anchored.signature))
    throw new AnchorRefused(
      `The anchor holds tree heads that were not signed by the key of this log (${key.fingerprint}): name another anchor.`,
    )
  await assertContinues(pool, anchored, (await readTreeSize(pool))?.size ?? 0)
}
