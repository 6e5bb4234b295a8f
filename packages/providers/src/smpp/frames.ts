import { MAX_PDU, PDU_HEADER } from './pdu.ts'

/**
 * Cuts what a socket brings into PDUs, wherever the chunks break. Holds less than one PDU (16 KB) beside the chunk. Throws where a length
 * is none of SMPP's: nothing after that can be understood, and the connection must end.
 */
export class FrameReader {
  #chunks: Buffer[] = []
  #held = 0
  #needed = 4;

  *read(chunk: Buffer): Generator<Buffer, void, undefined> {
    this.#chunks.push(chunk)
    this.#held += chunk.length
    if (this.#held < this.#needed) return
    const data = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#held)
    let at = 0
    this.#needed = 4
    while (data.length - at >= 4) {
      const length = data.readUInt32BE(at)
      if (length < PDU_HEADER || length > MAX_PDU) throw new Error(`a PDU of ${length} bytes is no SMPP`)
      if (data.length - at < length) {
        this.#needed = length
        break
      }
      yield data.subarray(at, at + length)
      at += length
    }
    // A copy: the rest would keep the whole chunk in memory.
    this.#chunks = at === data.length ? [] : [Buffer.from(data.subarray(at))]
    this.#held = data.length - at
  }
}
