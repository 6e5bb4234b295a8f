import { readFileSync } from 'node:fs'
import type { WorkspaceId } from '@tidings/domain'
import type { EventToAppend } from '@tidings/event-store'
import { createKeyRing, type KeyRing } from '../src/keys/key-ring.ts'
import type { KeyStore } from '../src/keys/key-store.ts'
import { parseMasterKey } from '../src/keys/master-key.ts'
import { masterKeysOf } from '../src/keys/master-keys.ts'
import { memoryKeyStore } from '../src/keys/memory-key-store.ts'

/** An event as a store holds it. */
export type Sample = EventToAppend & Readonly<{ stream: string }>

/** Versions of types that were sealed in format 1 already: their samples in format 2 have a name of their own. */
export const LAYERED: ReadonlySet<string> = new Set([
  'ApiKeyCreated.v2',
  'ApiKeyDeleted.v2',
  'ApiKeyRevoked.v2',
  'ContactConsentRecorded.v2',
  'EmailAccepted.v2',
  'PushAccepted.v1',
  'PushSubscriptionRegistered.v1',
  'SmsAccepted.v2',
])

export type SampleKeys = Readonly<{
  masterKey: string
  keys: readonly Readonly<{ workspaceId: WorkspaceId; subject: string; wrapped: string }>[]
}>

export function fileOf(name: string): URL {
  return new URL(name, import.meta.url)
}

export function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(fileOf(name), 'utf8'))
}

/** The key store of the samples: its keys are samples too, wrapped as the first build wrapped them. */
export async function sampleKeyStore(): Promise<KeyStore> {
  const store = memoryKeyStore()
  const { keys } = readJson<SampleKeys>('keys.json')
  await store.ensure(keys.map((key) => ({ ...key, wrapped: Buffer.from(key.wrapped, 'base64') })))
  return store
}

/** Opens what the samples were sealed with. */
export async function sampleKeyRing(): Promise<KeyRing> {
  return sampleKeyRingOver(await sampleKeyStore())
}

export function sampleKeyRingOver(store: KeyStore): KeyRing {
  return createKeyRing({ store, masters: masterKeysOf(store, [parseMasterKey(readJson<SampleKeys>('keys.json').masterKey)]) })
}
