// The verifier of a page: a browser has neither node:crypto nor, on plain http of another host, WebCrypto.
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { verifyProof } from './check-proof.mjs'

export { headline } from './check-proof.mjs'

const { Point } = ed25519

const numberOf = (littleEndian) => BigInt(`0x${bytesToHex(Uint8Array.from(littleEndian).reverse())}`)

/** RFC 8032 §5.1.7 without the cofactor, as node:crypto does it: `ed25519.verify` multiplies by it, and takes signatures that others refuse. */
const isSignedBy = (publicKey, signature, message) => {
  const [r, s] = [signature.subarray(0, 32), numberOf(signature.subarray(32))]
  if (s >= Point.Fn.ORDER) return false
  const k = Point.Fn.create(numberOf(sha512.create().update(r).update(publicKey).update(message).digest()))
  const expected = Point.BASE.multiplyUnsafe(s).subtract(Point.fromBytes(publicKey).multiplyUnsafe(k))
  return bytesToHex(expected.toBytes()) === bytesToHex(r)
}

export const pageCrypto = { sha256: (bytes) => bytesToHex(sha256(bytes)), isSignedBy }

export const verifyInPage = (read, given) => verifyProof(read, given, pageCrypto)
