import { type SesRule, type SesServer, startSesServer } from '@tidings/testing/ses-server'
import PostalMime from 'postal-mime'
import { ses } from '../../src/ses/ses.ts'
import { sesProvider } from '../../src/ses/ses-provider.ts'
import { mailboxOf, numberOf } from '../contract/email.ts'
import { type EmailHarness, type EmailOtherSide, emailProviderContract } from '../contract/index.ts'

const REFUSALS = {
  recipient: { status: 400, type: 'BadRequestException', message: 'Local address contains control or whitespace' },
  refused: { status: 400, type: 'MessageRejected', message: 'Email address is not verified' },
  temporary: { status: 503, type: 'ServiceUnavailable', message: 'try again' },
} as const

const ourIdIn = (mime: string): string => /^Message-ID: <([^>]*)>/im.exec(mime)?.[1] ?? ''

function otherSideOf({ control, keyId, secret, stop, start }: SesServer): EmailOtherSide {
  const only = (to: string, rule: SesRule) => {
    control.rule = (asked) => (asked.to === mailboxOf(to) ? rule : { id: ourIdIn(asked.mime) })
  }
  const behave = () => {
    // The contract reads whose the mail is in its name.
    control.rule = ({ mime }) => ({ id: ourIdIn(mime) })
  }
  behave()
  return {
    behave,
    // The server repeats the key and the mail that it was given.
    refuse: (to, how) => {
      const { message, ...rule } = REFUSALS[how]
      control.rule = (asked) =>
        asked.to === mailboxOf(to) ? { ...rule, message: `${message} ${keyId} ${secret} ${asked.mime}` } : undefined
    },
    cutAfterTaking: (to) => only(to, 'cut after'),
    stall: (to) => only(to, 'stall'),
    limitRate: (times) => {
      let left = times
      control.rule = () =>
        left-- > 0 ? { status: 429, type: 'TooManyRequestsException', message: 'Maximum sending rate exceeded.' } : undefined
    },
    limitOne: (to) => only(to, { status: 429, type: 'TooManyRequestsException' }),
    hold: (until) => {
      control.rule = () => (response, id) =>
        void until.then(() => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ MessageId: id })))
    },
    name: (to, id) => only(to, { id }),
    repeat: (to) => {
      control.rule = ({ mime }) => ({ id: ourIdIn(mime), more: { message: `Queued for ${mailboxOf(to)}` } })
    },
    stop,
    start,
  }
}

async function opened(callMs: number): Promise<EmailHarness> {
  const server = await startSesServer()
  const provider = sesProvider({ ...ses.limits, address: server.url, publicUrl: 'https://api.acme.example', callMs })
  const taken = () =>
    Promise.all(
      server.taken.map(async ({ to, mime }) => {
        const { text = '', subject = '', messageId = '', from } = await PostalMime.parse(mime)
        return {
          ...{ to: numberOf(to), from: from?.address ?? '', text: text.replace(/\n$/, ''), subject },
          messageId: messageId.replace(/^<|>$/g, ''),
        }
      }),
    )
  return {
    provider,
    taken,
    secrets: [server.secret, server.keyId],
    otherSide: otherSideOf(server),
    close: async () => {
      await provider.close()
      await server.stop()
    },
  }
}

emailProviderContract('Amazon SES', { hasOtherSide: true, open: opened })
