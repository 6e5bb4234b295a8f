import type { Recorded, StreamReader } from '@tidings/codec'
import { type MessageId, type WalletEvent, type WorkspaceId, walletStream } from '@tidings/domain'
import { streamEvents } from '@tidings/log-views'

/** One line of a statement. `amount` is positive; `balance`, held credits included, and `held` are those after it. */
export type StatementEntry = Readonly<{
  at: string
  entry: 'topup' | 'hold' | 'settle' | 'release'
  amount: number
  balance: number
  held: number
  messageId: MessageId | null
  note: string | null
}>

type Line = Readonly<{ entry: 'topup' | 'hold' | 'settle' | 'release'; amount: number; messageId: MessageId | null; note: string | null }>

type Book = Readonly<{ balance: number; held: number }>

/** Every entry of a wallet, oldest first. Reads the stream page by page, and holds one page in memory. */
export async function* readStatement(log: StreamReader, workspaceId: WorkspaceId): AsyncGenerator<StatementEntry> {
  let book: Book = { balance: 0, held: 0 }
  for await (const event of walletEvents(log, workspaceId)) {
    const { entries, book: after } = bookAfter(book, event)
    yield* entries
    book = after
  }
}

/** What an event enters into a book, and the book afterwards. A balance that was carried forward is the book. */
export function bookAfter(before: Book, event: Recorded<WalletEvent>): Readonly<{ entries: readonly StatementEntry[]; book: Book }> {
  if (event.type === 'BalanceCarriedForward') {
    const { balance, holds } = event.data
    return { entries: [], book: { balance, held: holds.reduce((sum, { amount }) => sum + amount, 0) } }
  }
  let { balance, held } = before
  const entries = linesOf(event).map((line) => {
    if (line.entry === 'topup') balance += line.amount
    if (line.entry === 'settle') balance -= line.amount
    if (line.entry === 'hold') held += line.amount
    if (line.entry === 'settle' || line.entry === 'release') held -= line.amount
    return { at: event.meta.at, ...line, balance, held }
  })
  return { entries, book: { balance, held } }
}

/** All events of a wallet, oldest first. */
export function walletEvents(log: StreamReader, workspaceId: WorkspaceId): AsyncGenerator<Recorded<WalletEvent>> {
  return streamEvents(log, { workspaceId, stream: walletStream(workspaceId) })
}

function linesOf(event: WalletEvent): readonly Line[] {
  switch (event.type) {
    case 'CreditsAdded':
      return [{ entry: 'topup', amount: event.data.amount, messageId: null, note: event.data.note }]
    case 'CreditsHeld':
      return event.data.holds.map((hold) => ofMessage('hold', hold))
    case 'CreditsSettled':
      return event.data.holds.map((hold) => ofMessage('settle', hold))
    case 'CreditsReleased':
      return event.data.holds.map((hold) => ofMessage('release', hold))
    case 'CreditHoldsTakenOver':
    case 'BalanceCarriedForward':
      return []
    default:
      return event satisfies never
  }
}

const ofMessage = (entry: Line['entry'], { amount, messageId }: Readonly<{ amount: number; messageId: MessageId }>): Line => ({
  entry,
  amount,
  messageId,
  note: null,
})
