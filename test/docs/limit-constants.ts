import { type Constant, constant, grouped, kibibytes, mebibytes, retryDelays, seconds, setting } from './constants.ts'
import { readPage } from './markdown.ts'

const minutes = (ms: number): string => `${ms / 60_000} minutes`
const hours = (ms: number): string => `${ms / 3_600_000} hours`
const megabytes = (bytes: number): number => bytes / 1024 / 1024
const on =
  (page: string) =>
  (says: string): Constant => ({ page, says })

/** Leases: what a process that died holds, and for how long. */
function leases(): readonly Constant[] {
  const page = on('docs/how-to/after-a-crash.md')
  const jobs = constant('LEASE_MS', 'consumers/src/send/')
  const takeover = constant('TAKEOVER_WAIT_MS', 'consumers/')
  return [
    page(`free after ${seconds(constant('leaseMs', 'packages/projections/'))} (projections)`),
    page(`${seconds(constant('leaseMs', 'packages/bus/'))} (consumer groups, the relay)`),
    page(`${seconds(constant('LEASE_MS', 'consumers/src/webhooks/'))} (webhook deliveries)`),
    page(`${seconds(jobs + takeover)} (jobs: ${seconds(jobs)} and the ${seconds(takeover)} of a`),
    on('docs/how-to/read-health-and-metrics.md')(`the lease of one that died (${seconds(constant('leaseMs', 'packages/projections/'))})`),
    on('docs/how-to/read-health-and-metrics.md')(`within ${seconds(constant('TIMEOUT_MS', 'packages/http/src/health.ts'))} |`),
    on('docs/how-to/read-health-and-metrics.md')(`cached for ${seconds(constant('KEPT_MS', 'packages/observability/src/metrics.ts'))}`),
    on('docs/how-to/rotate-an-api-key.md')(`for ${constant('DEAD_AFTER_SECONDS', 'packages/projections/')} s counts as gone`),
    on('docs/how-to/suspend-a-workspace.md')(`has not reported for ${constant('DEAD_AFTER_SECONDS', 'packages/projections/')} s`),
    on('docs/how-to/swap-a-projection.md')(`After ${constant('KEEP_HOURS', 'packages/projections/')} hours`),
  ]
}

/** What a caller of the API may send. */
function requests(): readonly Constant[] {
  const page = on('docs/reference/http-conventions.md')
  const keyless = kibibytes(constant('KEYLESS_BYTES', 'packages/http/'))
  const receipts = mebibytes(constant('MAX_BYTES', 'command-api/src/receipts/email-events.route.ts'))
  const form = kibibytes(constant('MAX_FORM_BYTES', 'command-api/'))
  const [subject, body] = ['SUBJECT = { maxLength', 'BODY = { maxLength'].map((name) => {
    const [, value] = new RegExp(`${name}: ([\\d_]+)`).exec(readPage('packages/mail-content/src/merge/render-email.ts')) ?? []
    return grouped(Number(value?.replaceAll('_', '')))
  })
  const properties = kibibytes(constant('CUSTOM_PROPERTIES_MAX_BYTES', 'domain/'))
  return [
    page(`without a key ${keyless}, receipts ${receipts}, an unsubscribe form ${form}`),
    page(`A body over ${keyless} is read only for a key`),
    page(`a body over ${mebibytes(setting('http.bodyLimitBytes'))}`),
    page(
      `after its first ${seconds(constant('INTERVAL_MS', 'packages/http/src/body/'))}, ${kibibytes(constant('BYTES_PER_INTERVAL', 'packages/http/'))} or its end`,
    ),
    page(`must have come in within ${seconds(constant('HEADERS_TIMEOUT_MS', 'packages/http/'))}`),
    page(`| email subject; html; text | ${subject}; ${body}; ${body} characters |`),
    page(`| ${properties} as JSON and ${constant('CUSTOM_PROPERTIES_MAX_KEYS', 'domain/')} keys`),
    page(`after ${retryDelays().replace(/, ([^,]*)$/, ' and $1')}`),
    on('docs/how-to/run-behind-a-proxy.md')(`allow bodies of ${mebibytes(setting('http.bodyLimitBytes'))}`),
    on('docs/how-to/report-events.md')(`at most ${grouped(constant('MAX_PROPERTIES_BYTES', 'domain/'))} bytes`),
  ]
}

