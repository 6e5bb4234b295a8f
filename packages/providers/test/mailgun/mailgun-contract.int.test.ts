import { type MailgunRule, type MailgunServer, startMailgunServer } from '@tidings/testing/mailgun-server'
import PostalMime from 'postal-mime'
import { mailgun } from '../../src/mailgun/mailgun.ts'
import { mailgunProvider } from '../../src/mailgun/mailgun-provider.ts'
import { mailboxOf, numberOf } from '../contract/email.ts'
import { type EmailHarness, type EmailOtherSide, emailProviderContract } from '../contract/index.ts'

const REFUSALS = {
  recipient: { status: 400, message: 'to parameter is not a valid address. please check documentation' },
  refused: { status: 400, message: 'from parameter is not a valid address. please check documentation' },
  temporary: { status: 503, message: 'Service unavailable' },
} as const

function otherSideOf({ control, key, stop, start }: MailgunServer): EmailOtherSide {
  const only = (to: string, rule: MailgunRule) => {
    control.rule = (asked) => (asked.to === mailboxOf(to) ? rule : undefined)
  }
  return {
    behave: () => {
      control.rule = undefined
    },
    // The server repeats the key and the mail that it was given.
    refuse: (to, how) => {
      const { status, message } = REFUSALS[how]
      control.rule = (asked) => (asked.to === mailboxOf(to) ? { status, message: `${message} ${key} ${asked.mime}` } : undefined)
    },
    cutAfterTaking: (to) => only(to, 'cut after'),
    stall: (to) => only(to, 'stall'),
    limitRate: (times) => {
      let left = times
      control.rule = () => (left-- > 0 ? { status: 429, headers: { 'retry-after': '0' } } : undefined)
    },
    limitOne: (to) => only(to, { status: 429 }),
    hold: (until) => {
      control.rule = () => (response, id) =>
        void until.then(() => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: `<${id}>` })))
    },
    name: (to, id) => only(to, { id }),
    repeat: (to) => {
      control.rule = (asked) =>
        asked.to === mailboxOf(to)
          ? { id: /^Message-ID: <([^>]*)>/im.exec(asked.mime)?.[1] ?? '', message: `Queued for ${asked.to}` }
          : undefined
    },
    stop,
    start,
  }
}

async function opened(callMs: number): Promise<EmailHarness> {
  const server = await startMailgunServer()
  const provider = mailgunProvider({ ...mailgun.limits, address: server.url, publicUrl: 'https://api.acme.example', callMs })
  const taken = () =>
    Promise.all(
      server.taken.map(async ({ to, mime }) => {
        const { text = '', subject = '', messageId = '', from } = await PostalMime.parse(mime)
        return {
          to: numberOf(to),
          from: from?.address ?? '',
          text: text.replace(/\n$/, ''),
          subject,
          messageId: messageId.replace(/^<|>$/g, ''),
        }
      }),
    )
  return {
    provider,
    taken,
    secrets: [server.key, server.webhookKey, Buffer.from(`api:${server.key}`).toString('base64')],
    otherSide: otherSideOf(server),
    close: async () => {
      await provider.close()
      await server.stop()
    },
  }
}

emailProviderContract('Mailgun', { hasOtherSide: true, open: opened })
