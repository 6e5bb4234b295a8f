import { testDatabase } from '@tidings/testing'
import { createSmsProvider, createVoiceProvider, emailProvider } from '../../src/open-provider.ts'
import { createOutboxPushProvider } from '../../src/outbox/outbox-providers.ts'
import { listOutbox } from '../../src/outbox/outbox-store.ts'
import { numberOf } from '../contract/email.ts'
import type { Harness } from '../contract/index.ts'
import { emailProviderContract, pushProviderContract, smsProviderContract, voiceProviderContract } from '../contract/index.ts'

const settings = { provider: 'outbox', publicUrl: 'https://api.acme.example' }

async function opened<Provider>(
  channel: 'sms' | 'voice',
  create: (pool: Parameters<typeof listOutbox>[0]) => Promise<Provider>,
): Promise<Harness<Provider>> {
  const db = await testDatabase()
  const taken = async () => (await listOutbox(db.pool, { channel })).map(({ to, from, body }) => ({ to, from, text: body ?? '' }))
  return { provider: await create(db.pool), taken, secrets: [], close: () => db.drop() }
}

emailProviderContract('the outbox', {
  hasOtherSide: false,
  open: async () => {
    const db = await testDatabase()
    return {
      provider: await emailProvider({ ...settings, pool: db.pool }),
      taken: async () =>
        (await listOutbox(db.pool, { channel: 'email' })).map(({ to, from, text, subject, headers }) => ({
          to: numberOf(to),
          from: /<(.*)>/.exec(from)?.[1] ?? from,
          text: text ?? '',
          subject: subject ?? '',
          messageId: headers?.['Message-ID']?.replace(/^<|>$/g, '') ?? '',
        })),
      secrets: [],
      close: () => db.drop(),
    }
  },
})

smsProviderContract('the outbox', {
  hasOtherSide: false,
  open: () => opened('sms', (pool) => createSmsProvider({ ...settings, pool })),
})

voiceProviderContract('the outbox', {
  hasOtherSide: false,
  open: () => opened('voice', (pool) => createVoiceProvider({ ...settings, pool })),
})

pushProviderContract('the outbox', {
  hasOtherSide: false,
  open: async () => {
    const db = await testDatabase()
    let browsers = 0
    return {
      provider: createOutboxPushProvider({ pool: db.pool, from: 'mailto:push@acme.example' }),
      subscribe: () => ({ endpoint: `https://push.example/${++browsers}`, keys: { p256dh: 'key', auth: 'secret' } }),
      taken: async () => (await listOutbox(db.pool, { channel: 'push' })).map(({ to, text }) => ({ endpoint: to, text: text ?? '' })),
      secrets: [],
      close: () => db.drop(),
    }
  },
})
