import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { putSecretFile, readSecretFile, removeSecretFile, replaceSecretFile } from './secret-file.ts'

/** Secrets that a first start makes. `masterKey` is what TIDINGS_MASTER_KEY would hold: 64 hex digits. */
export type Secrets = Readonly<{ masterKey: string }>

const MASTER_KEY = 'master.key'

/** The file that has the master key of a data directory, or of a backup's secrets. */
export function masterKeyFile(folder: string): string {
  return join(folder, MASTER_KEY)
}

/**
 * The secrets of a data directory, made there when they are missing: one file each, readable by its owner alone.
 * Processes that start together get the same ones. Without them what they sealed is lost.
 */
export async function ensureSecrets(dataDir: string): Promise<Secrets> {
  return (await readSecrets(dataDir)) ?? (await putSecrets(dataDir, { masterKey: randomBytes(32).toString('hex') }))
}

/** Puts another master key in the place of the one that lies in the folder: after a crash the one or the other is there, whole. Null takes it away. */
export function replaceMasterKey(folder: string, masterKey: string | null): Promise<void> {
  return masterKey === null ? removeSecretFile(folder, MASTER_KEY) : replaceSecretFile(folder, MASTER_KEY, masterKey)
}

/** The secrets that lie in a folder; null where there are none. */
export async function readSecrets(folder: string): Promise<Secrets | null> {
  const masterKey = await readSecretFile(folder, MASTER_KEY)
  return masterKey === null ? null : { masterKey }
}

/** Puts secrets into a folder, durably, and answers with those that lie there now: what is there is never replaced. */
export async function putSecrets(folder: string, { masterKey }: Secrets): Promise<Secrets> {
  return { masterKey: await putSecretFile(folder, MASTER_KEY, masterKey) }
}
