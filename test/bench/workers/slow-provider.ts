import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSmsc } from '../../../packages/testing/src/smsc.ts'
import { startSmtpSink } from '../../../packages/testing/src/smtp-sink.ts'
import { startTwilioServer } from '../../../packages/testing/src/twilio-server.ts'
import type { Arrival, ProviderKind } from '../lib/slow-provider.ts'

// `node slow-provider.ts smtp|smpp|twilio MS`: a server of the tests that answers every message after so many ms, in a process of its own. Prints its
// address, and one line for every line that it reads: `take` gives what arrived since it was asked last, `stop FROM TO URL` the moment at which
// the service has taken a STOP.

type Provider = Readonly<{ url: string; sayStop: (from: string, to: string, url: string) => Promise<boolean> }>

const arrivals: Arrival[] = []
const now = (): number => performance.timeOrigin + performance.now()
const arrived = (to: string, text: string, link: string | null = null): void => void arrivals.push({ at: now(), to, text, link })

const headerOf = (head: string, name: string): string => new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1] ?? ''

async function smtp(answerMs: number): Promise<Provider> {
  const sink = await startSmtpSink()
  sink.answers.data = async ({ to, raw }) => {
    const head = raw
      .slice(0, raw.indexOf('\r\n\r\n'))
      .replace(/\r\n[ \t]+/g, ' ')
      .replaceAll('\r', '')
    const link = /<(https?:[^>]*)>/.exec(headerOf(head, 'List-Unsubscribe'))?.[1] ?? null
    arrived(to[0] ?? '', headerOf(head, 'Subject'), link)
    sink.mails.length = 0
    await sleep(answerMs)
    return undefined
  }
  return { url: sink.url, sayStop: async () => false }
}

async function smpp(answerMs: number): Promise<Provider> {
  const smsc = await startSmsc()
  smsc.rules.submit = async ({ to, text }) => {
    arrived(`+${to.replace(/^\+/, '')}`, text)
    await sleep(answerMs)
    return 0
  }
  const sayStop: Provider['sayStop'] = async (from, to) =>
    (await smsc.deliver({ source_addr: from, destination_addr: to, short_message: 'STOP' })) === 0
  return { url: `${smsc.url}?window=10`, sayStop }
}

async function twilio(answerMs: number): Promise<Provider> {
  const server = await startTwilioServer()
  server.control.rule = ({ form: { To = '', Body = '' } }) => {
    // A probe names no recipient, and is refused at once.
    if (To === '') return undefined
    arrived(To, Body)
    return (response, sid) => {
      const answer = JSON.stringify({ sid, status: 'queued', to: To, error_code: null })
      setTimeout(() => response.writeHead(201, { 'content-type': 'application/json' }).end(answer), answerMs)
    }
  }
  const sayStop: Provider['sayStop'] = async (From, To, url) =>
    (await server.inbound(`${url}/api/v1/providers/twilio/inbound`, { From, To, Body: 'STOP' })) < 300
  return { url: server.url, sayStop }
}

const KINDS: Readonly<Record<ProviderKind, (answerMs: number) => Promise<Provider>>> = { smtp, smpp, twilio }

const [kind = '', answerMs = '0'] = process.argv.slice(2)
const start = KINDS[kind as ProviderKind]
const provider = await start(Number(answerMs))
const print = (line: string): void => void process.stdout.write(`${line}\n`)

print(provider.url)
createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const [what, from = '', to = '', url = ''] = line.split(' ')
    if (what === 'take') print(JSON.stringify(arrivals.splice(0)))
    else print(JSON.stringify((await provider.sayStop(from, to, url)) ? now() : null))
  })
  .on('close', () => process.exit(0))
