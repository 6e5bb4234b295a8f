import { expect, test } from 'vitest'
import { smtp } from '../../src/smtp/smtp.ts'
import { smtpProvider } from '../../src/smtp/smtp-provider.ts'
import { mail as message } from '../email/mail.fixture.ts'
import { RELAY_ANSWERS } from './relay-answers.ts'
import { scriptedServer } from './scripted-server.ts'

// At once, because some are tried again for half a minute.
test.concurrent.for(RELAY_ANSWERS)('$server to $to: $reply', async ({ to, reply, means, soft = false }, { onTestFinished }) => {
  const server = await scriptedServer({
    extensions: ['PIPELINING'],
    answer: (line) => (to !== 'mail' && line.startsWith(to) ? reply : undefined),
    mail: (mail) => (mail === '.\r\n' || to === 'mail' ? reply : undefined),
  })
  const provider = smtpProvider({ ...smtp.limits, url: server.url, publicUrl: 'http://127.0.0.1', connections: 1, callMs: 60_000 })
  onTestFinished(async () => {
    await provider.close()
    await server.stop()
  })
  const sending = provider.send(message, { signal: new AbortController().signal, fence: () => undefined, priority: 'transactional' })
  await expect(sending).rejects.toMatchObject({ failure: means, ...(means === 'temporary' && { saidByReceiver: soft }) })
})
