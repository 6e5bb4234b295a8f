/** A message of D-Bus, little-endian (D-Bus Specification, "Message Protocol"). `body` holds the arguments, marshalled by `signature`. */
export type BusMessage = Readonly<{
  type: 'call' | 'return' | 'error' | 'signal'
  serial: number
  destination?: string
  path?: string
  interface?: string
  member?: string
  signature?: string
  body: Buffer
}>

type Argument = Readonly<{ type: 's' | 'u' | 'b' | 'as'; value: string | number | readonly string[] }>
export function text(value: string): Argument {
  return { type: 's', value }
}
export function uint32(value: number): Argument {
  return { type: 'u', value }
}
export function bool(value: boolean): Argument {
  return { type: 'b', value: Number(value) }
}
export function texts(value: readonly string[]): Argument {
  return { type: 'as', value }
}

export type Reply = Readonly<{
  type: 'return' | 'error' | 'signal'
  serial: number
  sender: string
  replyTo?: number
  path?: string
  interface?: string
  member?: string
  error?: string
  arguments?: readonly Argument[]
}>

const TYPES = ['invalid', 'call', 'return', 'error', 'signal'] as const
const NO_REPLY_EXPECTED = 1
const MAJOR_VERSION = 1

const align = (at: number, to: number): number => Math.ceil(at / to) * to

/** Reads arguments one after the other. */
export function readerOf(bytes: Buffer, start = 0) {
  let at = start
  const skipTo = (multiple: number): void => {
    at = align(at, multiple)
  }
  const take = (length: number): string => {
    const value = bytes.toString('utf8', at, at + length)
    at += length + 1
    return value
  }
  const byte = (): number => bytes.readUInt8(at++)
  const u32 = (): number => {
    skipTo(4)
    at += 4
    return bytes.readUInt32LE(at - 4)
  }
  return { skipTo, byte, u32, string: () => take(u32()), signature: () => take(byte()), isBefore: (end: number) => at < end }
}

/** The first message of what arrived, and what follows it; null until it is complete. */
export function firstMessage(bytes: Buffer): Readonly<{ message: BusMessage; rest: Buffer }> | null {
  if (bytes.length < 16) return null
  const headerEnd = 16 + bytes.readUInt32LE(12)
  const bodyStart = align(headerEnd, 8)
  const end = bodyStart + bytes.readUInt32LE(4)
  if (bytes.length < end) return null
  const reader = readerOf(bytes, 16)
  const fields: Record<string, string> = {}
  while (reader.isBefore(headerEnd)) {
    reader.skipTo(8)
    const name = ['', 'path', 'interface', 'member', 'error', 'replyTo', 'destination', 'sender', 'signature', 'files'][reader.byte()] ?? ''
    const type = reader.signature()
    fields[name] = type === 'u' ? String(reader.u32()) : type === 'g' ? reader.signature() : reader.string()
  }
  const type = TYPES[bytes.readUInt8(1)]
  if (type === undefined || type === 'invalid') throw new Error('this is no message of D-Bus')
  return { message: { ...fields, type, serial: bytes.readUInt32LE(8), body: bytes.subarray(bodyStart, end) }, rest: bytes.subarray(end) }
}

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function createWriter() {
  let bytes = Buffer.alloc(0)
  const add = (more: Buffer): void => {
    bytes = Buffer.concat([bytes, more])
  }
  const skipTo = (multiple: number): void => add(Buffer.alloc(align(bytes.length, multiple) - bytes.length))
  const number = (value: number): void => {
    skipTo(4)
    add(u32(value))
  }
  const string = (value: string): void => {
    number(Buffer.byteLength(value))
    add(Buffer.from(`${value}\0`))
  }
  const signature = (value: string): void => add(Buffer.from([value.length, ...Buffer.from(value), 0]))
  const argument = ({ type, value }: Argument): void => {
    if (type === 'as') {
      const inner = createWriter()
      for (const one of [value].flat()) inner.string(String(one))
      number(inner.bytes().length)
      add(inner.bytes())
    } else if (type === 's') string(String(value))
    else number(Number(value))
  }
  /** A header field: a struct of its code and a variant. */
  const field = (code: number, type: 'o' | 's' | 'u' | 'g', value: string | number | undefined): void => {
    if (value === undefined || value === '') return
    skipTo(8)
    add(Buffer.from([code]))
    signature(type)
    if (type === 'g') signature(String(value))
    else argument({ type: type === 'u' ? 'u' : 's', value })
  }
  return { add, skipTo, number, string, argument, field, bytes: () => bytes }
}

/** The message as it goes over the wire. */
export function encodeMessage({ type, serial, arguments: given = [], ...header }: Reply): Buffer {
  const body = createWriter()
  for (const one of given) body.argument(one)
  const fields = createWriter()
  fields.field(1, 'o', header.path)
  fields.field(2, 's', header.interface)
  fields.field(3, 's', header.member)
  fields.field(4, 's', header.error)
  fields.field(5, 'u', header.replyTo)
  fields.field(7, 's', header.sender)
  fields.field(8, 'g', given.map((one) => one.type).join(''))
  const message = createWriter()
  message.add(Buffer.from([0x6c, TYPES.indexOf(type), NO_REPLY_EXPECTED, MAJOR_VERSION]))
  message.number(body.bytes().length)
  message.number(serial)
  message.number(fields.bytes().length)
  message.add(fields.bytes())
  message.skipTo(8)
  message.add(body.bytes())
  return message.bytes()
}