/** How long a message, a cart or a step waits, and what ends it. */
function sending(): readonly Constant[] {
  const smtp = on('docs/how-to/send-through-smtp.md')
  const [first, longest] = ['FIRST_DELAY_MS', 'MAX_DELAY_MS'].map((name) => constant(name, 'packages/providers/src/outage.ts'))
  return [
    smtp(`tries again after ${seconds(first ?? 0)} and with growing delays up to ${seconds(longest ?? 0)}`),
    on('docs/reference/sms-providers.md')(`from ${first} ms on, up to every ${seconds(longest ?? 0)}`),
    on('docs/reference/sms-providers.md')(
      `(at most ${seconds(constant('MAX_DELAY_MS', 'packages/providers/src/throttle/'))}; without one ${constant('FIRST_DELAY_MS', 'packages/providers/src/throttle/')} ms`,
    ),
    on('docs/reference/sms-providers.md')(`longer than ${kibibytes(constant('MAX_BODY_BYTES', 'packages/outbound-http/'))}`),
    on('docs/how-to/send-through-amazon-ses.md')(
      `Limits are ${megabytes(constant('MAX_BYTES', 'packages/providers/src/ses/ses-provider.ts'))} MB a mail`,
    ),
    on('docs/how-to/send-through-amazon-ses.md')(`and ${constant('connections', 'packages/providers/src/ses/ses.ts')} requests at once`),
    on('docs/how-to/send-through-mailgun.md')(
      `Limits are ${megabytes(constant('MAX_BYTES', 'packages/providers/src/mailgun/'))} MB a mail, and ${constant('connections', 'packages/providers/src/mailgun/mailgun.ts')} requests at once`,
    ),
    on('docs/how-to/send-web-push.md')(`tried again there after ${retryDelays()}`),
    on('docs/how-to/send-web-push.md')(`at most ${grouped(constant('MAX_PUSH_BYTES', 'domain/'))} bytes`),
    on('docs/how-to/look-after-sms-credits.md')(`after ${minutes(constant('UNCONFIRMED_MS', 'consumers/'))} the message is sent once more`),
    on('docs/how-to/send-a-campaign.md')(`refuses the first ${constant('REFUSED', 'consumers/src/campaigns/')} messages`),
    on('docs/how-to/make-a-flow.md')(`more than ${hours(constant('LATE_MS', 'consumers/src/send/'))} late`),
    on('docs/how-to/report-events.md')(`${minutes(constant('IDLE_MS', 'consumers/src/abandoned-carts/'))} after a`),
    on('docs/how-to/report-events.md')(`more than ${hours(constant('MISSED_MS', 'consumers/src/abandoned-carts/'))} late`),
    on('docs/reference/webhooks.md')(`${minutes(constant('IDLE_MS', 'consumers/src/abandoned-carts/'))} after a`),
    on('docs/reference/webhooks.md')(`A look-up may take ${constant('DEADLINE_MS', 'packages/outbound-http/') / 1_000} seconds`),
    on('docs/reference/webhooks.md')(`A look-up is used for ${constant('KEEP_MS', 'packages/outbound-http/') / 1_000} seconds`),
    on('docs/reference/webhooks.md')(`the endpoint's queue pauses for ${constant('RETRY_MS', 'packages/outbound-http/') / 1_000} seconds`),
    on('docs/how-to/redrive-dead-letters.md')(`are deleted after ${constant('DEAD_LETTER_DAYS', 'consumers/')} days`),
    on('docs/how-to/read-bounces-from-a-mailbox.md')(`at most ${kibibytes(constant('MAIL_BYTES', 'packages/receipts/'))} of each`),
    on('docs/how-to/put-a-form-into-a-page.md')(`addresses of one domain get ${constant('UNPROVED_A_DAY', 'command-api/')} a day`),
    on('docs/how-to/manage-keys-over-http.md')(`within ${minutes(constant('WINDOW_MS', 'packages/sign-in/'))}`),
    on('docs/how-to/find-out-why-a-message-went-out.md')(
      `through ${grouped(constant('MOST_EVENTS', 'packages/evidence/'))} events of a wallet`,
    ),
    on('docs/how-to/trace-a-message.md')(
      `beyond ${constant('BURST', 'packages/observability/')} at once and ${constant('A_SECOND', 'packages/observability/')} a second`,
    ),
    on('docs/how-to/trace-a-message.md')(`what is left for ${seconds(constant('FLUSH_MS', 'packages/observability/'))}`),
  ]
}

/** Limits, times and sizes that a page says of the product, and that settings do not have. */
export function limitConstants(): readonly Constant[] {
  return [...leases(), ...requests(), ...sending()]
}
