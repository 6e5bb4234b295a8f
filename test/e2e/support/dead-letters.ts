import type { World } from './world.ts'

/** Two dead letters of the workspace, or with null of none, as a consumer leaves them that no process has: nothing tries them by itself. Answers their ids. */
export async function insertDeadLetters(
  { stores }: Pick<World, 'stores'>,
  workspaceId: string | null,
  error = 'it was no text',
): Promise<readonly [string, string]> {
  const { rows } = await stores.pool.query<Readonly<{ id: string }>>(
    `insert into ops.dead_letter (source, consumer, workspace_id, reference, error_class, error)
     select 'event', 'retired', $1, $2 || '/' || n, 'TypeError', $3 from generate_series(1, 2) n returning id`,
    [workspaceId, crypto.randomUUID(), error],
  )
  return [rows[0]?.id ?? '', rows[1]?.id ?? '']
}
