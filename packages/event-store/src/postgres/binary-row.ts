const NULL = -1
const LENGTH_BYTES = 4
const TWO_TO_32 = 2 ** 32
/** Postgres counts microseconds from 2000. */
const EPOCH_MS = Date.UTC(2000, 0, 1)

/** A row as Postgres's binary COPY sends it: the columns are taken one after the other, each as what it is. One object serves all rows. */
export class BinaryRow {
  #bytes = Buffer.alloc(0)
  #at = 0

  /** `at`: where the first column begins. */
  begin(bytes: Buffer<ArrayBuffer>, at: number): void {
    this.#bytes = bytes
    this.#at = at
  }

  /** Whether the next column is null; then it is passed. */
  isNull(): boolean {
    if (this.#bytes.readInt32BE(this.#at) !== NULL) return false
    this.#at += LENGTH_BYTES
    return true
  }

  text(): string {
    const start = this.#at + LENGTH_BYTES
    this.#at = start + this.#bytes.readInt32BE(this.#at)
    return this.#bytes.toString('utf8', start, this.#at)
  }

  bool(): boolean {
    this.#at += LENGTH_BYTES + 1
    return this.#bytes[this.#at - 1] === 1
  }

  int4(): number {
    this.#at += LENGTH_BYTES + 4
    return this.#bytes.readInt32BE(this.#at - 4)
  }

  int8(): bigint {
    this.#at += LENGTH_BYTES + 8
    return this.#bytes.readBigInt64BE(this.#at - 8)
  }

  /** A timestamptz, in milliseconds since 1970. */
  time(): number {
    this.#at += LENGTH_BYTES + 8
    const microseconds = this.#bytes.readInt32BE(this.#at - 8) * TWO_TO_32 + this.#bytes.readUInt32BE(this.#at - 4)
    return Math.round(microseconds / 1_000) + EPOCH_MS
  }
}
