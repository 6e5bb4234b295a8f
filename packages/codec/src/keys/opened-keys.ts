import { createSecretKey, type KeyObject } from 'node:crypto'
import { entriesUpTo } from '@tidings/async'
import type { WorkspaceId } from '@tidings/domain'
import { LRUCache } from 'lru-cache'
import type { StoredKey, SubjectKeys, SubjectRef } from './key-store.ts'
import { type MasterKey, subjectKeyContext, unwrap } from './master-key.ts'

/** `now` is a monotonic clock in milliseconds. */
type Settings = Readonly<{ masters: Readonly<{ all: () => readonly MasterKey[] }>; now: () => number }>

/** A key as this process made and wrapped it. */
export type OwnKey = Readonly<{ bytes: Buffer; wrapped: Buffer }>

/** The keys that this process has unwrapped, for five minutes at most. */
export type OpenedKeys = Readonly<{
  cached: (workspaceId: WorkspaceId, subject: string) => SubjectKeys | undefined
  /** Unwraps what is stored and caches it; null where the subject never had a key. `own`: a key that this process has just made needs no unwrapping. */
  opened: (ref: SubjectRef, stored: readonly StoredKey[], own?: OwnKey) => SubjectKeys | null
  /** Drops keys without a call to the listeners: for many subjects at once, before `dropped`. */
  drop: (workspaceId: WorkspaceId, subject: string) => void
  /** Says that subjects were dropped. */
  dropped: () => void
  forget: (workspaceId: WorkspaceId, subject: string) => void
  withhold: (workspaceId: WorkspaceId, subject: string) => void
  onForget: (listener: () => void) => void
}>

const MAX_AGE_MS = 5 * 60_000
/** Subjects with one key, nearly all: 36 MB when full. A rebuild of 200 000 contacts asks for the key of each once. */
const MAX_KEYS = 200_000
/** Subjects that were erased, or have several keys. */
const MAX_OTHERS = 4_000
/** Subjects that are being erased: more at once are asked for like any other. */
const MAX_WITHHELD = 10_000

/** One text for the two parts of a subject's name. */
export function nameOf(workspaceId: WorkspaceId, subject: string): string {
  return `${workspaceId}/${subject}`
}

export function createOpenedKeys({ masters, now }: Settings): OpenedKeys {
  const single = createKeyCache({ maxKeys: MAX_KEYS, maxAgeMs: MAX_AGE_MS, now })
  const others = new LRUCache<string, SubjectKeys>({ ...entriesUpTo(MAX_OTHERS), ttl: MAX_AGE_MS, ttlResolution: 0, perf: { now } })
  const withheld = new LRUCache<string, true>(entriesUpTo(MAX_WITHHELD))
  const forgotten = new Set<() => void>()

  const opened: OpenedKeys['opened'] = ({ workspaceId, subject }, stored, own) => {
    // "Never had one" is not remembered: it may get one at any moment.
    if (stored.length === 0) return null
    const shredded = stored.some(({ wrapped }) => wrapped === null)
    const name = nameOf(workspaceId, subject)
    const isSingle = !shredded && stored.length === 1 && stored[0]?.version === 1
    const keys = (shredded ? [] : stored).flatMap(({ version, wrapped }) => {
      if (!wrapped) return []
      const isOwn = own?.wrapped.equals(wrapped) === true
      const bytes = isOwn ? own.bytes : unwrap(masters.all(), wrapped, subjectKeyContext(workspaceId, subject, version))
      if (isSingle && !withheld.has(name)) single.set(name, bytes)
      return [{ version, key: createSecretKey(bytes) }]
    })
    keys.sort((a, b) => b.version - a.version)
    // A tombstone stays, and so do several keys.
    if (!isSingle) {
      single.delete(name)
      others.set(name, keys)
    }
    return keys
  }

  const cached = (workspaceId: WorkspaceId, subject: string): SubjectKeys | undefined => {
    const name = nameOf(workspaceId, subject)
    const key = single.get(name)
    return key === undefined ? others.get(name) : [{ version: 1, key }]
  }

  const drop = (workspaceId: WorkspaceId, subject: string): void => {
    others.delete(nameOf(workspaceId, subject))
    single.delete(nameOf(workspaceId, subject))
  }
  const dropped = (): void => {
    for (const listener of forgotten) listener()
  }
  const forget: OpenedKeys['forget'] = (workspaceId, subject) => {
    drop(workspaceId, subject)
    dropped()
  }

  return {
    cached,
    opened,
    drop,
    dropped,
    forget,
    withhold: (workspaceId, subject) => {
      withheld.set(nameOf(workspaceId, subject), true)
      forget(workspaceId, subject)
    },
    onForget: (listener) => forgotten.add(listener),
  }
}

