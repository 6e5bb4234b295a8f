import type { Demo } from './demo.ts'

const headers = ({ slug, key }: Demo): string => `-H 'X-Sender-Tenant: ${slug}' -H 'X-API-Key: ${key}'`

/** What a first start prints: everything a newcomer needs to see a message delivered, ready to paste. */
export function welcome(url: string, demo: Demo): string {
  const body = JSON.stringify({ to: 'ada@example.com', fromEmail: demo.fromEmail, subject: 'Hello from Tidings', html: '<p>It works.</p>' })
  return `
Tidings is ready on ${url}

  workspace  ${demo.slug}
  API key    ${demo.key}   (shown this once)

1. Send a first email (to the development outbox: nothing leaves this machine):

curl -s ${headers(demo)} -H 'Content-Type: application/json' ${url}/api/v1/public/messages/email -d '${body}'

2. Read its status:

curl -s ${headers(demo)} '${url}/api/v1/public/messages?limit=1'

3. List the profiles, the new one among them:

curl -s ${headers(demo)} ${url}/api/v1/public/profiles

The message itself is in ${url}/dev/outbox, the reference in ${url}/docs. Ctrl-C stops Tidings; the next start finds everything as it was.
`
}
