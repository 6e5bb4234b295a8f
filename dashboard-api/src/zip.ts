import { crc32, deflateRawSync } from 'node:zlib'

type ZippedFile = Readonly<{ name: string; bytes: Buffer }>

const VERSION = 20
const UTF8_NAMES = 0x0800
const DEFLATED = 8
/** What both headers say of a file: version, flags, method, time, date, checksum, sizes, length of the name, no extra field. */
const FACTS_BYTES = 26

/** Midnight of the first day that MS-DOS knows: the files have no time of their own. */
const FIRST_DAY = (1 << 5) | 1

/** A zip archive (APPNOTE 6.3) of a few small files with ASCII names. */
export function zipOf(files: readonly ZippedFile[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, bytes } of files) {
    const packed = deflateRawSync(bytes)
    const facts = factsOf({ name, bytes }, packed)
    const local = Buffer.concat([signature('0304'), facts, Buffer.from(name), packed])
    // No comment, the first disk, no attributes.
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([signature('0102'), number16(VERSION), facts, rest, Buffer.from(name)]))
    parts.push(local)
    offset += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, listed, signature('0506'), end])
}

const signature = (kind: string): Buffer => Buffer.from(`504b${kind}`, 'hex')

const number16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

const factsOf = ({ name, bytes }: ZippedFile, packed: Buffer): Buffer => {
  const facts = Buffer.alloc(FACTS_BYTES)
  for (const [at, value] of [VERSION, UTF8_NAMES, DEFLATED, 0, FIRST_DAY].entries()) facts.writeUInt16LE(value, 2 * at)
  facts.writeUInt32LE(crc32(bytes), 10)
  facts.writeUInt32LE(packed.length, 14)
  facts.writeUInt32LE(bytes.length, 18)
  facts.writeUInt16LE(Buffer.byteLength(name), 22)
  return facts
}
