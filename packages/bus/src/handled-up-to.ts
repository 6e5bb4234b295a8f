import type { Pool } from 'pg'

/**
 * The position up to which a group has handled everything, from the log or from Kafka; 0 when there is no such group yet. In a partition
 * in which the group has handled everything published, the relay's position counts.
 */
export async function handledUpTo(pool: Pool, group: string): Promise<bigint> {
  const { rows } = await pool.query<{ commit: bigint }>({
    name: 'handled-up-to',
    text: `select greatest(c.position_commit, (
        select min(case when (p.position_commit, p.position_prepare) >= (l.position_commit, l.position_prepare)
                        then r.position_commit else p.position_commit end)
        from ops.relay r join ops.relay_partition l using (topic)
        join ops.consumer_partition p on p.consumer_group = c.consumer_group and p.partition = l.partition
        where r.id = c.relay)) as commit
      from ops.consumer_checkpoint c where c.consumer_group = $1`,
    values: [group],
  })
  return rows[0]?.commit ?? 0n
}
