import { LRUCache } from 'lru-cache'

/** A message that the SMSC took, with its ids of the parts. */
export type Submitted = Readonly<{ workspaceId: string; messageId: string; to: string; partIds: readonly string[] }>

type Known = Submitted & { readonly delivered: Set<string>; isReported: boolean; queue: Promise<unknown> }

/** Resolves when the outcome of the message is recorded. */
type Report = (message: Submitted) => Promise<void>

/** Three days is how long SMSCs try by default; a part takes some 300 bytes here. */
const MAX_PARTS = 100_000
const MAX_AGE_MS = 72 * 3_600_000

/**
 * The messages that this process submitted, by the ids of their parts: delivered once all parts are, failed when one has. Bounded in number
 * and age. A receipt that another process's message gets here, or that comes after a restart, finds nothing.
 */
export class SubmittedParts {
  readonly #byPart = new LRUCache<string, Known>({ max: MAX_PARTS, ttl: MAX_AGE_MS })

  add(message: Submitted): void {
    const known = { ...message, delivered: new Set<string>(), isReported: false, queue: Promise.resolve() }
    for (const partId of idsOf(message)) this.#byPart.set(partId, known)
  }

  /**
   * The id of the part that a receipt means: as it was given, or in the other of hexadecimal and decimal, or with other leading zeros. A
   * converted id may be another message's, so it counts only where one of the receipt's numbers is the recipient's.
   */
  find(receiptId: string, numbers: readonly string[]): string | null {
    const exact = receiptId.toLowerCase()
    const found = readingsOf(exact).filter((id) => this.#byPart.has(id))
    return found.find((id) => isAmong(this.#byPart.peek(id)!.to, numbers)) ?? found.find((id) => id === exact) ?? null
  }

  /** Reports at most once a message, and again only where `report` rejected. Receipts of one message wait for each other. */
  async settle(partId: string, status: 'sent' | 'delivered' | 'failed', report: Report): Promise<void> {
    const known = this.#byPart.get(partId)
    if (known === undefined || status === 'sent') return
    const settled = known.queue.then(async () => {
      if (status === 'delivered') known.delivered.add(partId)
      const isFinal = status === 'failed' || known.delivered.size === new Set(idsOf(known)).size
      if (known.isReported || !isFinal) return
      await report(known)
      known.isReported = true
    })
    known.queue = settled.catch(() => undefined)
    await settled
  }
}

/** An SMSC may give a part no id, and then no receipt of it is known. */
const idsOf = ({ partIds }: Submitted): readonly string[] => partIds.filter((id) => id !== '').map((id) => id.toLowerCase())

function readingsOf(id: string): readonly string[] {
  const bare = id.replace(/^0+(?=.)/, '')
  const asHex = /^\d{1,20}$/.test(id) ? BigInt(id).toString(16) : null
  const asDecimal = /^[0-9a-f]{1,16}$/.test(id) ? BigInt(`0x${id}`).toString(10) : null
  const readings = [id, bare, asHex, asDecimal].filter((reading) => reading !== null)
  // SMSCs write numbers with leading zeros to eight or ten places.
  return [...new Set(readings.flatMap((reading) => [reading, reading.padStart(8, '0'), reading.padStart(10, '0')]))]
}

/** Numbers of one subscriber, written nationally or internationally, end alike. */
function isAmong(number: string, others: readonly string[]): boolean {
  const end = digitsOf(number).slice(-7)
  return others.some((other) => digitsOf(other).endsWith(end))
}

const digitsOf = (number: string): string => number.replace(/\D/g, '')
