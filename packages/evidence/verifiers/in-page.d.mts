import type { Given, ProofCrypto, Verified } from './check-proof.mjs'

export { headline, type Verified } from './check-proof.mjs'

/** They are those of `@noble/hashes` and `@noble/curves`. */
export const pageCrypto: ProofCrypto

/** What verify.mjs says of the same files. `read` answers one by its name, and throws where there is none. */
export function verifyInPage(read: (name: string) => Uint8Array, given: Given): Verified
