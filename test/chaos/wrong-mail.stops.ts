import { setTimeout as sleep } from 'node:timers/promises'
import { insist } from './callers.ts'
import { noteNo, type Run } from './wrong-mail.ledger.ts'
import type { RefusalKind } from './wrong-mail.plan.ts'
import { type Person, SENDER } from './wrong-mail.world.ts'

type SaysNo = (run: Run, person: Person) => Promise<void>

const note = (run: Run, person: Person, what: string, channels: readonly ('email' | 'sms')[]): void =>
  noteNo(run, person, { what, channels, at: Date.now() })

const consent: SaysNo = async (run, person) => {
  const body = { emailConsent: 'unsubscribed', smsConsent: 'unsubscribed' }
  const { status } = await run.world.shop.insist('PATCH', `/public/profiles/${person.id}`, body)
  if (status !== 200) throw new Error(`a consent was answered ${status}`)
  note(run, person, 'consent', ['email', 'sms'])
}

/** The link of a mail that he has, or of none: then he has it done. */
const link: SaysNo = async (run, person) => {
  const { arrivals } = run.world.providers
  const url = arrivals.find(({ to, link: one }) => to === person.email && one !== null)?.link ?? null
  if (url === null) return await consent(run, person)
  // No public address is set: a link names the process that made it, which serves no pages.
  const { pathname, search } = new URL(url)
  await insist(async () => {
    const response = await fetch(`${run.world.stack.url}${pathname}${search}`, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    }).catch(() => null)
    await response?.arrayBuffer()
    return response !== null && response.status < 300 ? response : null
  })
  note(run, person, 'link', ['email'])
}

/** The service believes it where it has written to him; before that it belongs to no workspace. */
const stop: SaysNo = async (run, person) => {
  const { providers, stack } = run.world
  if (!providers.arrivals.some(({ to, answered }) => to === person.phone && answered)) return await consent(run, person)
  await insist(async () => ((await providers.sayStop(person.phone, SENDER, stack.of('command-api').url).catch(() => false)) ? true : null))
  note(run, person, 'STOP', ['sms'])
}

const blacklist: SaysNo = async (run, person) => {
  const body = { contactId: person.id, channel: 'both' }
  const { status } = await run.world.shop.insist('POST', '/public/profiles/blacklist', body)
  if (status >= 300) throw new Error(`a blacklisting was answered ${status}`)
  note(run, person, 'blacklist', ['email', 'sms'])
}

/** Stops by the command line, which is another process. */
const erase: SaysNo = async (run, person) => {
  run.forgotten.add(person.n)
  await run.world.operate(['contact', 'erase', '--workspace', 'shop', '--id', person.id])
  note(run, person, 'erase', ['email', 'sms'])
}

const WAYS: Readonly<Record<RefusalKind, SaysNo>> = { link, consent, stop, blacklist, erase }

/** The persons say no, each in the way of the plan, about so many a second; those who are to be erased one after the other. */
export async function sayNo(run: Run, persons: readonly Person[], withinMs: number): Promise<void> {
  const say = async (person: Person): Promise<void> => {
    if (person.no !== null) await WAYS[person.no](run, person)
  }
  const erased = persons.filter(({ no }) => no === 'erase')
  const others = persons.filter(({ no }) => no !== 'erase')
  const erasing = (async () => {
    for (const person of erased) await say(person)
  })()
  const saying = others.map(async (person, n) => {
    await sleep((n * withinMs) / others.length)
    await say(person)
  })
  await Promise.all([erasing, ...saying])
}
