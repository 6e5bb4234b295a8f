import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { leftOut } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksOf, readPage } from './markdown.ts'
import { type StartedService, startTidings } from './service.ts'

const run = promisify(execFile)
const secret = 'a secret of the documentation'
const page = blocksOf(readPage('docs/how-to/send-through-smtp.md'))

const hasPython = (): boolean => {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return leftOut('python', 'there is no python3 on this machine.')
  }
}

const sample = (language: string): string => {
  const found = page.filter((block) => block.language === language)
  expect(found, `samples in ${language}`).toHaveLength(1)
  return found[0]?.text ?? ''
}

const folder = mkdtempSync(join(tmpdir(), 'tidings-docs-'))
let service: StartedService
beforeAll(async () => {
  service = await startTidings({ TIDINGS_PROVIDER_SECRET: secret })
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await service?.stop()
})

it('the first start prints a link that signs in once as owner of the demo workspace, and as an operator on this machine', async () => {
  const [, url = ''] = /^dashboard {2}(http:\S+)/m.exec(service.output()) ?? []
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/dashboard\/link#[A-Za-z0-9_-]{43}$/)
  expect(new URL(url).origin).toBe(service.url)
  expect(service.output()).toMatch(new RegExp(`^mailbox {4}${service.url}/dev/mailbox$`, 'm'))
  const link = (token: string) =>
    fetch(`${service.url}/api/v1/auth/link`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token }),
    })
  const token = new URL(url).hash.slice(1)
  const answer = await link(token)
  expect(await answer.json()).toMatchObject({
    success: true,
    data: { user: { email: 'owner@demo.example', role: 'owner' }, workspace: { slug: 'demo' }, operator: true },
  })
  expect((await link(token)).status).toBe(401)
})

const sendEmail = async (): Promise<string> => {
  const answer = await fetch(`${service.url}/api/v1/public/messages/email`, {
    method: 'POST',
    headers: { 'X-Sender-Tenant': 'demo', 'X-API-Key': service.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ to: 'ada@example.com', fromEmail: 'hello@demo.example', subject: 'Hello', html: '<p>Hi</p>' }),
  })
  const { data } = (await answer.json()) as { data: { messageId: string } }
  // The provider that the sample speaks for has taken it.
  await expect.poll(() => statusOf(data.messageId), { interval: 100 }).toBe('sent')
  return data.messageId
}
const statusOf = async (messageId: string): Promise<unknown> => {
  const headers = { 'X-Sender-Tenant': 'demo', 'X-API-Key': service.key }
  const answer = await fetch(`${service.url}/api/v1/public/messages/${messageId}`, { headers })
  return ((await answer.json()) as { data?: { status: string } }).data?.status
}

const runners = { js: [process.execPath, 'report.mjs'], python: ['python3', 'report.py'] } as const

/** Saves the sample and runs it as a reader would; answers what it printed. */
const report = async (language: keyof typeof runners, messageId: string, key: string = secret): Promise<string> => {
  const [command, name] = runners[language]
  const file = join(folder, name)
  writeFileSync(file, sample(language))
  const env = { ...process.env, TIDINGS_URL: service.url, TIDINGS_PROVIDER_SECRET: key }
  const { stdout } = await run(command, [file, messageId], { env })
  return stdout
}

describe('the receipts of send-through-smtp.md', () => {
  it('are taken when the Node.js sample signs them', async () => {
    expect(JSON.parse(await report('js', await sendEmail()))).toEqual({ applied: 1, repeated: 0, unknown: 0 })
  })

  it.runIf(hasPython())('are taken when the Python sample signs them', async () => {
    expect(JSON.parse(await report('python', await sendEmail()))).toEqual({ applied: 1, repeated: 0, unknown: 0 })
  })

  it('are refused under another secret', async () => {
    const answer = await report('js', await sendEmail(), `${secret}!`)
    expect(JSON.parse(answer)).toEqual({ success: false, message: 'Invalid signature' })
  })
})
