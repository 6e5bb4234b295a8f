/** What a receipt says of one part. `id` is the SMSC's, as the receipt writes it. */
export type ReceiptText = Readonly<{
  id: string
  status: 'sent' | 'delivered' | 'failed'
  reason: 'undeliverable' | 'expired' | 'provider_rejected' | 'sms_stop' | null
  /** The state as the SMSC wrote it, with its error code. */
  detail: string
  /** Its `err`, '' where it has none. */
  error: string
}>

type ReceiptOutcome = Readonly<{ status: ReceiptText['status']; reason: ReceiptText['reason'] }>

const SENT: ReceiptOutcome = { status: 'sent', reason: null }
const DELIVERED: ReceiptOutcome = { status: 'delivered', reason: null }
const UNDELIVERABLE: ReceiptOutcome = { status: 'failed', reason: 'undeliverable' }
const EXPIRED: ReceiptOutcome = { status: 'failed', reason: 'expired' }
const REJECTED: ReceiptOutcome = { status: 'failed', reason: 'provider_rejected' }
const OPTED_OUT: ReceiptOutcome = { status: 'failed', reason: 'sms_stop' }

/** Reads a status by its first letters, since SMSCs cut the words at seven or write them out (SMPP 3.4 appendix B). UNKNOWN settles nothing. */
const BY_WORD: readonly (readonly [prefix: string, outcome: ReceiptOutcome])[] = [
  ['DELIV', DELIVERED],
  ['EXPIR', EXPIRED],
  ['DELET', UNDELIVERABLE],
  ['UNDEL', UNDELIVERABLE],
  ['REJEC', REJECTED],
  ['SKIPP', REJECTED],
  ['OPTOU', OPTED_OUT],
  ['OPTED', OPTED_OUT],
  ['ACCEP', SENT],
  ['ENROU', SENT],
  ['SCHED', SENT],
  ['UNKNO', SENT],
]

/** message_state (SMPP 3.4 §5.2.28). */
const BY_STATE: ReadonlyMap<number, ReceiptOutcome> = new Map([
  [1, SENT],
  [2, DELIVERED],
  [3, EXPIRED],
  [4, UNDELIVERABLE],
  [5, UNDELIVERABLE],
  [6, SENT],
  [7, SENT],
  [8, REJECTED],
])

/** An id, up to the first byte that is no printable character: an SMSC may leave the end of a string out. */
const ID = /^[\x21-\x7e]{1,65}/

/**
 * Reads a receipt: its text `id:… sub:… dlvrd:… submit date:… done date:… stat:… err:… text:…` in any case, order and with any field
 * missing, and the TLVs, which win. Null where it names no message or no state that is known.
 */
export function readReceipt(text: string, tlvs: Readonly<{ id: string; state: number | null }>): ReceiptText | null {
  // The quoted text comes last, and may look like a field.
  const fields = text.replace(/\btext:.*/is, '')
  const field = (name: string) => new RegExp(`\\b${name}:\\s*([^\\s]+)`, 'i').exec(fields)?.[1] ?? ''
  const id = ID.exec(tlvs.id)?.[0] ?? ID.exec(field('id'))?.[0]
  const word = field('stat')
  const byWord = outcomeOf(word)
  const outcome = byWord === OPTED_OUT ? byWord : ((tlvs.state === null ? undefined : BY_STATE.get(tlvs.state)) ?? byWord)
  if (id === undefined || outcome === undefined) return null
  const error = field('err')
  const said = word === '' ? `message_state ${tlvs.state}` : word
  return { id, ...outcome, detail: (error === '' ? said : `${said} err:${error}`).slice(0, 100), error }
}

const outcomeOf = (word: string): ReceiptOutcome | undefined => BY_WORD.find(([prefix]) => word.toUpperCase().startsWith(prefix))?.[1]
