/**
 * Postgres arrays in binary form. `pg` sends a Buffer as a binary parameter; its own text form escapes every quote of every JSON
 * text, and the server parses it all again. CPU of one append in a batch of 64, with 2 KB of HTML: Node.js 7 µs against 44, Postgres
 * 38 µs against 52.
 */

const OID = { int4: 23, text: 25, uuid: 2950 } as const
const HEADER = 20

const start = (count: number, oid: number, bytes: number): Buffer => {
  const buffer = Buffer.allocUnsafe(HEADER + 4 * count + bytes)
  buffer.writeInt32BE(1, 0)
  buffer.writeInt32BE(0, 4)
  buffer.writeInt32BE(oid, 8)
  buffer.writeInt32BE(count, 12)
  buffer.writeInt32BE(1, 16)
  return buffer
}

/** `int4[]`. */
export function int4Array(values: readonly number[]): Buffer {
  const buffer = start(values.length, OID.int4, 4 * values.length)
  let at = HEADER
  for (const value of values) {
    buffer.writeInt32BE(4, at)
    buffer.writeInt32BE(value, at + 4)
    at += 8
  }
  return buffer
}

/** `text[]` in UTF-8; the texts must be well formed and without NUL. */
export function textArray(values: readonly string[]): Buffer {
  let bytes = 0
  for (const value of values) bytes += Buffer.byteLength(value)
  const buffer = start(values.length, OID.text, bytes)
  let at = HEADER
  for (const value of values) {
    const written = buffer.write(value, at + 4)
    buffer.writeInt32BE(written, at)
    at += 4 + written
  }
  return buffer
}

/** `uuid[]`; the values must be UUIDs in their usual text form. */
export function uuidArray(values: readonly string[]): Buffer {
  const buffer = start(values.length, OID.uuid, 16 * values.length)
  let at = HEADER
  for (const value of values) {
    buffer.writeInt32BE(16, at)
    buffer.write(value.replaceAll('-', ''), at + 4, 16, 'hex')
    at += 20
  }
  return buffer
}
