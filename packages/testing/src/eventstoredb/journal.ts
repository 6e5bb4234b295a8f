import { existsSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import type { Proposed } from './log.ts'

/** One commit as it lies on the disk: when (ms since 1970), and a stream's events, or the one event that is its tombstone. */
export type Entry = Readonly<{ at: number; stream: string; isTombstone: boolean; events: readonly Proposed[] }>

type Stored = Omit<Entry, 'events'> & Readonly<{ events: readonly StoredEvent[] }>
type StoredEvent = Readonly<Record<keyof Proposed, string>>

/** A file of commits, one a line. What `append` has returned from outlives `kill -9` of the process, not a power cut. */
export type Journal = Readonly<{ entries: readonly Entry[]; append: (entry: Entry) => void }>

/** Opens the file, or makes it. A last line that a kill tore apart was never acknowledged, and is cut off. */
export function openJournal(file: string): Journal {
  const text = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
  const whole = text.subarray(0, text.lastIndexOf('\n') + 1)
  if (whole.length < text.length) truncateSync(file, whole.length)
  const descriptor = openSync(file, 'a')
  return {
    entries: whole.toString('utf8').split('\n').slice(0, -1).map(read),
    append: (entry) => writeWhole(descriptor, Buffer.from(`${print(entry)}\n`)),
  }
}

const writeWhole = (descriptor: number, bytes: Buffer): void => {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

const print = ({ events, ...entry }: Entry): string => {
  const stored: Stored = { ...entry, events: events.map(store) }
  return JSON.stringify(stored)
}

const store = ({ data, metadata, ...event }: Proposed): StoredEvent => ({ ...event, data: base64(data), metadata: base64(metadata) })

const read = (line: string): Entry => {
  const { events, ...entry }: Stored = JSON.parse(line)
  return { ...entry, events: events.map(load) }
}

const load = ({ data, metadata, ...event }: StoredEvent): Proposed => ({
  ...event,
  data: Buffer.from(data, 'base64'),
  metadata: Buffer.from(metadata, 'base64'),
})
