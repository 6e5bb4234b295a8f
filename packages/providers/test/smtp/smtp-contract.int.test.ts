import { testDatabase } from '@tidings/testing'
import { type SmtpRefusal, type SmtpSink, type SunkMail, startSmtpSink } from '@tidings/testing/smtp-sink'
import PostalMime from 'postal-mime'
import { createSendRate, ratedEmailProvider, reserveTimesIn } from '../../src/rate/send-rate.ts'
import { smtp } from '../../src/smtp/smtp.ts'
import { smtpProvider } from '../../src/smtp/smtp-provider.ts'
import { mailboxOf, numberOf, type TakenMail } from '../contract/email.ts'
import { type EmailHarness, type EmailOtherSide, emailProviderContract } from '../contract/index.ts'

const REFUSALS = {
  recipient: { code: 550, message: '5.1.1 no such user' },
  refused: { code: 554, message: '5.7.1 relay access denied' },
  temporary: { code: 451, message: '4.3.0 try again later' },
} as const
const TOO_FAST: SmtpRefusal = { code: 454, message: '4.7.0 Throttling failure: Maximum sending rate exceeded.' }
const NEVER = new Promise<never>(() => undefined)
const PASSWORD = 's3cret'

const parsed = async (mail: SunkMail): Promise<TakenMail> => {
  const { text = '', subject = '', messageId = '' } = await PostalMime.parse(mail.raw)
  return {
    to: numberOf(mail.to[0] ?? ''),
    from: mail.from,
    text: text.replace(/\n$/, ''),
    subject,
    messageId: messageId.replace(/^<|>$/g, ''),
  }
}

/** What the relay has got, also where its answer is late, or never comes. */
function otherSideOf(sink: SmtpSink, taken: Promise<TakenMail>[]): EmailOtherSide {
  type Rules = Readonly<{
    rcpt?: (to: string) => SmtpRefusal | Promise<never> | undefined
    data?: (to: string) => SmtpRefusal | Promise<undefined> | undefined
  }>
  let rules: Rules = {}
  sink.answers.rcpt = (to) => rules.rcpt?.(numberOf(to))
  sink.answers.data = (mail) => {
    const answer = rules.data?.(numberOf(mail.to[0] ?? ''))
    const isRefused = answer !== undefined && 'code' in answer && answer.code >= 300
    if (!isRefused) taken.push(parsed(mail))
    return answer
  }
  return {
    behave: () => {
      rules = {}
    },
    refuse: (to, how) => {
      rules = { rcpt: (recipient) => (recipient === to ? REFUSALS[how] : undefined) }
    },
    limitOne: (to) => {
      rules = { rcpt: (recipient) => (recipient === to ? { code: 450, message: '4.7.1 rate limit exceeded' } : undefined) }
    },
    ignore: (to) => {
      rules = { rcpt: (recipient) => (recipient === to ? NEVER : undefined) }
    },
    name: (to, id) => {
      rules = { data: (recipient) => (recipient === to ? { code: 250, message: `2.0.0 Ok: queued as ${id}` } : undefined) }
    },
    repeat: (to) => {
      rules = { data: (recipient) => (recipient === to ? { code: 250, message: `2.1.5 <${mailboxOf(to)}> taken` } : undefined) }
    },
    cutAfterTaking: (to) => {
      const cut = (): Promise<never> => {
        for (const socket of sink.sockets()) socket.destroy()
        return NEVER
      }
      rules = { data: (recipient) => (recipient === to ? cut() : undefined) }
    },
    stall: (to) => {
      rules = { data: (recipient) => (recipient === to ? NEVER : undefined) }
    },
    limitRate: (times) => {
      let left = times
      rules = { data: () => (left-- > 0 ? TOO_FAST : undefined) }
    },
    hold: (until) => {
      rules = { data: () => until.then(() => undefined) }
    },
    stop: sink.stop,
    start: sink.start,
  }
}

async function opened(callMs: number, more: Readonly<{ hidePIPELINING?: boolean; secure?: boolean }> = {}): Promise<EmailHarness> {
  const sink = await startSmtpSink({
    allowInsecureAuth: true,
    onAuth: ({ password }, _, done) => (password === PASSWORD ? done(null, { user: 'shop' }) : done(new Error('who?'))),
    ...more,
  })
  const taken: Promise<TakenMail>[] = []
  const url = `${sink.url.replace('://', `://shop:${PASSWORD}@`)}?verify=off`
  const provider = smtpProvider({ ...smtp.limits, url, publicUrl: 'https://api.acme.example', callMs, answerMs: callMs })
  return {
    provider,
    taken: () => Promise.all(taken),
    secrets: [PASSWORD, Buffer.from(`\0shop\0${PASSWORD}`).toString('base64')],
    otherSide: otherSideOf(sink, taken),
    close: async () => {
      await provider.close()
      await sink.stop()
    },
  }
}

async function openedAtRate(callMs: number): Promise<EmailHarness> {
  const db = await testDatabase()
  const harness = await opened(callMs)
  const provider = ratedEmailProvider(harness.provider, createSendRate({ perSecond: 5_000, reserve: reserveTimesIn(db.pool, 'email') }))
  const close = async () => {
    await harness.close()
    await db.drop()
  }
  return { ...harness, provider, close }
}

const adapter = { hasOtherSide: true, asksFirst: true }
emailProviderContract('SMTP', { ...adapter, open: (callMs) => opened(callMs) })
emailProviderContract('SMTP that cannot pipeline', { ...adapter, open: (callMs) => opened(callMs, { hidePIPELINING: true }) })
emailProviderContract('SMTP over TLS', { ...adapter, open: (callMs) => opened(callMs, { secure: true }) })
emailProviderContract('SMTP at a rate that all processes share', { ...adapter, open: openedAtRate })
