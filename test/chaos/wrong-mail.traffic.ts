import { setTimeout as sleep } from 'node:timers/promises'
import type { Run } from './wrong-mail.ledger.ts'
import { marked, phoneOf } from './wrong-mail.providers.ts'
import { CALM_SENDER, type Person, SENDER } from './wrong-mail.world.ts'

const THINK_MS = 150
const PASSCODE_MS = 700
/** Parts of the range of numbers. */
const CUSTOMERS = 1
const CODES = 2
/** The facts of each member that are written again while the person stays a member. */
const STAYS: Readonly<Record<string, number>> = { always: 5_000, between: 500 }

const isPaused = (signal: AbortSignal, ms: number): Promise<unknown> => sleep(ms, undefined, { signal }).catch(() => undefined)

/** Facts of members change and leave them members; of those who join, once; orders come in. */
export async function changeFacts({ world: { shop, people }, ledger, signal, forgotten }: Run): Promise<void> {
  const writeFact = async (person: Person, spend: number): Promise<boolean> => {
    const { status } = await shop.insist('PATCH', `/public/profiles/${person.id}`, { customProperties: { spend } })
    return status === 200
  }
  for (let n = 0; !signal.aborted; n++, await isPaused(signal, THINK_MS)) {
    const person = people[n % people.length]
    if (person === undefined || forgotten.has(person.n)) continue
    const stays = STAYS[person.kind]
    if (stays !== undefined) await writeFact(person, stays + (n % 400))
    if (person.kind === 'joiner' && !ledger.joinedAt.has(person.n)) {
      ledger.joinedAt.set(person.n, Date.now())
      if (!(await writeFact(person, 5_000))) ledger.joinedAt.delete(person.n)
    }
    if (person.kind === 'orderer' && !ledger.orderedAt.has(person.n)) {
      ledger.orderedAt.set(person.n, Date.now())
      const { status } = await shop.insist('POST', '/events/ingest', { event: 'ordered', contactId: person.id })
      if (status !== 200) ledger.orderedAt.delete(person.n)
    }
  }
}

/** Transactional mail and texts to customers who never say no, and to numbers that the gateway does not serve. */
export async function sendReceipts({ world: { shop }, ledger, signal }: Run): Promise<void> {
  const send = async (channel: 'email' | 'sms', n: number, isServed: boolean): Promise<void> => {
    const cause = `receipt-${channel}-${n}`
    const to = channel === 'email' ? `customer${n}@customers.example` : phoneOf(isServed ? null : 'throttled', CUSTOMERS, n)
    const mail = { to, fromEmail: 'hello@shop.example', subject: marked(cause), html: '<p>Thanks</p>' }
    const body = channel === 'email' ? mail : { to, senderId: SENDER, body: marked(cause) }
    const { status, message, data } = await shop.insist('POST', `/public/messages/${channel}`, body)
    if (status !== 202) throw new Error(`a receipt was answered ${status}: ${message}`)
    if (isServed) ledger.accepted.push({ channel, to, cause, messageId: String(data.messageId) })
  }
  for (let n = 0; !signal.aborted; n++, await isPaused(signal, 2 * THINK_MS)) {
    await send('email', n, true)
    await send('sms', n, n % 5 !== 4)
  }
}

/** Passcodes of a workspace that does nothing else. */
export async function askForPasscodes({ world: { calm }, ledger: { passcodes }, signal }: Run): Promise<void> {
  for (let n = 0; !signal.aborted; n++, await isPaused(signal, PASSCODE_MS)) {
    const answer = await calm.ask('POST', '/otp/send', {
      phone: phoneOf(null, CODES, n),
      senderId: CALM_SENDER,
      message: `${marked(`code-${n}`)} {{code}}`,
    })
    if (answer === null || answer.status === 502) passcodes.unanswered++
    else if (answer.status === 200) passcodes.issued++
    else passcodes.refused.set(`${answer.status} ${answer.message}`, (passcodes.refused.get(`${answer.status} ${answer.message}`) ?? 0) + 1)
  }
}
