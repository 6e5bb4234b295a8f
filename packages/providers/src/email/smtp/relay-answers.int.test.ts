import { afterEach, expect, test } from 'vitest'
import type { EmailMessage } from '../port.ts'
import { smtpProvider } from './smtp-provider.ts'
import { RELAY_ANSWERS } from './testing/relay-answers.ts'
import { scriptedServer } from './testing/scripted-server.ts'

const message: EmailMessage = {
  workspaceId: '0192b1f0-0000-7000-8000-000000000001',
  messageId: '0192b1f0-0000-7000-8000-00000000000a',
  requestId: 'req-1',
  at: '2026-11-21T10:00:00.000Z',
  from: { email: 'hello@acme.example', name: 'Acme' },
  to: 'ada@example.com',
  replyTo: null,
  subject: 'Hi',
  html: '<p>Hi</p>',
  text: null,
}

let close = async (): Promise<void> => undefined
afterEach(() => close())

test.each(RELAY_ANSWERS)('$server to $to: $reply', async ({ to, reply, means, soft = false }) => {
  const server = await scriptedServer({
    extensions: ['PIPELINING'],
    answer: (line) => (to !== 'mail' && line.startsWith(to) ? reply : undefined),
    mail: (mail) => (mail === '.\r\n' || to === 'mail' ? reply : undefined),
  })
  const provider = smtpProvider({ url: server.url, publicUrl: 'http://127.0.0.1', connections: 1, callMs: 2_000 })
  close = async () => {
    await provider.close()
    await server.stop()
  }
  const sending = provider.send(message, { signal: new AbortController().signal, fence: () => undefined })
  await expect(sending).rejects.toMatchObject({ failure: means, ...(means === 'temporary' && { saidByReceiver: soft }) })
})
