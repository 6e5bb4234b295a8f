/** One record of the fixture's log. Positions have gaps, as a byte offset into a log has. */
export type LogRecord = Readonly<{
  id: string
  stream: string
  revision: number
  position: bigint
  type: string
  contentType: string
  /** 100 ns ticks since 1970, the unit of the wire. */
  created: bigint
  data: Uint8Array
  metadata: Uint8Array
}>

export type Proposed = Pick<LogRecord, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>

export type Log = Readonly<{
  all: readonly LogRecord[]
  stream: (name: string) => readonly LogRecord[]
  /** The position at which an event id was last committed. */
  byId: (id: string) => LogRecord | undefined
  isTombstoned: (stream: string) => boolean
  /** `event` is what the log says of it; a new one unless it is known already. */
  tombstone: (stream: string, event?: Proposed) => bigint
  /** Writes unconditionally; the caller has checked the commit. Answers the position of the last record. */
  commit: (stream: string, events: readonly Proposed[]) => bigint
  /** Calls back after every commit, until the result is called. */
  onCommit: (listener: () => void) => () => void
}>

const TICKS_PER_MS = 10_000n
const RECORD_OVERHEAD = 100
const LAST_REVISION = Number.MAX_SAFE_INTEGER

/** The state that outlives a restart of the fixture: kept in memory, in commit order. */
export function memoryLog(now: () => number = Date.now): Log {
  const all: LogRecord[] = []
  const streams = new Map<string, LogRecord[]>()
  const ids = new Map<string, LogRecord>()
  const tombstones = new Set<string>()
  const commits = announcements()
  let end = 0n

  const recordsOf = (stream: string): LogRecord[] => {
    const records = streams.get(stream) ?? []
    streams.set(stream, records)
    return records
  }
  const write = (stream: string, event: Proposed, revision: number): bigint => {
    const record = { ...event, stream, revision, position: end, created: BigInt(now()) * TICKS_PER_MS }
    end += BigInt(RECORD_OVERHEAD + event.data.length + event.metadata.length)
    all.push(record)
    ids.set(event.id, record)
    recordsOf(stream).push(record)
    return record.position
  }
  const commit = (stream: string, events: readonly Proposed[]): bigint => {
    let position = end
    for (const event of events) position = write(stream, event, recordsOf(stream).length)
    return commits.announce(position)
  }

  const tombstone: Log['tombstone'] = (stream, event = tombstoneEvent()) => {
    tombstones.add(stream)
    return commits.announce(write(stream, event, LAST_REVISION))
  }

  return {
    ...{ all, commit, tombstone },
    stream: (name) => streams.get(name) ?? [],
    byId: (id) => ids.get(id),
    isTombstoned: (stream) => tombstones.has(stream),
    onCommit: commits.listen,
  }
}

/** A log as it is now, whatever comes to it later. */
export function asOfNow(log: Log): Log {
  const all = [...log.all]
  const end = all.at(-1)?.position ?? -1n
  const stream = (name: string) => log.stream(name).filter(({ position }) => position <= end)
  const byId = (id: string) => all.findLast((record) => record.id === id)
  return { ...log, all, stream, byId, isTombstoned: (name) => stream(name).some(({ revision }) => revision === LAST_REVISION) }
}

/** Another log with the same events. */
export function copyOf(log: Log): Log {
  const copy = memoryLog()
  for (const record of log.all) {
    if (record.revision === LAST_REVISION) copy.tombstone(record.stream, record)
    else copy.commit(record.stream, [record])
  }
  return copy
}

export function tombstoneEvent(): Proposed {
  return {
    ...{ id: crypto.randomUUID(), type: '$streamDeleted', contentType: 'application/octet-stream' },
    ...{ data: new Uint8Array(), metadata: new Uint8Array() },
  }
}

const announcements = () => {
  const listeners = new Set<() => void>()
  return {
    announce: (position: bigint): bigint => {
      for (const listener of listeners) listener()
      return position
    },
    listen: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
