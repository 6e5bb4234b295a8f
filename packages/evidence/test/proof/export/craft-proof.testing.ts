import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asContactId, type ContactId } from '@tidings/domain'
import { signedProof } from '../../../src/proof/export/document.ts'
import { HEAD_KIND, type SignedHead } from '../../../src/proof/heads.ts'
import { type LogKey, logKeyOf } from '../../../src/proof/log-key.ts'
import { leafOf, type StoredEvent } from '../../../src/proof/stored-event.ts'
import { nodeHash } from '../../../src/proof/tree/hash.ts'
import { consistencyRanges, inclusionRanges, type Range } from '../../../src/proof/tree/ranges.ts'
import { canonical, consentsIn } from '../../../verifiers/verify.mjs'
import type { Json } from './run-verifiers.testing.ts'

/** The key of a log whose signer does what a forger asks. */
export const SIGNER: LogKey = logKeyOf(Buffer.alloc(32, 7))
export const STRANGER: LogKey = logKeyOf(Buffer.alloc(32, 8))

const WORKSPACE = { id: '0192b1f0-0000-7000-8000-000000000001', slug: 'acme' }
export const ADA = asContactId('0192b1f0-0000-7000-8000-00000000000a')
export const EVE = asContactId('0192b1f0-0000-7000-8000-00000000000e')

/** The time so many minutes after the log began. */
export function minute(n: number): string {
  return new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString()
}

type GivenConsent = Readonly<{ contactId: ContactId; to: string; created: string; at?: string }>

const idOf = (n: number): string => `0192b1f0-0000-7000-8000-${String(n).padStart(12, '0')}`

/** A log that anybody may have written: each event is a consent, revisions count by contact. */
export function eventsOf(said: readonly GivenConsent[]): readonly StoredEvent[] {
  const revisions = new Map<string, number>()
  return said.map(({ contactId, to, created, at = created }, n) => {
    const revision = revisions.get(contactId) ?? 0
    revisions.set(contactId, revision + 1)
    return {
      ...{ created, id: idOf(n), revision, stream: `contact-${WORKSPACE.id}-${contactId}`, type: 'ContactConsentRecorded' },
      data: JSON.stringify({ channel: 'email', from: 'subscribed', source: 'api', to }),
      meta: JSON.stringify({ actor: 'recipient', at, causationId: `c-${n}`, requestId: `r-${n}`, workspaceId: WORKSPACE.id }),
    }
  })
}

/** The proofs of a log, as they are where the signer is honest. */
export class CraftedLog {
  readonly events: readonly StoredEvent[]
  readonly #leaves: readonly Buffer[]

  constructor(events: readonly StoredEvent[]) {
    this.events = events
    this.#leaves = events.map(leafOf)
  }

  #hash({ from, to }: Range): Buffer {
    if (to - from === 1) return this.#leaves[from]!
    let width = 1
    while (width * 2 < to - from) width *= 2
    return nodeHash(this.#hash({ from, to: from + width }), this.#hash({ from: from + width, to }))
  }

  #hex = (range: Range): string => this.#hash(range).toString('hex')

  head(size = this.events.length, at = this.events[size - 1]!.created, key = SIGNER): SignedHead {
    const statement = { at, kind: HEAD_KIND, log: key.fingerprint, root: this.#hex({ from: 0, to: size }), size } as const
    return { signature: key.sign(statement), statement }
  }

  proven(contactId: ContactId, size = this.events.length) {
    const events = this.events
      .slice(0, size)
      .map((event, index) => ({ event, index, path: inclusionRanges(index, size).map(this.#hex) }))
      .filter(({ event }) => event.stream.endsWith(contactId))
    const consents = consentsIn(events).map((consent) => ({ ...consent, ip: null, userAgent: null }))
    return { consents, contactId, erased: false, events, revisions: events.length }
  }

  earlier(head: SignedHead, size = this.events.length) {
    return { head, path: consistencyRanges(head.statement.size, size).map(this.#hex) }
  }
}

const REPORT = '<!doctype html>\n'

export type CraftedProof = Readonly<{
  log: CraftedLog
  contactIds?: readonly ContactId[]
  size?: number
  heads?: readonly SignedHead[]
  at?: string
  exportedAt?: string
  key?: LogKey
}>

/** A proof as the signer of the log writes it. */
export function craftProof({
  log,
  contactIds = [ADA],
  size = log.events.length,
  heads = [],
  at,
  exportedAt,
  key = SIGNER,
}: CraftedProof): Json {
  const head = log.head(size, at, key)
  const statements = {
    contacts: contactIds.map((id) => log.proven(id, size)),
    earlierHeads: heads.map((each) => log.earlier(each, size)),
    ...{ exportedAt: exportedAt ?? head.statement.at, head, workspace: WORKSPACE },
  }
  return JSON.parse(canonical(signedProof(statements, REPORT, key))) as Json
}

/** Signs a proof that was changed. */
export function signAnew(proof: object, key = SIGNER): object {
  const { signature: _, ...rest } = proof as Readonly<{ signature: string }>
  return { ...rest, signature: key.sign(rest) }
}

export function writeProof(directory: string, proof: object | string | Buffer): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'report.html'), REPORT)
  writeFileSync(join(directory, 'proof.json'), typeof proof === 'string' || Buffer.isBuffer(proof) ? proof : canonical(proof))
}

/** An anchor that has these heads. */
export function linesOf(heads: readonly SignedHead[]): string {
  return heads.map((head) => `${canonical(head)}\n`).join('')
}
