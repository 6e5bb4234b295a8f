import { setTimeout as sleep } from 'node:timers/promises'
import { type Smsc, startSmsc } from '@tidings/testing/smsc'
import { startSmtpSink } from '@tidings/testing/smtp-sink'
import { startTwilioServer, type TwilioRule } from '@tidings/testing/twilio-server'
import type { Plan, Trouble } from './wrong-mail.plan.ts'

/**
 * A message as it came to a provider. `cause`: what its text says that it is. `messageId`: null where the protocol has none. `taken`: whether the
 * provider will deliver it; `answered`: whether it said so. `link`: where the person unsubscribes.
 */
export type Arrival = Readonly<{
  at: number
  channel: 'email' | 'sms'
  to: string
  cause: string
  messageId: string | null
  taken: boolean
  answered: boolean
  link: string | null
}>

/** Servers of mail and texts that are slow, and partly away: what they do with a message depends on its address. */
export type Providers = Readonly<{
  emailUrl: string
  smsUrl: string
  arrivals: readonly Arrival[]
  /** Says STOP to a sender; whether the service has taken it. */
  sayStop: (from: string, to: string, publicUrl: string) => Promise<boolean>
  stop: () => Promise<void>
}>

type Arrive = (arrival: Omit<Arrival, 'at'>) => void

/** One process has so many: sessions with the relay, places of the window, calls of the API at once. */
export const SESSIONS = 5
const WINDOW = 5
const CALLS = 20
const MAIL_MS = 400
const TEXT_MS = 200
const PREFIXES: Readonly<Record<Trouble, string>> = { throttled: '2', silent: '3', broken: '4' }
/** Command_status: ESME_RTHROTTLED, ESME_RSYSERR. */
const SMPP_THROTTLED = 0x58
const SMPP_BROKEN = 0x08

export function domainOf(trouble: Trouble | null): string {
  return `${trouble ?? 'well'}.example`
}

/** A number whose prefix says what the providers do with it. `part`: for whom it is. */
export function phoneOf(trouble: Trouble | null, part: number, n: number): string {
  return `+9725${trouble === null ? '41' : `4${PREFIXES[trouble]}`}${part}${String(n).padStart(5, '0')}`
}

const troubleOf = (phone: string): Trouble | null => {
  const digit = phone.slice(6, 7)
  return (Object.keys(PREFIXES) as Trouble[]).find((trouble) => PREFIXES[trouble] === digit) ?? null
}

/** What a subject or text says that it is. */
export function marked(cause: string): string {
  return `#${cause}#`
}

const causeOf = (text: string): string => /#([^#]+)#/.exec(text)?.[1] ?? ''

const headerOf = (head: string, name: string): string => new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1] ?? ''

async function startMail(arrive: Arrive) {
  const sink = await startSmtpSink()
  sink.answers.rcpt = (to) => {
    if (to.endsWith(`@${domainOf('throttled')}`)) return { code: 450, message: '4.7.1 Too many messages to this domain' }
    if (to.endsWith(`@${domainOf('broken')}`)) return { code: 451, message: '4.3.0 Try again later' }
    return undefined
  }
  sink.answers.data = async ({ to, raw }) => {
    const head = raw
      .slice(0, raw.indexOf('\r\n\r\n'))
      .replace(/\r\n[ \t]+/g, ' ')
      .replaceAll('\r', '')
    const messageId = headerOf(head, 'Message-ID').replace(/^<([^@.]*)[^@]*@.*$/, '$1')
    const link = /<(https?:[^>]*)>/.exec(headerOf(head, 'List-Unsubscribe'))?.[1] ?? null
    const cause = causeOf(headerOf(head, 'Subject'))
    arrive({ channel: 'email', to: to[0] ?? '', cause, messageId, taken: true, answered: true, link })
    sink.mails.length = 0
    await sleep(MAIL_MS)
    return undefined
  }
  return { emailUrl: sink.url, stop: sink.stop }
}

type Texts = Pick<Providers, 'smsUrl' | 'sayStop' | 'stop'>

async function startTwilio(arrive: Arrive): Promise<Texts> {
  const server = await startTwilioServer()
  const rules: Readonly<Record<Trouble, TwilioRule>> = {
    throttled: { status: 429, code: 20_429, message: 'Too Many Requests' },
    silent: 'stall',
    broken: { status: 500, code: 20_500, message: 'Internal Server Error' },
  }
  server.control.rule = ({ form: { To = '', Body = '', StatusCallback = '' } }) => {
    // A probe has no recipient, and is refused at once.
    if (To === '') return undefined
    const trouble = troubleOf(To)
    const messageId = URL.canParse(StatusCallback) ? new URL(StatusCallback).searchParams.get('messageId') : null
    const [taken, answered] = [trouble === null || trouble === 'silent', trouble === null]
    arrive({ channel: 'sms', to: To, cause: causeOf(Body), messageId, taken, answered, link: null })
    if (trouble !== null) return rules[trouble]
    return (response, sid) => {
      const answer = JSON.stringify({ sid, status: 'queued', to: To, error_code: null })
      setTimeout(() => response.writeHead(201, { 'content-type': 'application/json' }).end(answer), TEXT_MS)
    }
  }
  return {
    smsUrl: server.url,
    sayStop: async (From, To, publicUrl) =>
      (await server.inbound(`${publicUrl}/api/v1/providers/twilio/inbound`, { From, To, Body: 'STOP' })) < 300,
    stop: server.stop,
  }
}

const smppRule = async (smsc: Smsc, to: string) => {
  const trouble = troubleOf(to)
  if (trouble === 'throttled') return SMPP_THROTTLED
  if (trouble === 'broken') return SMPP_BROKEN
  if (trouble === 'silent') return 'stall' as const
  smsc.submitted.length = 0
  await sleep(TEXT_MS)
  return 0
}

async function startSmpp(arrive: Arrive): Promise<Texts> {
  const smsc = await startSmsc()
  let submits = 0
  smsc.rules.id = () => `smsc-${submits++}`
  smsc.rules.submit = (sm) => {
    const to = `+${sm.to.replace(/^\+/, '')}`
    const trouble = troubleOf(to)
    const [taken, answered] = [trouble === null || trouble === 'silent', trouble === null]
    arrive({ channel: 'sms', to, cause: causeOf(sm.text), messageId: null, taken, answered, link: null })
    return smppRule(smsc, to)
  }
  return {
    smsUrl: `${smsc.url}?window=${WINDOW}`,
    sayStop: async (from, to) => (await smsc.deliver({ source_addr: from, destination_addr: to, short_message: 'STOP' })) === 0,
    stop: smsc.stop,
  }
}

/** How many messages the provider holds at a time, of both processes that send. */
export function placesOf(sms: Plan['sms'], channel: 'email' | 'sms'): number {
  return 2 * (channel === 'email' ? SESSIONS : sms === 'smpp' ? WINDOW : CALLS)
}

export async function startProviders(sms: Plan['sms']): Promise<Providers> {
  const arrivals: Arrival[] = []
  const arrive: Arrive = (arrival) => void arrivals.push({ at: Date.now(), ...arrival })
  const [mail, texts] = await Promise.all([startMail(arrive), sms === 'twilio' ? startTwilio(arrive) : startSmpp(arrive)])
  return {
    ...{ ...mail, ...texts, arrivals },
    stop: async () => {
      await Promise.all([mail.stop(), texts.stop()])
    },
  }
}
