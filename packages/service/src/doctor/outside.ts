import type { Config } from '@tidings/config'
import { createServerResolver } from '@tidings/outbound-http'
import { tryMailbox } from '@tidings/receipts/mailbox'
import { kafkaSettings } from '../stores/kafka-settings.ts'
import { type Finding, findingOf } from './finding.ts'
import { checkEmailProvider, checkPush, checkSmsProvider, checkVoiceProvider } from './providers.ts'

/** What the installation asks of others: all are asked at once. */
export function outsideFindings(config: Config): Promise<readonly Finding[]> {
  return Promise.all([
    findingOf('Kafka', 'Correct TIDINGS_KAFKA_*, or start the brokers.', () => checkKafka(config)),
    findingOf('DNS', 'Correct TIDINGS_DNS_SERVERS, or start the server.', () => checkDns(config)),
    findingOf('email provider', 'Correct TIDINGS_EMAIL_PROVIDER, or start the relay.', () => checkEmailProvider(config)),
    findingOf('bounce mailbox', 'Correct TIDINGS_BOUNCE_MAILBOX, or start the mail server.', () => checkBounceMailbox(config)),
    findingOf('SMS provider', 'Correct TIDINGS_SMS_PROVIDER, or start it.', () => checkSmsProvider(config)),
    findingOf('voice provider', 'Correct TIDINGS_VOICE_PROVIDER, or start it.', () => checkVoiceProvider(config)),
    findingOf('web push', 'Correct TIDINGS_VAPID_*, or vapid.key of the data directory.', () => checkPush(config)),
  ])
}

/** Opens the mailbox of bounces as reading does; throws one sentence when it could not be read. An installation may do without one. */
export async function checkBounceMailbox({
  email,
}: Readonly<{ email: Pick<Config['email'], 'returnPath' | 'bounceMailbox' | 'timeoutMs'> }>): Promise<string> {
  const { returnPath, bounceMailbox, timeoutMs } = email
  if (bounceMailbox !== null) return await tryMailbox(bounceMailbox, timeoutMs)
  if (returnPath === null) return 'none is configured: bounces that come by mail are not read'
  return `mail leaves from ${returnPath}, and TIDINGS_BOUNCE_MAILBOX is not set: what bounces there is not read`
}

/** A name that never exists (RFC 6761): a server answers without asking another one. */
const NO_HOST = 'tidings.invalid'

const answers = (server: string, deadlineMs?: number): Promise<boolean> =>
  createServerResolver(
    [server],
    deadlineMs,
  )(NO_HOST).then(
    () => true,
    () => false,
  )

/** Asks each server of TIDINGS_DNS_SERVERS; throws one sentence that names those that do not answer, in `deadlineMs` if that is given. */
export async function checkDns(
  { dns: { servers } }: Readonly<{ dns: Pick<Config['dns'], 'servers'> }>,
  deadlineMs?: number,
): Promise<string> {
  if (servers.length === 0) return 'webhook hosts are looked up as this machine does'
  const asked = await Promise.all(servers.map(async (server) => ({ server, answered: await answers(server, deadlineMs) })))
  const silent = asked.filter(({ answered }) => !answered).map(({ server }) => server)
  if (silent.length > 0) throw new Error(`no answer from ${silent.join(', ')}.`)
  return `${servers.join(', ')} answers`
}

/** Connects to each broker as the service would, logs in, and asks it for its cluster; throws one sentence when that fails. */
async function checkKafka(config: Pick<Config, 'kafka'>): Promise<string> {
  const settings = await kafkaSettings(config)
  if (settings === null) return 'consumers read the log directly'
  const { probeKafka } = await import('@tidings/bus/kafka')
  return await probeKafka(settings)
}
