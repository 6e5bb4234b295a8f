import { wasRestored } from '@tidings/backup-and-export/restored-mark'
import { type Config, publicUrl } from '@tidings/config'
import type { Service } from '@tidings/service'
import { signInLinkUrl } from '@tidings/sign-in'
import { createDemo, type Demo, noteDemoPrinted } from '../demo/demo.ts'

type FirstRun = Readonly<{ config: Config; service: Service; isStopping: () => boolean }>

/**
 * What is printed when the service is ready: on a first run over an embedded Postgres the demo workspace with its key. Empty once that is
 * printed, and where a stop comes before the workspace is whole: the next start makes the rest.
 */
export async function firstRun({ config, service: { stores, url }, isStopping }: FirstRun): Promise<string> {
  if (stores === null || config.storage.databaseUrl !== null || wasRestored(config.storage.dataDir)) return ''
  const demo = await createDemo(stores, { dataDir: config.storage.dataDir, isStopping }).catch((error: unknown) => {
    if (isStopping()) return null
    throw error
  })
  if (demo === null) return ''
  const own = publicUrl({ ...config.http, port: Number(new URL(url).port) })
  return welcome(own, demo, config.http.dashboard === 1 ? pages(own, { demo, isProduction: config.environment === 'production' }) : '')
}

/** Prints it. A run that ends before the terminal has it is as if it were not: the next start prints another key. */
export async function printFirstRun(text: string, { storage: { dataDir } }: Config): Promise<void> {
  if (text === '') return
  const written = Promise.withResolvers<boolean>()
  process.stdout.write(text, (error) => written.resolve(!error))
  if (await written.promise) await noteDemoPrinted(dataDir)
}

/** The addresses to open in a browser. */
const pages = (url: string, { demo, isProduction }: Readonly<{ demo: Demo; isProduction: boolean }>): string => `
dashboard  ${signInLinkUrl(url, demo.linkToken)}   (signs you in once, as owner of ${demo.slug})
${isProduction ? '' : `mailbox    ${url}/dev/mailbox\n`}`

const headers = ({ slug, key }: Demo): string => `-H 'X-Sender-Tenant: ${slug}' -H 'X-API-Key: ${key}'`

/** The lines that a first start prints: everything a newcomer needs to see a message delivered, ready to paste. */
function welcome(url: string, demo: Demo, browser: string): string {
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
${browser}
The message itself is in ${url}/dev/outbox, the reference in ${url}/docs. Ctrl-C stops Tidings; the next start finds everything as it was.
`
}
