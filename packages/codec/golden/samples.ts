import { readFileSync } from 'node:fs'
import type { EventToAppend } from '@tidings/event-store'
import { createKeyRing, type KeyRing } from '../src/keys/key-ring.ts'
import type { KeyStore } from '../src/keys/key-store.ts'
import { parseMasterKey } from '../src/keys/master-key.ts'
import { masterKeysOf } from '../src/keys/master-keys.ts'
import { memoryKeyStore } from '../src/keys/memory-key-store.ts'

/** An event as a store holds it. */
export type Sample = EventToAppend & Readonly<{ stream: string }>

export type SampleKeys = Readonly<{
  masterKey: string
  keys: readonly Readonly<{ workspaceId: string; subject: string; wrapped: string }>[]
}>

export const fileOf = (name: string): URL => new URL(name, import.meta.url)

export const readJson = <T>(name: string): T => JSON.parse(readFileSync(fileOf(name), 'utf8'))

/** The key store of the samples: its keys are samples too, wrapped as the first build wrapped them. */
export const sampleKeyStore = async (): Promise<KeyStore> => {
  const store = memoryKeyStore()
  const { keys } = readJson<SampleKeys>('keys.json')
  await store.ensure(keys.map((key) => ({ ...key, wrapped: Buffer.from(key.wrapped, 'base64') })))
  return store
}

/** Opens what the samples were sealed with. */
export const sampleKeyRing = async (): Promise<KeyRing> => sampleKeyRingOver(await sampleKeyStore())

export const sampleKeyRingOver = (store: KeyStore): KeyRing =>
  createKeyRing({ store, masters: masterKeysOf(store, [parseMasterKey(readJson<SampleKeys>('keys.json').masterKey)]) })
