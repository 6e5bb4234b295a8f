import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createPool } from '@tidings/postgres'
import type { Pool } from 'pg'
import type { Bench } from './bench.ts'
import { type MessageSink, startSmtpSink } from './children.ts'
import { listClient } from './list-client.ts'
import { type Service, startService } from './service.ts'
import { HTML, tidings } from './workspace.ts'

export const RECIPIENTS = 3_000
const CALLERS = 32
/** Contacts of one request that adds to a list. */
const ADDED = 100

const fileOf = (campaigns: number): string => `workspace: { slug: bench, name: Bench }
apiKeys: [{ name: bench }]
senderDomains: [{ domain: bench.example, verified: true }]
senderAddresses: [{ email: hello@bench.example, name: Bench, verified: true }]
templates: [{ name: sale, channel: email, subject: "Sale, {{firstName}}", html: ${JSON.stringify(HTML)} }]
lists: [{ name: All, type: static }]
campaigns:
${Array.from({ length: campaigns }, (_, n) => `  - { name: c${n}, channel: email, list: All, template: sale, from: hello@bench.example }`).join('\n')}
`

/** What the workspace file made: campaigns are named c0, c1, … */
type Applied = Readonly<{
  apiKeys: readonly { key: string }[]
  lists: Readonly<Record<string, string>>
  campaigns: Readonly<Record<string, string>>
}>

/** A service that sends to the sink, and so many campaigns to the same members of a list. */
export type Sending = Readonly<{
  bench: Bench
  service: Service
  sink: MessageSink
  pool: Pool
  applied: Applied
  headers: Record<string, string>
}>

const member = async ({ service, headers }: Pick<Sending, 'service' | 'headers'>, n: number): Promise<string> => {
  const body = JSON.stringify({ email: `member${n}@example.com`, firstName: `m${n}`, emailConsent: 'subscribed' })
  const answer = await fetch(`${service.url}/api/v1/public/profiles`, { method: 'PUT', headers, body })
  if (answer.status !== 200) throw new Error(`the contact was answered ${answer.status}: ${await answer.text()}`)
  return ((await answer.json()) as { data: { id: string } }).data.id
}

const fill = async (sending: Pick<Sending, 'service' | 'headers' | 'applied'>): Promise<void> => {
  const ids: string[] = []
  let next = 0
  const call = async (): Promise<void> => {
    while (next < RECIPIENTS) ids.push(await member(sending, next++))
  }
  await Promise.all(Array.from({ length: CALLERS }, call))
  const { service, applied } = sending
  const list = listClient({ url: service.url, key: applied.apiKeys[0]?.key ?? '', listId: applied.lists.All ?? '' })
  for (let n = 0; n < ids.length; n += ADDED) await list.add(ids.slice(n, n + ADDED))
}

export async function startCampaigns(bench: Bench, campaigns: number): Promise<Sending> {
  const sink = await startSmtpSink()
  bench.after(sink.stop)
  bench.say('starting the service (all roles in one process) and the SMTP sink')
  const service = await startService(bench, {
    dataDir: await bench.folder(),
    env: { TIDINGS_EMAIL_PROVIDER: `smtp://127.0.0.1:${sink.port}` },
  })
  const pool = createPool({ url: service.databaseUrl, max: 2, name: 'bench' })
  bench.after(() => pool.end())
  const file = join(service.dataDir, 'workspace.yaml')
  await writeFile(file, fileOf(campaigns))
  const applied = await tidings<Applied>(service.dataDir, ['apply', '-f', file])
  const headers = { 'content-type': 'application/json', 'x-sender-tenant': 'bench', 'x-api-key': applied.apiKeys[0]?.key ?? '' }
  bench.say(`${RECIPIENTS} members of a list`)
  const sending = { bench, service, sink, pool, applied, headers }
  await fill(sending)
  return sending
}
