import { InvalidAppend } from './errors.ts'
import type { Append, EventToAppend, ExpectedRevision } from './port.ts'

/** The default of EventStoreDB, so that events that fit into one adapter fit into all; as there, a type counts two bytes a character. */
export const MAX_APPEND_BYTES = 1024 * 1024
const MAX_NAME_BYTES = 1_000
const MAX_EVENTS = 10_000

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Bytes of the append; throws InvalidAppend for what no adapter may take. Nothing is repaired. */
export function checkAppend(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): number {
  checkName('stream', stream)
  checkExpected(expected)
  if (events.length > MAX_EVENTS) throw new InvalidAppend(`an append of ${events.length} events is over the limit of ${MAX_EVENTS}`)
  let bytes = 0
  for (const event of events) {
    if (!UUID.test(event.id)) throw new InvalidAppend(`event id "${event.id}" is not a lower-case UUID`)
    checkName('event type', event.type)
    checkText('data', event.data)
    checkText('meta', event.meta)
    bytes += Buffer.byteLength(event.data) + Buffer.byteLength(event.meta) + 2 * event.type.length
  }
  if (bytes > MAX_APPEND_BYTES) throw new InvalidAppend(`an append of ${bytes} bytes is over the limit of ${MAX_APPEND_BYTES}`)
  if (events.length > 1 && new Set(events.map((event) => event.id)).size < events.length) {
    throw new InvalidAppend('an append names the same event id twice')
  }
  return bytes
}

/** The same of appends that are written together. */
export function checkTogether(appends: readonly Append[]): number {
  let bytes = 0
  for (const { stream, expected, events } of appends) {
    if (events.length === 0) throw new InvalidAppend('appends that are written together each have at least one event')
    bytes += checkAppend(stream, expected, events)
  }
  if (bytes > MAX_APPEND_BYTES) throw new InvalidAppend(`appends of ${bytes} bytes together are over the limit of ${MAX_APPEND_BYTES}`)
  if (new Set(appends.map(({ stream }) => stream)).size < appends.length) {
    throw new InvalidAppend('appends that are written together name the same stream twice')
  }
  const ids = appends.flatMap(({ events }) => events.map(({ id }) => id))
  if (new Set(ids).size < ids.length) throw new InvalidAppend('appends that are written together name the same event id twice')
  return bytes
}

/** Checks the calls that take a stream and a revision without events. */
export function checkStreamCall(stream: string, expected: ExpectedRevision): void {
  checkName('stream', stream)
  checkExpected(expected)
}

const checkExpected = (expected: ExpectedRevision): void => {
  if (typeof expected === 'number' && (!Number.isInteger(expected) || expected < 0 || expected > 2_147_483_647)) {
    throw new InvalidAppend(`expected revision ${expected} is not a revision; use 'no_stream' for a stream without events`)
  }
}

const checkName = (what: string, name: string): void => {
  if (name === '' || name.startsWith('$'))
    throw new InvalidAppend(`${what} "${name}" is ${name === '' ? 'empty' : 'reserved for the store'}`)
  checkText(what, name)
  const bytes = Buffer.byteLength(name)
  if (bytes > MAX_NAME_BYTES) throw new InvalidAppend(`${what} of ${bytes} bytes is over the limit of ${MAX_NAME_BYTES}`)
}

const checkText = (what: string, text: string): void => {
  if (text.includes('\0')) throw new InvalidAppend(`${what} contains NUL, which Postgres cannot hold`)
  if (!text.isWellFormed()) throw new InvalidAppend(`${what} contains a lone surrogate, which is not a character`)
}
