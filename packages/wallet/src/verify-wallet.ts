import type { Recorded, StreamReader } from '@tidings/codec'
import type { CreditHold, MessageId, OpenHold, WalletEvent, WorkspaceId } from '@tidings/domain'
import { walletEvents } from './statement.ts'

type Verified = Readonly<{
  ok: boolean
  events: number
  balance: number
  held: number
  /** One sentence each; no more than 100. */
  problems: readonly string[]
}>

const MAX_PROBLEMS = 100

/** The book as it is kept here, apart from the rules that wrote it. */
type Book = { balance: number; held: number; open: Map<string, OpenHold>; paid: Set<string> }

/**
 * Recomputes a wallet from its first event, with the arithmetic of a cash book and nothing of the decider: every hold is for credits that
 * were available, ends once with its own amount, no message is paid twice, and every balance that was carried forward is what the events before it give. Keeps the
 * ids of all paid messages in memory, about 100 bytes each.
 */
export async function verifyWallet(log: StreamReader, workspaceId: WorkspaceId): Promise<Verified> {
  const book: Book = { balance: 0, held: 0, open: new Map(), paid: new Set() }
  const problems: string[] = []
  let events = 0
  for await (const event of walletEvents(log, workspaceId)) {
    if (event.revision !== events) problems.push(`Event ${events} is missing.`)
    events = event.revision + 1
    for (const what of enter(book, event)) problems.push(`Event ${event.revision} (${event.type}): ${what}.`)
    if (problems.length >= MAX_PROBLEMS) break
  }
  const { balance, held } = book
  return { ok: problems.length === 0, events, balance, held, problems: problems.slice(0, MAX_PROBLEMS) }
}

/** Enters one event, and says what is wrong with it. */
function enter(book: Book, event: Recorded<WalletEvent>): readonly string[] {
  switch (event.type) {
    case 'CreditsAdded':
      book.balance += event.data.amount
      return Number.isInteger(event.data.amount) && event.data.amount > 0 ? [] : [`${event.data.amount} credits were added`]
    case 'CreditsHeld':
      return [...event.data.holds.flatMap((hold) => place(book, hold, event.revision)), ...overdrawn(book)]
    case 'CreditHoldsTakenOver':
      return event.data.holds.flatMap(({ messageId, holder }) => {
        const open = book.open.get(messageId)
        if (open) book.open.set(messageId, { ...open, holder, holderRevision: event.revision })
        return open ? [] : [`no hold is open for message ${messageId}`]
      })
    case 'CreditsSettled':
      return event.data.holds.flatMap((hold) => {
        const isPaid = book.paid.has(hold.messageId)
        book.paid.add(hold.messageId)
        book.balance -= hold.amount
        return [...close(book, hold), ...(isPaid ? [`message ${hold.messageId} is paid twice`] : [])]
      })
    case 'CreditsReleased':
      return event.data.holds.flatMap((hold) => close(book, hold))
    case 'BalanceCarriedForward':
      return carried(book, event)
    default:
      return event satisfies never
  }
}

function place(book: Book, hold: CreditHold, revision: number): readonly string[] {
  const isOpen = book.open.has(hold.messageId)
  book.open.set(hold.messageId, { ...hold, revision, holderRevision: revision })
  book.held += hold.amount
  return [
    ...(isOpen ? [`a hold is open for message ${hold.messageId} already`] : []),
    ...(Number.isInteger(hold.amount) && hold.amount > 0 ? [] : [`${hold.amount} credits are held for message ${hold.messageId}`]),
  ]
}

function close(book: Book, { messageId, amount }: Readonly<{ messageId: MessageId; amount: number }>): readonly string[] {
  const open = book.open.get(messageId)
  book.open.delete(messageId)
  book.held -= amount
  if (open === undefined) return [`no hold is open for message ${messageId}`]
  return open.amount === amount ? [] : [`the hold for message ${messageId} is of ${open.amount} credits, not ${amount}`]
}

const overdrawn = ({ balance, held }: Book): readonly string[] => (held > balance ? [`${held} credits are held of ${balance}`] : [])

function carried(book: Book, { data, revision }: Recorded<Extract<WalletEvent, { type: 'BalanceCarriedForward' }>>): readonly string[] {
  const same = ({ messageId, amount, holder, ...revisions }: OpenHold) => {
    const open = book.open.get(messageId)
    const isOfSameEvents = open?.revision === revisions.revision && open.holderRevision === revisions.holderRevision
    return isOfSameEvents && open.amount === amount && open.holder === holder
  }
  return [
    ...(data.events === revision ? [] : [`it stands for ${data.events} events`]),
    ...(data.balance === book.balance ? [] : [`it carries ${data.balance} credits, not ${book.balance}`]),
    ...(data.holds.length === book.open.size && data.holds.every(same) ? [] : ['it carries other holds than are open']),
  ]
}
