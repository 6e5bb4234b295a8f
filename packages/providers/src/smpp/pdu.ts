import smpp from 'smpp'

/**
 * A PDU of the library whose texts stay bytes: its own decoding of them drops what `data_coding` says of parts, and throws on a malformed
 * time. `_filter` is the library's one place for that (pinned by pdu.test.ts).
 */
class BytesPdu extends smpp.PDU {
  override _filter(): void {}
}

export type PduFields = Readonly<Record<string, string | number | Buffer>>

/** A PDU as it came: fields that it lacks, or that hold another type, read as empty. */
export type IncomingPdu = Readonly<{
  command: string
  isResponse: boolean
  status: number
  sequence: number
  text: (field: string) => string
  /** Null where the PDU has no such field. */
  int: (field: string) => number | null
  bytes: (field: string) => Buffer
}>

/** The longest PDU that is taken, of the library's own bound. */
export const MAX_PDU = smpp.PDU.maxLength
export const PDU_HEADER = 16

/** Empty strings for the fields of bytes that are left out, which the library would not write. */
export function encodePdu(command: string, sequence: number, fields: PduFields = {}): Buffer {
  return new BytesPdu(command, { ...fields, sequence_number: sequence }).toBuffer()
}

/** Throws where a field runs over the end of the PDU. `bytes` must be one whole PDU. */
export function decodePdu(bytes: Buffer): IncomingPdu {
  const pdu = new BytesPdu(bytes)
  const valueIn = (field: string): unknown => (Object.hasOwn(pdu, field) ? pdu[field] : undefined)
  return {
    command: pdu.command,
    isResponse: pdu.isResponse(),
    status: pdu.command_status,
    sequence: pdu.sequence_number,
    text: (field) => textOf(valueIn(field)),
    int: (field) => intOf(valueIn(field)),
    bytes: (field) => bytesOf(valueIn(field)),
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const intOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)
const bytesOf = (value: unknown): Buffer => (Buffer.isBuffer(value) ? value : Buffer.alloc(0))

/** The code of an `ESME_…` name. */
export function statusCode(name: string): number {
  const code = smpp.errors[name]
  if (code === undefined) throw new Error(`SMPP has no status ${name}`)
  return code
}

const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(smpp.errors).map(([name, code]) => [code, name]))

/** `ESME_RTHROTTLED (0x58)`; of a vendor's own code the number alone. */
export function statusName(code: number): string {
  const hex = `0x${code.toString(16).toUpperCase().padStart(2, '0')}`
  const name = NAMES.get(code)
  return name === undefined ? hex : `${name} (${hex})`
}
