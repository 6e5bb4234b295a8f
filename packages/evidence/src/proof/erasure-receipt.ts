import type { LogKey } from './log-key.ts'

const FORMAT = 'tidings erasure receipt v1'

type InLog = Readonly<{ at: string; position: string }>

/** The facts of an erasure that is whole: ids, times and counts, no word of the person. */
type ErasureFacts = Readonly<{
  workspace: Readonly<{ id: string; slug: string }>
  contactId: string
  requested: InLog & Readonly<{ by: string }>
  erased: InLog
  finishedAt: string
  cleared: readonly Readonly<{ place: string; cleared: number }>[]
  stays: Readonly<{ consents: number; messages: number }>
}>

/** A receipt, signed by the key that signs the heads of the log: Ed25519 over the canonical JSON (RFC 8785) of all but `signature`. */
export function erasureReceipt(facts: ErasureFacts, key: Pick<LogKey, 'fingerprint' | 'publicKey' | 'sign'>): object {
  const { workspace, contactId, requested, erased, finishedAt, cleared, stays } = facts
  const unsigned = {
    format: FORMAT,
    ...{ workspace, contactId, requested, erased, finishedAt },
    keyDestroyed: true,
    ...{ cleared, stays },
    key: { algorithm: 'Ed25519', fingerprint: key.fingerprint, publicKey: key.publicKey },
  }
  return { ...unsigned, signature: key.sign(unsigned) }
}
