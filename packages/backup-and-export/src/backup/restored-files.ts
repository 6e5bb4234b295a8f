import { join } from 'node:path'
import {
  type Config,
  OperationFailed,
  publicKeyOf,
  putSecrets,
  readSecrets,
  readVapidKey,
  replaceMasterKey,
  replaceVapidKey,
} from '@tidings/config'
import type { Manifest } from './manifest.ts'
import { masterKeyToPut } from './master-key.ts'
import { pathsIn } from './paths.ts'
import { markRestored, unmarkRestored } from './restored-mark.ts'

/** The files that a restore puts into the data directory; null for one that stays as it is. */
export type RestoredFiles = Readonly<{ masterKey: string | null; vapidKey: string | null }>

type Restoring = Readonly<{ config: Config; directory: string; manifest: Manifest }>

const isVapidKey = (text: string): boolean => {
  try {
    return publicKeyOf(text) !== ''
  } catch {
    return false
  }
}

/** Browsers that subscribed with it take pushes under no other: no browser subscribed with a key that a first start made here meanwhile. */
const vapidKeyToPut = async ({ config: { push, storage }, directory, manifest }: Restoring): Promise<string | null> => {
  if (push.vapidPrivateKey !== null || storage.databaseUrl !== null) return null
  const kept = await readVapidKey(pathsIn(directory).secrets)
  if (kept === null ? manifest.vapidKeyIncluded !== true : isVapidKey(kept)) return kept
  const file = join(pathsIn(directory).secrets, 'vapid.key')
  const fault = kept === null ? `There is no ${file}` : `${file} holds no key`
  throw new OperationFailed(
    `${fault}, under which browsers subscribed: use another copy of the backup, or set TIDINGS_VAPID_PRIVATE_KEY to that key.`,
  )
}

/** Reads and checks them; writes nothing. Throws one sentence where a key is missing or another one. */
export async function filesToRestore(restoring: Restoring): Promise<RestoredFiles> {
  return { masterKey: await masterKeyToPut(restoring), vapidKey: await vapidKeyToPut(restoring) }
}

type Putting = Readonly<{ config: Config; manifest: Manifest; files: RestoredFiles; isStillEmpty: () => Promise<boolean> }>

/**
 * Puts the files into the data directory, then does `work`, which loads the rows. Files first: after a crash in between, a second restore goes on;
 * rows without their key could not be read. Where the work failed and has left no rows, the directory is as it was.
 */
export async function withFilesOf({ config, manifest, files, isStillEmpty }: Putting, work: () => Promise<void>): Promise<void> {
  const { databaseUrl, dataDir } = config.storage
  if (databaseUrl !== null) return await work()
  const before = { masterKey: (await readSecrets(dataDir))?.masterKey ?? null, vapidKey: await readVapidKey(dataDir) }
  try {
    if (files.masterKey !== null) await putSecrets(dataDir, { masterKey: files.masterKey })
    if (files.vapidKey !== null) await replaceVapidKey(dataDir, files.vapidKey)
    await markRestored(dataDir, manifest.createdAt)
    await work()
  } catch (error) {
    if (await isStillEmpty().catch(() => false)) {
      if (files.masterKey !== null) await replaceMasterKey(dataDir, before.masterKey)
      if (files.vapidKey !== null) await replaceVapidKey(dataDir, before.vapidKey)
      await unmarkRestored(dataDir)
    }
    throw error
  }
}
