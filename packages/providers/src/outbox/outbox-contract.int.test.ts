import { testDatabase } from '@tidings/testing'
import type { Harness } from '../contract/index.ts'
import { pushProviderContract, smsProviderContract, voiceProviderContract } from '../contract/index.ts'
import { createSmsProvider } from '../sms/sms-provider.ts'
import { createVoiceProvider } from '../voice/voice-provider.ts'
import { createOutboxPushProvider } from './outbox-push-provider.ts'
import { listOutbox } from './outbox-store.ts'

const settings = { provider: 'outbox', publicUrl: 'https://api.acme.example' }

async function opened<Provider>(
  channel: 'sms' | 'voice',
  create: (pool: Parameters<typeof listOutbox>[0]) => Promise<Provider>,
): Promise<Harness<Provider>> {
  const db = await testDatabase()
  const taken = async () => (await listOutbox(db.pool, { channel })).map(({ to, from, body }) => ({ to, from, text: body ?? '' }))
  return { provider: await create(db.pool), taken, secrets: [], close: () => db.drop() }
}

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
