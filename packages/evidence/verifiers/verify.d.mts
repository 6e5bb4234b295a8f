import type { ProofCrypto, Verified } from './check-proof.mjs'

export * from './check-proof.mjs'

export const nodeCrypto: ProofCrypto

export function verifyFolder(directory: string, options?: Readonly<{ trusted?: string | null; anchor?: string | null }>): Verified

export function verifyFiles(
  read: (name: string) => Buffer,
  options?: Readonly<{ trusted?: string | null; anchor?: string | null }>,
): Verified
