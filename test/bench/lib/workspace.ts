import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { TIDINGS } from './command-line.ts'
import { operatorEnv, type Service } from './service.ts'

const SLUG = 'bench'
const FROM = 'hello@bench.example'
const SENDER_ID = 'BENCH'

/** A workspace to use: what every request of it carries. */
export type Workspace = Readonly<{ slug: string; key: string; headers: Readonly<Record<string, string>> }>

const FILE = `workspace: { slug: ${SLUG}, name: Bench }
apiKeys: [{ name: bench }]
senderDomains: [{ domain: bench.example, verified: true }]
senderAddresses: [{ email: ${FROM}, name: Bench, verified: true }]
smsSenderIds: [{ id: ${SENDER_ID}, status: approved }]
credits: 100000000
`

/** `tidings …` beside the running service, as an operator runs it, with the settings of the service; answers its JSON document. */
export async function tidings<Answer>(
  dataDir: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { stdout } = await promisify(execFile)(process.execPath, [...TIDINGS, ...args, '--json'], {
    cwd: dataDir,
    env: operatorEnv(dataDir, settings),
  })
  return JSON.parse(stdout) as Answer
}

/** Provisions the workspace of the bench: one key, one verified sender. */
export async function applyWorkspace({ dataDir, settings }: Service): Promise<Workspace> {
  const file = join(dataDir, 'workspace.yaml')
  await writeFile(file, FILE)
  const applied = await tidings<{ apiKeys: readonly { key: string }[] }>(dataDir, ['apply', '-f', file], settings)
  const key = applied.apiKeys[0]?.key ?? ''
  return { slug: SLUG, key, headers: { 'content-type': 'application/json', 'x-sender-tenant': SLUG, 'x-api-key': key } }
}

const PARAGRAPH = '<p>Your order is on its way. You can follow it at any time on your account page, where its invoice waits for you.</p>\n'

/** 2 048 bytes of html. */
export const HTML = PARAGRAPH.repeat(20).slice(0, 2_041).concat('</html>')

/** The body of an email to `to`, which may hold the load plan's placeholders. */
export function emailTo(to: string): string {
  return JSON.stringify({ to, fromEmail: FROM, subject: 'Your order is on its way', html: HTML })
}

/** The body of a text message to `to`, one segment long. */
export function smsTo(to: string): string {
  return JSON.stringify({ to, senderId: SENDER_ID, body: 'Your order is on its way. You can follow it at any time on your account page.' })
}
