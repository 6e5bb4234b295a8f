const SEED = 0x9747b28c
const M = 0x5bd1e995

const mixed = (word: number): number => {
  const k = Math.imul(word, M)
  return Math.imul(k ^ (k >>> 24), M)
}

/** The hash by which Kafka's clients place a key (org.apache.kafka.common.utils.Utils.murmur2), as a signed 32-bit number. */
export function murmur2(data: Buffer): number {
  const whole = data.length & ~3
  let hash = SEED ^ data.length
  for (let at = 0; at < whole; at += 4) hash = Math.imul(hash, M) ^ mixed(data.readInt32LE(at))
  if (data.length > whole) {
    for (let at = data.length - 1; at >= whole; at--) hash ^= (data[at] ?? 0) << (8 * (at - whole))
    hash = Math.imul(hash, M)
  }
  hash = Math.imul(hash ^ (hash >>> 13), M)
  return hash ^ (hash >>> 15)
}
