import { createHash } from 'node:crypto'
import type { ContactId } from '@tidings/domain'
import type { SealedConsent } from '../../../verifiers/verify.mjs'
import type { SignedHead } from '../heads.ts'
import type { LogKey } from '../log-key.ts'
import type { Included } from '../prove.ts'
import type { StoredEvent } from '../stored-event.ts'

const FORMAT = 'tidings consent proof v1'

/** One line of a consent history, with what was opened for the reader; null where there was none, and after an erasure. */
export type ShownConsent = SealedConsent & Readonly<{ ip: string | null; userAgent: string | null }>

/** `events`: all of the contact up to the tree head, whatever they are about, sealed. `revisions`: how many there are. */
export type ProvenContact = Readonly<{
  consents: readonly ShownConsent[]
  contactId: ContactId
  erased: boolean
  events: readonly (Included & Readonly<{ event: StoredEvent }>)[]
  revisions: number
}>

export type EarlierHead = Readonly<{ head: SignedHead; path: readonly string[] }>

/** The statement of a proof, before it is signed. */
export type Statements = Readonly<{
  contacts: readonly ProvenContact[]
  earlierHeads: readonly EarlierHead[]
  exportedAt: string
  head: SignedHead
  workspace: Readonly<{ id: string; slug: string }>
}>

/** `proof.json`: as verifiers/verify.mjs and verify.py read it. Fixed for ever under this format. */
export function signedProof(statements: Statements, report: string, key: LogKey): object {
  const unsigned = {
    ...statements,
    format: FORMAT,
    key: { algorithm: 'Ed25519', fingerprint: key.fingerprint, publicKey: key.publicKey },
    report: { file: 'report.html', sha256: createHash('sha256').update(report).digest('hex') },
  }
  return { ...unsigned, signature: key.sign(unsigned) }
}
