/** How much was checked: of the export, and of the log that it is of. `until`: when the last event of that log was recorded. `key`: the fingerprint. */
type Checked = Readonly<{ contacts: number; consents: number; events: number; logSize: number; until: string; key: string }>

/**
 * As `--json` prints it: a sentence for each problem. `keyChecked`: the log is signed by the key that was trusted from outside, or is that of the anchor
 * that was. `checked`: null where there is no proof to be read.
 */
export type Verified = Readonly<{
  ok: boolean
  problems: readonly string[]
  keyChecked: boolean
  checked: Checked | null
  notes: readonly string[]
}>

/** The first line of what is printed for people. */
export function headline(verified: Pick<Verified, 'ok' | 'keyChecked' | 'checked'>): string

/** 0: right, by a key or an anchor that is trusted. 1: wrong. 3: consistent, and nothing was given to trust. */
export function exitOf(verified: Pick<Verified, 'ok' | 'keyChecked'>): 0 | 1 | 3

/** `sha256`: in hexadecimal digits. `isSignedBy`: Ed25519 by RFC 8032, without the cofactor; it throws, or is false, for what is no key. */
export type ProofCrypto = Readonly<{
  sha256: (bytes: Uint8Array) => string
  isSignedBy: (publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array) => boolean
}>

/** `trusted`: a fingerprint, `readAnchor`: answers the bytes of an anchor; null where none was given. */
export type Given = Readonly<{ trusted: string | null; readAnchor: (() => Uint8Array) | null }>

/** `read` answers a file of the export by its name, and throws where there is none. */
export function verifyProof(read: (name: string) => Uint8Array, given: Given, crypto: ProofCrypto): Verified

/** A fingerprint. */
export const HASH: RegExp

/** RFC 8785, of whole numbers and members with ASCII names. */
export function canonical(value: unknown): string

type Inclusion = Readonly<{ leaf: string; index: number; size: number; path: readonly string[]; root: string }>
export function isIncluded(proof: Inclusion, crypto: Pick<ProofCrypto, 'sha256'>): boolean

type Consistency = Readonly<{ old: number; oldRoot: string; size: number; root: string; path: readonly string[] }>
export function isConsistent(proof: Consistency, crypto: Pick<ProofCrypto, 'sha256'>): boolean

/** What sealed events say about consent, oldest first (N188, D1). Encrypted fields are not in it. */
export type SealedConsent = Readonly<{
  actor: string
  at: string
  channel: string
  from: string | null
  requestId: string
  revision: number
  source: string
  to: string
}>

type Sealed = Readonly<{ data: string; meta: string; revision: number; type: string }>
/** `events`: those of one contact, in order. */
export function consentsIn(events: readonly Readonly<{ event: Sealed }>[]): readonly SealedConsent[]

/** A tree head from a line of an anchor, in bytes; null for a line that is none. */
export function parseHead(line: Uint8Array): Readonly<{
  signature: string
  statement: Readonly<{ at: string; kind: string; log: string; root: string; size: number }>
}> | null

/** Whether a line of an anchor, which is not the last, is the beginning of one that a crash has cut off. */
export function isTorn(line: string): boolean
