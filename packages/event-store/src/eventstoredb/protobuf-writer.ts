/** Bytes that `text` takes as a field with a tag of one byte; as bytes or as a string, which are the same on the wire. */
export function textSize(text: string): number {
  return delimitedSize(Buffer.byteLength(text))
}

/** Bytes of a field of `size` bytes, with its tag of one byte and its length. */
export function delimitedSize(size: number): number {
  return 1 + varintSize(size) + size
}

export function varintSize(value: number): number {
  let size = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size += 1
  return size
}

/** Writes a message whose size is known into one buffer. */
export class ProtobufWriter {
  readonly bytes: Buffer
  #at = 0

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size)
  }

  /** A field that is a whole number up to 2^53. A tag is the number and the type of a field, here always one byte. */
  varint(tag: number, value: number): void {
    this.bytes[this.#at++] = tag
    this.#varint(value)
  }

  /** Opens a message within this one; its `size` bytes are written next. */
  open(tag: number, size: number): void {
    this.varint(tag, size)
  }

  text(tag: number, text: string): void {
    this.open(tag, Buffer.byteLength(text))
    this.#at += this.bytes.write(text, this.#at)
  }

  raw(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.#at)
    this.#at += bytes.length
  }

  #varint(value: number): void {
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.bytes[this.#at++] = (rest % 0x80) | 0x80
    this.bytes[this.#at++] = rest
  }
}
