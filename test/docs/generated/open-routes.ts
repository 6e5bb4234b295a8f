/**
 * What bounds one caller without a key. `address`: requests a minute of one address, where a bucket counts them; `unsigned` counts only what
 * has no signature that could be right. `body`: bytes, null where there is none. `work`: what a request costs at most.
 */
type OpenRoute = Readonly<{ route: string; address: number | 'forms' | 'unsigned' | null; body: number | null; work: string }>

const KIB = 1024
const link = 'a token of at most 4 096 characters is opened; a forged one ends there, without a query'
const script = 'a text in memory, 304 to a copy'
const page = 'a text that is written once, 304 to a copy'
const local = 'none outside this machine: asked by the name of another host, or from another address, it is 403 or 404'
const entry = 'one small file; a cookie that may be a session is looked up by its hash'
const signature = 'a hash over the body, before it is parsed; refused before the body is read where the header cannot be a signature'

/** Every route that needs neither key nor session. A test compares it with those of a running service, and drives each bound. */
export const openRoutes: readonly OpenRoute[] = [
  {
    route: 'POST /api/v1/auth/login',
    address: 10,
    body: 64 * KIB,
    work: 'one password hash, of which one runs at a time; 503 over the queue',
  },
  { route: 'POST /api/v1/auth/link', address: 10, body: 64 * KIB, work: 'one query by the hash of the token' },
  {
    route: 'POST /api/v1/integrations/store-events',
    address: 60,
    body: 64 * KIB,
    work: 'one hash of the secret that it shows, then a look-up in memory',
  },
  { route: 'GET /api/v1/push/public-key', address: 60, body: null, work: 'a text in memory' },
  { route: 'OPTIONS /api/v1/forms/subscribe', address: null, body: null, work: 'headers; nothing is looked up' },
  { route: 'OPTIONS /api/v1/push/subscriptions', address: null, body: null, work: 'headers; nothing is looked up' },
  { route: 'POST /api/v1/providers/email/events', address: 'unsigned', body: 1024 * KIB, work: signature },
  {
    route: 'POST /api/v1/providers/email/mailgun',
    address: null,
    body: 64 * KIB,
    work: 'the body is parsed, and a hash over its timestamp and token compared with the signature in it',
  },
  {
    route: 'POST /api/v1/providers/email/ses',
    address: null,
    body: 512 * KIB,
    work: 'the body is parsed; of a topic that is configured a signature over it is verified, by a certificate that is kept for a day: one address has five fetched a minute',
  },
  { route: 'POST /api/v1/providers/twilio/status', address: 'unsigned', body: 1024 * KIB, work: signature },
  { route: 'POST /api/v1/providers/twilio/inbound', address: 'unsigned', body: 1024 * KIB, work: signature },
  { route: 'GET /o.gif', address: null, body: null, work: link },
  { route: 'GET /c', address: null, body: null, work: link },
  { route: 'GET /u', address: null, body: null, work: link },
  { route: 'POST /u', address: null, body: 4 * KIB, work: link },
  { route: 'GET /verify', address: null, body: null, work: link },
  { route: 'POST /verify', address: null, body: 4 * KIB, work: link },
  { route: 'GET /forms/confirm', address: null, body: null, work: link },
  { route: 'POST /forms/confirm', address: null, body: 4 * KIB, work: link },
  { route: 'GET /forms/embed.js', address: null, body: null, work: script },
  { route: 'GET /storefront/sdk.js', address: null, body: null, work: script },
  { route: 'GET /storefront/push-sw.js', address: null, body: null, work: script },
  { route: 'GET /dashboard', address: 60, body: null, work: entry },
  { route: 'GET /dashboard/*', address: 60, body: null, work: entry },
  { route: 'GET /dashboard/assets/:name', address: null, body: null, work: 'one small file of the build, which a browser keeps for ever' },
  { route: 'GET /.well-known/tidings-log-key', address: 60, body: null, work: 'a key in memory' },
  { route: 'GET /openapi.json', address: 60, body: null, work: page },
  { route: 'GET /docs', address: 60, body: null, work: page },
  { route: 'GET /docs/start.js', address: 60, body: null, work: page },
  { route: 'GET /docs/swagger-ui.css', address: 60, body: null, work: page },
  { route: 'GET /docs/swagger-ui-bundle.js', address: 60, body: null, work: page },
  { route: 'GET /health/live', address: null, body: null, work: 'none' },
  { route: 'GET /health/ready', address: null, body: null, work: 'requests at one time share one round of checks' },
  {
    route: 'GET /metrics',
    address: null,
    body: null,
    work: 'requests at one time share one page; `TIDINGS_ADMIN_PORT` moves it to a port of its own',
  },
  { route: 'GET /dev/outbox', address: null, body: null, work: local },
  { route: 'GET /dev/outbox/:id/html', address: null, body: null, work: local },
  { route: 'GET /dev/mailbox', address: null, body: null, work: local },
  { route: 'POST /dev/outbox/:id/report', address: null, body: null, work: local },
  { route: 'DELETE /dev/outbox', address: null, body: null, work: local },
]

const sayAddress = ({ address }: OpenRoute): string => {
  if (address === null) return '–'
  return address === 'unsigned' ? '60 without a signature; no bound with one' : String(address)
}
const sayBody = ({ body }: OpenRoute): string => (body === null ? '–' : body < 1024 * KIB ? `${body / KIB} KiB` : `${body / KIB / KIB} MiB`)

export function openRoutesTable(): string {
  const shown = openRoutes.filter(({ route }) => !route.startsWith('GET /docs/'))
  const rows = shown.map(
    (one) =>
      `| \`${one.route}\`${one.route === 'GET /docs' ? ' and its files, each' : ''} | ${sayAddress(one)} | ${sayBody(one)} | ${one.work} |`,
  )
  return ['| route | a minute of one address | body | work |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
