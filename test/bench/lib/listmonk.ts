import { setTimeout as sleep } from 'node:timers/promises'
import { load, type SmtpSink } from './children.ts'
import { cpuSecondsOfTree } from './cpu.ts'
import { HTML } from './workspace.ts'

/** A listmonk that runs on this machine and mails to our sink. `pids`: its processes, where the operator names them. */
export type PeerSettings = Readonly<{ url: string; user: string; token: string; smtpPort: number; pids: readonly number[] }>

/** `cpuUs`: of its processes for each message; null where they are not known. */
export type PeerCost = Readonly<{ perSecond: number; cpuUs: number | null; messages: number }>

export type Peer = Readonly<{
  /** Transactional mails as fast as they are accepted, until the last one has arrived; all of it counts as the time. */
  singles: (seconds: number) => Promise<PeerCost>
  /** A campaign to everybody, from its first mail to its last. */
  campaign: (n: number) => Promise<PeerCost>
}>

/** Where a peer's mail arrives if `BESIDE_SMTP_PORT` says nothing else. */
const SMTP_PORT = 2525
const LOOK_MS = 20
/** So long without another mail ends the run: a peer that lost some would be waited for without end. */
const SILENT_MS = 30_000

/** The peer that the environment names; else the sentence that says what is missing. */
export function peerSettings(env: NodeJS.ProcessEnv): PeerSettings | string {
  const { BESIDE_LISTMONK: url, BESIDE_LISTMONK_USER: user, BESIDE_LISTMONK_TOKEN: token } = env
  if (!url) return 'BESIDE_LISTMONK must name the URL of a listmonk on this machine, for example http://127.0.0.1:9000.'
  if (!URL.canParse(url)) return `BESIDE_LISTMONK must be a URL, not ${url}.`
  if (!user || !token) return 'BESIDE_LISTMONK_USER and BESIDE_LISTMONK_TOKEN must name an API user of that listmonk.'
  const numbers = (name: string): readonly number[] => (env[name] ?? '').split(',').filter(Boolean).map(Number)
  const [smtpPort = SMTP_PORT] = numbers('BESIDE_SMTP_PORT')
  const pids = numbers('BESIDE_PIDS')
  if (![smtpPort, ...pids].every((number) => Number.isSafeInteger(number) && number > 0))
    return 'BESIDE_SMTP_PORT must be a port, and BESIDE_PIDS process ids with commas between them.'
  return { url: url.replace(/\/+$/, ''), user, token, smtpPort, pids }
}

type Ask = <Data>(method: string, path: string, body?: object | FormData) => Promise<Data>

/** Its API: JSON under `data`, a token of an API user. Anything but a success ends the run. */
const apiOf = ({ url, user, token }: PeerSettings): Readonly<{ headers: Record<string, string>; ask: Ask }> => {
  const authorization = `token ${user}:${token}`
  const headers = { 'content-type': 'application/json', authorization }
  const ask: Ask = async (method, path, body) => {
    const form = body instanceof FormData
    const sent = body === undefined ? {} : { body: form ? body : JSON.stringify(body) }
    const answer = await fetch(`${url}/api${path}`, { method, headers: form ? { authorization } : headers, ...sent })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`listmonk answered ${method} ${path} with ${answer.status}: ${text}`)
    return (JSON.parse(text) as { data: never }).data
  }
  return { headers, ask }
}

const emailOf = (of: string): string => `tidings-bench-${of}@example.com`

/** Waits until an import has ended; there is one at a time. */
const imported = async (ask: Ask): Promise<void> => {
  for (;;) {
    const { status } = await ask<Readonly<{ status: string }>>('GET', '/import/subscribers')
    if (status === 'finished') break
    if (status !== 'importing') throw new Error(`the import of listmonk is ${status}`)
    await sleep(LOOK_MS)
  }
  await ask('DELETE', '/import/subscribers')
}

