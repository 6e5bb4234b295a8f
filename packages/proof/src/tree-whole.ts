import type { Pool } from 'pg'
import { HASH_BYTES } from './tree/hash.ts'
import { TILE_WIDTH } from './tree/tiles.ts'
import { TreeDamaged } from './tree-tables.ts'

/** 256 to the power of 8 events have no higher level. */
const LEVELS = `
  select l.level, (select size from proof.tree) as size, coalesce(sum(length(t.hashes)), 0)::bigint as bytes
  from generate_series(0, 7) l(level) left join proof.tile t using (level) group by l.level order by l.level`

type TreeLevelRow = Readonly<{ level: number; size: bigint | null; bytes: bigint }>

/**
 * Throws `TreeDamaged` where a tile of the stored tree is missing, too short or too long. What is in a tile is not looked at: `verifyLog` does. Reads
 * the lengths of the tiles alone, one of 256 events.
 */
export async function assertTreeWhole(pool: Pool): Promise<void> {
  const { rows } = await pool.query<TreeLevelRow>(LEVELS)
  for (const { level, size, bytes } of rows) {
    const expected = Math.floor(Number(size ?? 0) / TILE_WIDTH ** level) * HASH_BYTES
    if (Number(bytes) === expected) continue
    throw new TreeDamaged(
      `The tree over the log is damaged: its level ${level} has ${Number(bytes) / HASH_BYTES} hashes instead of ${expected / HASH_BYTES}. Run \`tidings log verify --repair\`.`,
    )
  }
}
