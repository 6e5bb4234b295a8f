import { createSecretKey, type KeyObject } from 'node:crypto'

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
