import { parseMasterKey } from '@tidings/codec'
import type { Secrets } from '@tidings/config'
import { OperationFailed } from '@tidings/config'
import type { ClientBase } from 'pg'

const UNDER_WAY = 'the master key is being replaced: take the backup when `tidings master-key rotate` has said that it is done.'

/** The ids of the master keys that the keys of the snapshot are wrapped under. Throws where one is being replaced: no single key opens it then. */
export async function masterKeysOf(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ keys: string[]; rotating: boolean }>(
    `select array(select distinct encode(substring(wrapped for 4), 'hex') from (
         select wrapped from keys.subject_key where wrapped is not null union all select wrapped from keys.workspace_secret
         union all select wrapped from keys.purpose_key) used
       union select id from keys.master_key where (select count(*) from keys.master_key) = 1) as keys,
       exists (select from keys.master_key where sealed is not null) as rotating`,
  )
  const { keys = [], rotating = false } = rows[0] ?? {}
  if (rotating) throw new OperationFailed(`There can be no backup now, because ${UNDER_WAY}`)
  return keys.toSorted()
}

/** Throws where the key of the data directory is not the snapshot's: it was replaced since. */
export function assertFits({ masterKey }: Secrets, masterKeys: readonly string[]): void {
  const { id } = parseMasterKey(masterKey)
  if (masterKeys.length === 0 || masterKeys.includes(id)) return
  throw new OperationFailed(`The master key was replaced while the backup was taken (${masterKeys.join(', ')} by ${id}): take it again.`)
}
