import { OperationFailed } from '@tidings/config'
import type { EventStore } from '@tidings/event-store'
import type { Pool } from 'pg'
import { anchoredLines } from '../anchor/anchored-lines.ts'
import { growTree } from '../grow-tree.ts'
import { headsAbove, type SignedHead } from '../heads.ts'
import type { LogKey } from '../log-key.ts'
import { leafOf } from '../stored-event.ts'
import { GrowingTree } from '../tree/growing-tree.ts'
import { HASH_BYTES } from '../tree/hash.ts'
import { TILE_WIDTH } from '../tree/tiles.ts'
import { readTiles, readTreeSize, tileKey } from '../tree-tables.ts'

/** The log is not what heads of its tree say, or may not be: the tree is left as it is, for it is the evidence. */
class RepairRefused extends OperationFailed {}

export type Repair = Readonly<{
  pool: Pool
  store: Pick<EventStore, 'readAll'>
  key: LogKey
  anchorFile: string | null
  onProgress: (done: number, total: number) => void
}>

const PAGE = 2_000
const LEFT = 'what it would say of the log is not known. The tree is left as it is.'

/** Roots that the key of the log signed, by size: those that were kept, and those of the anchor. */
async function signedRoots({ pool, key, anchorFile }: Repair): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const roots = new Map<number, Set<string>>()
  const add = ({ statement, signature }: SignedHead): boolean => {
    if (statement.log !== key.fingerprint || !key.isSigned(statement, signature)) return false
    roots.set(statement.size, (roots.get(statement.size) ?? new Set()).add(statement.root))
    return true
  }
  for (let above = 0; ; ) {
    const heads = await headsAbove(pool, above, PAGE, key)
    for (const head of heads) if (!add(head)) throw new RepairRefused(`The tree head of ${head.statement.size} events is forged: ${LEFT}`)
    const last = heads.at(-1)
    if (last === undefined) break
    above = last.statement.size
  }
  if (anchorFile !== null)
    for await (const { number, head, isTorn } of anchoredLines(anchorFile)) {
      if (head === null && isTorn) continue
      if (head === null) throw new RepairRefused(`Line ${number} of the anchor is no tree head: ${LEFT}`)
      if (!add(head)) throw new RepairRefused(`Line ${number} of the anchor was not signed by the key of this log: ${LEFT}`)
    }
  return roots
}

/** The leaves of the log behind the first `from` of them. Throws where a signed root is of another log. */
async function leavesBehind({ store, onProgress }: Repair, roots: ReadonlyMap<number, ReadonlySet<string>>, from: number): Promise<Buffer> {
  const tree = new GrowingTree(0, [])
  const leaves: Buffer[] = []
  let [after, isEnd]: [Parameters<EventStore['readAll']>[0], boolean] = ['start', false]
  while (!isEnd) {
    const { events, to, caughtUp } = await store.readAll(after, PAGE)
    for (const leaf of events.map(leafOf)) {
      tree.append(leaf)
      if (tree.size > from) leaves.push(leaf)
      const signed = roots.get(tree.size)
      if (signed === undefined || (signed.size === 1 && signed.has(tree.root().toString('hex')))) continue
      throw new RepairRefused(
        `A signed tree head of ${tree.size} events is of another history than the log: the log was changed, and its tree is left as it is. Run \`tidings log verify\`.`,
      )
    }
    tree.takeChanged()
    onProgress(tree.size, Math.max(tree.size, from))
    ;[after, isEnd] = [to, caughtUp]
  }
  if (tree.size < from)
    throw new RepairRefused(`A signed tree head has ${from} events, and the log ${tree.size}: it was cut, or an older backup was restored.`)
  return Buffer.concat(leaves)
}

/** What the tree has of them, where it has it, must be the same: no head says which of the two was changed. */
async function assertNotChanged(pool: Pool, leaves: Buffer, from: number): Promise<void> {
  const size = Math.min((await readTreeSize(pool))?.size ?? 0, from + leaves.length / HASH_BYTES)
  for (let index = Math.floor(from / TILE_WIDTH); index * TILE_WIDTH < size; index++) {
    const stored = (await readTiles(pool, [{ level: 0, index }])).get(tileKey({ level: 0, index }))
    for (let at = Math.max(from, index * TILE_WIDTH); at < Math.min(size, (index + 1) * TILE_WIDTH); at++) {
      const kept = stored?.subarray((at % TILE_WIDTH) * HASH_BYTES, (at % TILE_WIDTH) * HASH_BYTES + HASH_BYTES)
      if (kept === undefined || kept.length < HASH_BYTES) break
      if (kept.equals(leaves.subarray((at - from) * HASH_BYTES, (at - from + 1) * HASH_BYTES))) continue
      throw new RepairRefused(
        `Event ${at} of the log is not what its tree was made of, and is behind the last signed tree head: whether the log or the tree was changed cannot be seen. The tree is left as it is.`,
      )
    }
  }
}

/** If there is no head, the log can be compared only with the rest of a tree. */
async function assertNoTree(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ any: boolean }>('select exists (select from proof.tree) or exists (select from proof.tile) as any')
  if (rows[0]?.any === true)
    throw new RepairRefused(
      'No tree head that is signed is left, kept or anchored, and there is a tree: whether the log is the one that it was made of cannot be seen. The tree is left as it is. Name a copy of the anchor with --anchor.',
    )
}

/**
 * Makes the tree over the log anew, where every head that was signed, and every one in the anchor, is of this log; else throws `RepairRefused` and
 * changes nothing. Killed, it leaves a shorter tree, which any process goes on with. Answers how many events the tree has then.
 */
export async function repairTree(repair: Repair): Promise<number> {
  const { pool, store } = repair
  const roots = await signedRoots(repair)
  if (roots.size === 0) await assertNoTree(pool)
  const newest = [...roots.keys()].reduce((one, other) => Math.max(one, other), 0)
  await assertNotChanged(pool, await leavesBehind(repair, roots, newest), newest)
  await pool.query('truncate proof.tree, proof.tile, proof.verification')
  return await growTree({ pool, store })
}
