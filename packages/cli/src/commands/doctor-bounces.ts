import type { Config } from '@tidings/config'
import { tryMailbox } from '@tidings/receipts/mailbox'

/** Opens the mailbox of bounces as reading does; throws one sentence when it could not be read. An installation may do without one. */
export async function checkBounceMailbox({
  email,
}: Readonly<{ email: Pick<Config['email'], 'returnPath' | 'bounceMailbox' | 'timeoutMs'> }>): Promise<string> {
  const { returnPath, bounceMailbox, timeoutMs } = email
  if (bounceMailbox !== null) return await tryMailbox(bounceMailbox, timeoutMs)
  if (returnPath === null) return 'none is configured: bounces that come by mail are not read'
  return `mail leaves from ${returnPath}, and TIDINGS_BOUNCE_MAILBOX is not set: what bounces there is not read`
}