/** Subscribers of a list of their own. */
const subscribe = async (ask: Ask, subscribers: number): Promise<number> => {
  const { id } = await ask<Readonly<{ id: number }>>('POST', '/lists', {
    name: 'tidings bench',
    type: 'private',
    optin: 'single',
    tags: [],
  })
  const lines = Array.from({ length: subscribers }, (_, n) => `${emailOf(String(n))},m${n},{}`)
  const form = new FormData()
  const params = { mode: 'subscribe', subscription_status: 'confirmed', delim: ',', lists: [id], overwrite: true }
  form.set('params', JSON.stringify(params))
  form.set('file', new Blob([`email,name,attributes\n${lines.join('\n')}\n`], { type: 'text/csv' }), 'subscribers.csv')
  await ask('POST', '/import/subscribers', form)
  await imported(ask)
  return id
}

type Template = Readonly<{ id: number }>

const addTemplate = async (ask: Ask): Promise<number> => {
  const body = { name: `tidings bench ${Date.now()}`, type: 'tx', subject: 'Your order is on its way', body: HTML }
  const made = [await ask<Template | readonly Template[]>('POST', '/templates', body)].flat()
  if (made[0] === undefined) throw new Error('listmonk made no template')
  return made[0].id
}

/** Puts a template, a list and its subscribers into the peer. `from`: the sender's address. They stay there. */
export async function openPeer(
  settings: PeerSettings,
  { sink, subscribers, from }: Readonly<{ sink: SmtpSink; subscribers: number; from: string }>,
): Promise<Peer> {
  const { headers, ask } = apiOf(settings)
  const listId = await subscribe(ask, subscribers)
  const templateId = await addTemplate(ask)

  const cpu = async (): Promise<number | null> => {
    const seconds = await Promise.all(settings.pids.map(cpuSecondsOfTree))
    return seconds.length === 0 || seconds.includes(null) ? null : seconds.reduce<number>((sum, one) => sum + (one ?? 0), 0)
  }

  /** `work` answers how many mails are due, and when their time began; null: with the first of them. */
  const measured = async (work: () => Promise<Readonly<{ due: number; beganAt: number | null }>>): Promise<PeerCost> => {
    await sink.take()
    const [before, count] = [await cpu(), await sink.count()]
    const { due, beganAt } = await work()
    await arrived(sink, count + due)
    const { count: messages, firstAt, lastAt } = await sink.take()
    if (messages !== due) throw new Error(`${due} mails of listmonk were due, ${messages} were received`)
    const after = await cpu()
    return {
      messages,
      perSecond: messages / ((lastAt - (beganAt ?? firstAt)) / 1_000),
      cpuUs: before === null || after === null ? null : ((after - before) * 1e6) / messages,
    }
  }

  return {
    singles: (seconds) =>
      measured(async () => {
        const body = JSON.stringify({ subscriber_email: emailOf('{m}'), template_id: templateId, from_email: from, content_type: 'html' })
        const plan = { url: settings.url, method: 'POST', path: '/api/tx', headers, body, of: subscribers, from: 0 } as const
        const { answered, startedAt } = await load({ ...plan, connections: 64, seconds })
        return { due: answered, beganAt: startedAt }
      }),
    campaign: (n) =>
      measured(async () => {
        const campaign = { name: `tidings bench ${n}`, subject: 'Sale, {{ .Subscriber.FirstName }}', lists: [listId], from_email: from }
        const more = { type: 'regular', content_type: 'html', messenger: 'email', body: HTML, tags: [] }
        const { id } = await ask<Readonly<{ id: number }>>('POST', '/campaigns', { ...campaign, ...more })
        await ask('PUT', `/campaigns/${id}/status`, { status: 'running' })
        return { due: subscribers, beganAt: null }
      }),
  }
}

const arrived = async (sink: Pick<SmtpSink, 'count'>, due: number): Promise<void> => {
  let seen = { count: 0, at: performance.now() }
  for (;;) {
    const count = await sink.count()
    if (count >= due) return
    if (count !== seen.count) seen = { count, at: performance.now() }
    if (performance.now() - seen.at > SILENT_MS)
      throw new Error(`${due - count} mails of listmonk did not arrive: does its SMTP lead to 127.0.0.1 and BESIDE_SMTP_PORT?`)
    await sleep(LOOK_MS)
  }
}
