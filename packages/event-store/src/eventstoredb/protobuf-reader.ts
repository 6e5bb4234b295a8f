const VARINT = 0
const FIXED64 = 1
const DELIMITED = 2
const FIXED32 = 5
/** The value of the tenth and last byte of a number. */
const LARGEST = 2 ** 63

/** Reads the fields of a message one after the other, those of a message within it too. Throws RangeError where the bytes are no message. */
export class ProtobufReader {
  readonly #bytes: Buffer
  readonly #end: number
  #at: number
  #start = 0
  #type = VARINT
  #number = 0
  /** Number of the field that `next` moved to. */
  field = 0

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.#bytes = bytes
    this.#at = at
    this.#end = end
  }

  /** Moves to the next field; false at the end. */
  next(): boolean {
    if (this.#at >= this.#end) return false
    const tag = this.#varint()
    this.field = tag >>> 3
    this.#type = tag & 7
    this.#start = this.#at
    if (this.#type === VARINT) this.#number = this.#varint()
    else if (this.#type === DELIMITED) {
      const length = this.#varint()
      this.#start = this.#at
      this.#at += length
    } else if (this.#type === FIXED64) this.#at += 8
    else if (this.#type === FIXED32) this.#at += 4
    else throw new RangeError(`a field of type ${this.#type}`)
    if (this.#at > this.#end) throw new RangeError('a field goes on after the end of its message')
    return true
  }

  /** Rounded above 2^53. */
  number(): number {
    this.#expect(VARINT)
    return this.#number
  }

  /** Exact. */
  bigint(): bigint {
    this.#expect(VARINT)
    if (Number.isSafeInteger(this.#number)) return BigInt(this.#number)
    let value = 0n
    for (let at = this.#start, shift = 0n; at < this.#at; at++, shift += 7n) value |= BigInt(this.#bytes[at]! & 0x7f) << shift
    return BigInt.asUintN(64, value)
  }

  text(): string {
    this.#expect(DELIMITED)
    return this.#bytes.toString('utf8', this.#start, this.#at)
  }

  /** The fields of this one. */
  message(): ProtobufReader {
    this.#expect(DELIMITED)
    return new ProtobufReader(this.#bytes, this.#start, this.#at)
  }

  #expect(type: number): void {
    if (this.#type !== type) throw new RangeError(`field ${this.field} is of type ${this.#type}, not ${type}`)
  }

  #varint(): number {
    let value = 0
    let scale = 1
    for (;;) {
      if (this.#at >= this.#end || scale > LARGEST) throw new RangeError('a number without an end')
      const byte = this.#bytes[this.#at++]!
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 128
    }
  }
}
