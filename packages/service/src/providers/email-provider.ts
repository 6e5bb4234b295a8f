import { type Config, publicUrl, unusable } from '@tidings/config'
import type { Log } from '@tidings/observability/log'
import {
  createReturnPaths,
  createSendRate,
  type EmailProvider,
  emailProvider,
  type ReturnPaths,
  ratedEmailProvider,
  reserveTimesIn,
} from '@tidings/providers'
import type { Stores } from '../stores/open-stores.ts'
import { createOutageReport } from './report-outage.ts'

type Opening = Readonly<{ config: Config; log: Log; stores: Stores }>

/** `returnPaths`: the envelope senders of mail; null where it leaves from its own sender. Throws one sentence for an address that cannot be used. */
export async function openEmailProvider({
  config,
  log,
  stores,
}: Opening): Promise<Readonly<{ email: EmailProvider; returnPaths: ReturnPaths | null }>> {
  const { returnPath: address, bounceMailbox, rate: perSecond } = config.email
  const { workPool: pool, masters } = stores
  const returnPaths = address === null ? null : createReturnPaths({ address, derive: masters.derivers })
  const provider = await emailProvider({
    ...config.email,
    publicUrl: publicUrl(config.http),
    pool,
    callMs: config.email.timeoutMs,
    ...(returnPaths && { returnPaths }),
    ...(returnPaths && bounceMailbox !== null && { unsubscribeAddresses: returnPaths }),
    onOutage: createOutageReport(log, 'email'),
  }).catch((error: unknown) => {
    throw unusable('TIDINGS_EMAIL_PROVIDER', error)
  })
  if (perSecond === null) return { email: provider, returnPaths }
  return { email: ratedEmailProvider(provider, createSendRate({ perSecond, reserve: reserveTimesIn(pool, 'email') })), returnPaths }
}
