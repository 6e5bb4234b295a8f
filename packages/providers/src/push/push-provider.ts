import type { Caller } from '@tidings/outbound-http'
import type { Pool } from 'pg'
import { createOutboxPushProvider } from '../outbox/outbox-push-provider.ts'
import type { WebPushSettings } from '../web-push/web-push-provider.ts'
import type { PushProvider } from './port.ts'
import { createUnconfiguredPushProvider } from './unconfigured-push-provider.ts'

/** `vapid`: null, or without its private key, where this process cannot send. `caller`, `connections` and `onKeysRefused` as for `createWebPushProvider`. */
export type PushProviderSettings = Readonly<{
  provider: 'outbox' | 'web-push'
  vapid: Readonly<{ publicKey: string; privateKey: string | null; subject: string }> | null
  pool: Pool
  caller: Pick<Caller, 'ask'>
  callMs: number
  connections?: number
  onKeysRefused?: WebPushSettings['onKeysRefused']
}>

/** The configured push provider. The library is loaded only where it is used. */
export async function createPushProvider(settings: PushProviderSettings): Promise<PushProvider> {
  const { provider, vapid, pool, caller, callMs, connections, onKeysRefused } = settings
  if (provider === 'outbox') return createOutboxPushProvider({ pool, from: vapid?.subject ?? '' })
  if (vapid === null || vapid.privateKey === null) return createUnconfiguredPushProvider()
  const { createWebPushProvider } = await import('../web-push/web-push-provider.ts')
  return createWebPushProvider({
    vapid: { ...vapid, privateKey: vapid.privateKey },
    caller,
    callMs,
    ...(connections !== undefined && { connections }),
    onKeysRefused,
  })
}
