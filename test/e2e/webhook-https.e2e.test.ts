import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { newAuthority } from '@tidings/testing/certificates'
import { type DnsServer, startDnsServer } from '@tidings/testing/dns-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import type { ServiceProcess } from './support/service-process.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'

const trusted = newAuthority('An authority that the operator trusts')
const strange = newAuthority('An untrusted authority')
/** What the server shows to whom asks for a host. */
const certificates = new Map([
  ['good.example', trusted.issue('good.example')],
  ['silent.example', trusted.issue('silent.example')],
  ['moved.example', trusted.issue('good.example')],
  ['strange.example', strange.issue('strange.example')],
  ['expired.example', trusted.issue('expired.example', -3)],
])

let folder: string
let dns: DnsServer
let database: TestDatabase
let installation: Installation
let service: ServiceProcess
let receiver: Receiver
let acme: Client

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-https-'))
  await writeFile(join(folder, 'authority.pem'), trusted.cert)
  ;[database, receiver, dns] = await Promise.all([testDatabase(), startReceiver(certificates), startDnsServer()])
  // Every name leads to the one server; nothing but the certificate says which host it is.
  for (const host of certificates.keys()) dns.answers.set(host, ['127.0.0.1'])
  installation = await install(database.url, {
    NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
    TIDINGS_DNS_SERVERS: dns.address,
    // The receiver is on a port of this machine.
    TIDINGS_WEBHOOK_ALLOW_LOCAL: '1',
    TIDINGS_WEBHOOK_BACKOFF_MS: '20',
    TIDINGS_WEBHOOK_TIMEOUT_MS: '8000',
  })
  service = await installation.start()
  acme = await installation.workspace('acme')
})
afterAll(async () => {
  await service?.end('SIGTERM')
  await receiver?.close()
  await dns?.close()
  await installation?.close()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

const endpoint = async (host: string, path: string): Promise<string> => {
  const url = `https://${host}:${new URL(receiver.url).port}${path}`
  return dataOf<{ id: string }>(await acme.request('POST', '/public/webhooks', { url, events: ['contact.created'] }), 201).id
}
let people = 0
const person = () => acme.request('POST', '/public/profiles', { email: `person-${++people}@example.com` })

type Try = Readonly<{ attempt: number; outcome: string; status: number | null; error: string | null }>
/** The tries of an endpoint, once there are so many. */
const tries = async (id: string, count: number): Promise<readonly Try[]> => {
  const read = async () => {
    const text = 'select attempt, outcome, status, error from webhooks.attempt where endpoint_id = $1 order by number'
    return (await installation.pool.query<Try>(text, [id])).rows
  }
  const all = await eventually(read, (rows) => rows.length >= count)
  await acme.request('DELETE', `/public/webhooks/${id}`)
  return all
}
const outcomesOf = (all: readonly Try[]) => all.map(({ outcome }) => outcome)

const FIVE = ['retrying', 'retrying', 'retrying', 'retrying', 'dropped']

describe('over HTTPS a delivery', () => {
  it('goes to the checked address, for the host of the URL, whose certificate is checked', async () => {
    const id = await endpoint('good.example', '/good')
    await person()
    const [received] = await receiver.wait('/good', 1)
    expect([received?.servername, received?.headers.host]).toEqual(['good.example', `good.example:${new URL(receiver.url).port}`])
    expect(await tries(id, 1)).toEqual([{ attempt: 1, outcome: 'delivered', status: 200, error: null }])
  })

  it('whose name no server answers for uses up no try, delays no other endpoint, and goes out once it is answered', async () => {
    const [silent, good] = [await endpoint('silent.example', '/silent'), await endpoint('good.example', '/beside-silent')]
    dns.answers.set('silent.example', null)
    await person()
    const error = expect.stringMatching(/^the name (was not looked up in time|silent\.example could not be looked up)$/)
    const unresolved = { attempt: 0, outcome: 'retrying', status: null, error }
    const read = async () =>
      (await installation.pool.query<Try>('select attempt, outcome, status, error from webhooks.attempt where endpoint_id = $1', [silent]))
        .rows
    expect(await eventually(read, (rows) => rows.length > 0)).toEqual([unresolved])
    await receiver.wait('/beside-silent', 1)

    // A new process: this one asks for a silent name again after half a minute only.
    await service.end('SIGTERM')
    dns.answers.set('silent.example', ['127.0.0.1'])
    await installation.pool.query('update webhooks.queue set lease_until = clock_timestamp() where endpoint_id = $1', [silent])
    service = await installation.start()
    await receiver.wait('/silent', 1)
    expect((await tries(silent, 2)).at(-1)).toMatchObject({ attempt: 1, outcome: 'delivered' })
    await tries(good, 1)
  })

  it.each([
    ['moved.example', 'is for another host', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['strange.example', 'is of an untrusted authority', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['expired.example', 'has expired', 'CERT_HAS_EXPIRED'],
  ])('to %s, whose certificate %s, is not made: five tries, recorded with their reason', async (host, _, error) => {
    const id = await endpoint(host, `/${host}`)
    await person()
    const all = await tries(id, 5)
    expect(outcomesOf(all)).toEqual(FIVE)
    expect(new Set(all.map((one) => one.error))).toEqual(new Set([error]))
    expect(receiver.at(`/${host}`)).toEqual([])
  })

  it('follows no redirect, and is not tried again after one', async () => {
    receiver.reply(({ path }) => (path === '/redirected' ? 308 : 200))
    const id = await endpoint('good.example', '/redirected')
    await person()
    expect(await tries(id, 1)).toEqual([{ attempt: 1, outcome: 'dropped', status: 308, error: null }])
    expect([receiver.at('/redirected').length, receiver.at('/elsewhere').length]).toEqual([1, 0])
  })

  it('is given up when no answer comes in the time that is set, and tried again', async () => {
    receiver.reply(({ path }, nth) => (path === '/late' && nth === 1 ? 'never' : 200))
    const id = await endpoint('good.example', '/late')
    await person()
    expect(await tries(id, 2)).toEqual([
      { attempt: 1, outcome: 'retrying', status: null, error: 'no answer in time' },
      { attempt: 2, outcome: 'delivered', status: 200, error: null },
    ])
  })
})
