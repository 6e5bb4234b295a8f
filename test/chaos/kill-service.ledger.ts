/** A value that a contact must have at the end: what was acknowledged last, or what was tried since then without an answer. */
export type Cell<T> = { acked: T; maybe: T[] }

export type OwnContact = {
  readonly email: string
  readonly id: string
  readonly firstName: Cell<string>
  readonly notes: Cell<string | null>
  readonly suppressed: Cell<boolean>
}

/** A send that was answered 202. No other send has its subject, whatever else was not answered. */
export type AckedSend = Readonly<{ messageId: string; subject: string; mayBeSuppressed: boolean }>

/** What the service has promised. */
export type Ledger = Readonly<{
  sends: AckedSend[]
  contacts: OwnContact[]
  writes: { count: number }
  unanswered: { count: number }
  refused: Map<string, number>
}>

export function newLedger(): Ledger {
  return { sends: [], contacts: [], writes: { count: 0 }, unanswered: { count: 0 }, refused: new Map() }
}

export function ownContact(email: string, id: string, firstName: string): OwnContact {
  return {
    email,
    id,
    firstName: { acked: firstName, maybe: [] },
    notes: { acked: null, maybe: [] },
    suppressed: { acked: false, maybe: [] },
  }
}

/** Whether what the service shows is something it may show. */
export function allows<T>({ acked, maybe }: Cell<T>, shown: unknown): boolean {
  return acked === shown || maybe.some((value) => value === shown)
}
