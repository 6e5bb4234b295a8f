import { startTwilioServer, type TwilioRule, type TwilioServer } from '@tidings/testing/twilio-server'
import { parseTwilioUrl } from '../../src/twilio/account.ts'
import { twilioSms } from '../../src/twilio/twilio.ts'
import { createTwilioSmsProvider, createTwilioVoiceProvider } from '../../src/twilio/twilio-providers.ts'
import { type Harness, type OtherSide, smsProviderContract, voiceProviderContract } from '../contract/index.ts'

const REFUSALS = {
  recipient: { status: 400, code: 21211, message: 'Invalid To' },
  refused: { status: 400, code: 21606, message: 'Invalid From' },
  temporary: { status: 503, code: 20503, message: 'Service unavailable' },
} as const

function otherSideOf(server: TwilioServer): OtherSide {
  const only = (to: string, rule: TwilioRule) => {
    server.control.rule = ({ form }) => (form.To === to ? rule : undefined)
  }
  return {
    behave: () => {
      server.control.rule = undefined
    },
    // The server repeats the text and the credentials that it was given.
    refuse: (to, how) => {
      const refusal = REFUSALS[how]
      server.control.rule = ({ form }) =>
        form.To === to ? { ...refusal, message: `${refusal.message} ${form.Body ?? form.Twiml} ${server.account.token}` } : undefined
    },
    cutAfterTaking: (to) => only(to, 'cut after'),
    stall: (to) => only(to, 'stall'),
    limitRate: (times) => {
      let left = times
      server.control.rule = () => (left-- > 0 ? { status: 429, code: 20429, headers: { 'retry-after': '0' } } : undefined)
    },
    limitOne: (to) => only(to, { status: 429, code: 20429 }),
    hold: (until) => {
      server.control.rule = ({ form }) =>
        form.To === undefined
          ? undefined
          : (response, sid) =>
              void until.then(() => {
                response
                  .writeHead(201, { 'content-type': 'application/json' })
                  .end(JSON.stringify({ sid, account_sid: server.account.sid }))
              })
    },
    stop: server.stop,
    start: server.start,
  }
}

/** What is said once; the API gets it twice. */
const said = (twiml: string): string => {
  const texts = [...twiml.matchAll(/<Say[^>]*>([^<]*)<\/Say>/g)].map(([, text = '']) => text)
  return texts.length === 2 && texts[0] === texts[1] ? unescaped(texts[0] ?? '') : 'not said twice'
}
const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&apos;', "'").replaceAll('&amp;', '&')

async function opened<Provider extends { close: () => Promise<void> }>(
  callMs: number,
  create: (settings: Parameters<typeof createTwilioSmsProvider>[0]) => Provider,
): Promise<Harness<Provider>> {
  const server = await startTwilioServer()
  const account = parseTwilioUrl(server.url, 'SMS')
  const provider = create({ ...twilioSms.limits, account, publicUrl: 'https://api.acme.example', callMs })
  const taken = async () =>
    server.taken.map(({ form }) => ({ to: form.To ?? '', from: form.From ?? '', text: form.Body ?? said(form.Twiml ?? '') }))
  return {
    provider,
    taken,
    secrets: [account.token, Buffer.from(`${account.sid}:${account.token}`).toString('base64')],
    otherSide: otherSideOf(server),
    close: async () => {
      await provider.close()
      await server.stop()
    },
  }
}

smsProviderContract('Twilio', { hasOtherSide: true, open: (callMs) => opened(callMs, createTwilioSmsProvider) })
voiceProviderContract('Twilio', { hasOtherSide: true, open: (callMs) => opened(callMs, createTwilioVoiceProvider) })
