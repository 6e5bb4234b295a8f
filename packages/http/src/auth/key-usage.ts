import { databaseNow } from '@tidings/async/clock'
import type { WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'

const FLUSH_MS = 2_000

const STAMP = {
  name: 'http_stamp_key_usage',
  text: `insert into ops.api_key_usage as usage (key_id, workspace_id, last_used_at)
    select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[])
    on conflict (key_id) do update set last_used_at = excluded.last_used_at where usage.last_used_at < excluded.last_used_at`,
}

/** Notes the last use of keys. `stamp` costs a map entry; stamps reach the table within 2 s, and at `close`. */
export type KeyUsage = Readonly<{
  stamp: (use: Readonly<{ keyId: string; workspaceId: WorkspaceId }>) => void
  flush: () => Promise<void>
  close: () => Promise<void>
}>

/**
 * Gathers the uses of keys in memory, one entry a key, and writes them in one statement. When writes begin to fail, `onError` hears it; each is tried
 * again with the next: at worst the last two seconds are lost with the process.
 */
export function keyUsage(pool: Pool, onError: (error: unknown) => void): KeyUsage {
  let used = new Map<string, Readonly<{ workspaceId: WorkspaceId; at: number }>>()
  let writing: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let isFailing = false

  const flushSoon = (): void => {
    if (isClosed) return
    timer ??= setTimeout(() => {
      timer = undefined
      void flush()
    }, FLUSH_MS).unref()
  }
  const write = async (): Promise<void> => {
    const batch = used
    if (batch.size === 0) return
    used = new Map()
    try {
      const uses = [...batch.values()]
      await pool.query({ ...STAMP, values: [[...batch.keys()], uses.map((use) => use.workspaceId), uses.map((use) => new Date(use.at))] })
      isFailing = false
    } catch (error) {
      used = new Map([...batch, ...used])
      flushSoon()
      if (!isFailing) onError(error)
      isFailing = true
    }
  }
  const flush = (): Promise<void> => {
    writing = writing.then(write)
    return writing
  }
  return {
    stamp: ({ keyId, workspaceId }) => {
      used.set(keyId, { workspaceId, at: databaseNow() })
      flushSoon()
    },
    flush,
    close: () => {
      isClosed = true
      clearTimeout(timer)
      return flush()
    },
  }
}