/** Unwrapped keys in a tenth of a KeyObject's memory. */
type KeyCache = Readonly<{
  get: (name: string) => KeyObject | undefined
  set: (name: string, key: Buffer) => void
  delete: (name: string) => void
}>

/** `now` is a monotonic clock in milliseconds. */
type KeyCacheLimits = Readonly<{ maxKeys: number; maxAgeMs: number; now: () => number }>

/** `objects`: the KeyObjects of some of them. */
type Generation = Readonly<{ since: number; places: Map<string, number>; chunks: Buffer[]; objects: Map<string, KeyObject> }> & {
  used: number
}

const KEY_BYTES = 32
const CHUNK_KEYS = 4_096
/** Key objects of one generation. A message is sealed and opened a few times within a second or two: 6 MB when full. */
const MAX_OBJECTS = 4_096

/**
 * Two generations: the older one is dropped when the younger one reaches half of the limits, in number or in age; reading a key does not extend
 * its life. Measured: 190 bytes a key where its KeyObject takes 1.5 KB; making one of it again costs 1 µs, unwrapping 5 and asking 10 µs.
 */
export function createKeyCache({ maxKeys, maxAgeMs, now }: KeyCacheLimits): KeyCache {
  let young = emptyGeneration(now())
  let old = young
  let timer: NodeJS.Timeout | undefined

  const rotate = (): void => {
    old = young
    young = emptyGeneration(now())
    clearTimeout(timer)
    timer = old.places.size > 0 ? setTimeout(rotate, maxAgeMs / 2).unref() : undefined
  }

  return {
    get: (name) => {
      const generation = young.places.has(name) ? young : old
      const place = generation.places.get(name)
      if (place === undefined || now() - generation.since >= maxAgeMs) return undefined
      return objectOf(generation, name, place)
    },
    set: (name, key) => {
      if (young.used >= maxKeys / 2 || now() - young.since >= maxAgeMs / 2) rotate()
      add(young, name, key)
      timer ??= setTimeout(rotate, maxAgeMs / 2).unref()
    },
    delete: (name) => {
      for (const generation of [young, old]) {
        const place = generation.places.get(name)
        if (place !== undefined) bytesAt(generation, place).fill(0)
        generation.places.delete(name)
        generation.objects.delete(name)
      }
    },
  }
}

const emptyGeneration = (since: number): Generation => ({ since, places: new Map(), chunks: [], objects: new Map(), used: 0 })

const bytesAt = ({ chunks }: Generation, place: number): Buffer => {
  const start = (place % CHUNK_KEYS) * KEY_BYTES
  return chunks[Math.floor(place / CHUNK_KEYS)]!.subarray(start, start + KEY_BYTES)
}

const objectOf = (generation: Generation, name: string, place: number): KeyObject => {
  const { objects } = generation
  const known = objects.get(name)
  if (known !== undefined) return known
  const made = createSecretKey(bytesAt(generation, place))
  if (objects.size >= MAX_OBJECTS) objects.clear()
  objects.set(name, made)
  return made
}

const add = (generation: Generation, name: string, key: Buffer): void => {
  const { places, chunks, objects } = generation
  if (generation.used === chunks.length * CHUNK_KEYS) chunks.push(Buffer.alloc(CHUNK_KEYS * KEY_BYTES))
  const before = places.get(name)
  if (before !== undefined) bytesAt(generation, before).fill(0)
  bytesAt(generation, generation.used).set(key)
  places.set(name, generation.used++)
  objects.delete(name)
}
