import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { type DnsServer, startDnsServer } from '@tidings/testing/dns-server'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, clientOf, shownFetch } from './support/client.ts'
import { type Installation, install } from './support/installation.ts'
import type { ServiceProcess } from './support/service-process.ts'

const PUBLIC_URL = 'https://mail.operator.example'
const FILE = `workspace: { slug: acme, name: "Acme <b>Ltd</b>" }
apiKeys: [{ name: test }]
senderDomains: [{ domain: acme.example }]
senderAddresses:
  - { email: hello@acme.example, name: Acme }
  - { email: gone@acme.example }`

let database: TestDatabase
let dns: DnsServer
let relay: SmtpSink
let installation: Installation
let service: ServiceProcess
let acme: Client
let token: string

beforeAll(async () => {
  database = await testDatabase()
  dns = await startDnsServer()
  relay = await startSmtpSink()
  relay.answers.rcpt = (to) => (to.includes('gone@') ? { code: 550, message: '5.1.1 no such user' } : undefined)
  installation = await install(database.url, {
    TIDINGS_PUBLIC_URL: PUBLIC_URL,
    TIDINGS_DNS_SERVERS: dns.address,
    TIDINGS_DOMAIN_BLOCKLISTS: 'dbl.example',
    TIDINGS_EMAIL_PROVIDER: relay.url,
  })
  service = await installation.start()
  const applied = (await installation.tidings(['apply', '-f', '-'], FILE)) as Client['applied'] & { senderDomains: Record<string, string> }
  token = applied.senderDomains['acme.example'] ?? ''
  acme = clientOf({ url: `http://127.0.0.1:${installation.env.PORT}`, applied, shown: installation.shown })
})
afterAll(async () => {
  await service.end('SIGTERM')
  await relay.stop()
  await dns.close()
  await installation.close()
  await database.drop()
})

const ofAcme = (...args: readonly string[]) => installation.tidings([...args, '--workspace', 'acme'])
const textOf = (raw: string): string => raw.replaceAll('=\r\n', '').replaceAll('=3D', '=')
const linksTo = (to: string): readonly string[] =>
  relay.mails
    .filter(({ raw }) => raw.includes(`To: <${to}>`))
    .flatMap(({ raw }) => new RegExp(`${PUBLIC_URL}(/verify[?]t=[\\w-]+)`).exec(textOf(raw))?.[1] ?? [])
const visit = (path: string, init?: RequestInit) => shownFetch(installation.shown, `http://127.0.0.1:${installation.env.PORT}${path}`, init)
const press = (path: string, body = 'confirm=yes') =>
  visit(path, { method: 'POST', body, headers: { 'content-type': 'application/x-www-form-urlencoded' } })
const statusOf = async (email: string) => {
  const { rows } = await installation.pool.query<{ status: string }>('select status from read.sender_addresses where email = $1', [email])
  return rows[0]?.status
}
const usable = async () => ((await acme.request('GET', '/public/sender-addresses')).body.data as { items: readonly unknown[] }).items
const send = async (to: string) => {
  const mail = { to, fromEmail: 'hello@acme.example', subject: 'Hi', html: '<p>Hi</p>' }
  const { status, body } = await acme.request('POST', '/public/messages/email', mail)
  return { status, code: body.code }
}

describe('a sender that the operator does not vouch for', () => {
  it('may not send, and its mailboxes are asked by the operator', async () => {
    expect(await send('ada@example.com')).toEqual({ status: 400, code: 'from_domain_not_verified' })
    await until(() => expect(linksTo('hello@acme.example')).toHaveLength(1))
    const mail = relay.mails.find(({ raw }) => raw.includes('To: <hello@acme.example>'))
    expect(mail?.raw).toContain('From: <no-reply@mail.operator.example>')
    expect(textOf(mail?.raw ?? '')).toContain('Acme &lt;b&gt;Ltd&lt;/b&gt; wants to send email from hello@acme.example')
  })

  it('proves its domain by a record, its mailbox by a click, and then may send', async () => {
    dns.texts.set('_tidings.acme.example', [token])
    const [path = 'none'] = linksTo('hello@acme.example')
    expect((await visit(path)).status).toBe(200)
    expect((await press(path, 'nothing=1')).status).toBe(400)
    expect((await press(`${path}x`)).status).toBe(404)
    expect(await statusOf('hello@acme.example')).toBe('pending')
    expect([(await press(path)).status, (await press(path)).status]).toEqual([200, 200])
    expect(await ofAcme('sender-domain', 'check', '--domain', 'acme.example')).toMatchObject({
      verified: true,
      by: 'dns',
      blocklisted: false,
    })
    expect(await usable()).toEqual([expect.objectContaining({ value: 'hello@acme.example' })])
    expect((await send('ada@example.com')).status).toBe(202)
  })

  it('whose mailbox bounced has failed, until it is asked again', async () => {
    await until(async () => expect(await statusOf('gone@acme.example')).toBe('failed'))
    const { items } = (await ofAcme('sender-address', 'list')) as { items: readonly unknown[] }
    expect(items).toMatchObject([
      { email: 'gone@acme.example', status: 'failed', reason: 'bounced', mailSent: false },
      { email: 'hello@acme.example', status: 'verified', reason: null, mailSent: true },
    ])
    relay.answers.rcpt = () => undefined
    await ofAcme('sender-address', 'resend', '--email', 'gone@acme.example')
    await until(() => expect(linksTo('gone@acme.example')).toHaveLength(1))
  })

  it('on a blocklist may not send', async () => {
    dns.answers.set('acme.example.dbl.example', ['127.0.1.2'])
    expect(await ofAcme('sender-domain', 'check', '--domain', 'acme.example')).toMatchObject({
      blocklisted: true,
      listedIn: ['dbl.example'],
    })
    expect(await send('ada@example.com')).toEqual({ status: 400, code: 'from_domain_blacklisted' })
    expect(await usable()).toEqual([])
    dns.answers.delete('acme.example.dbl.example')
    const off = await ofAcme('sender-domain', 'check', '--domain', 'acme.example')
    expect(off).toMatchObject({ blocklisted: false, listedIn: [], verified: true })
  })

  it('signs its mail from when its key is published and put to use', async () => {
    const key = (await ofAcme('sender-domain', 'dkim', '--domain', 'acme.example')) as {
      selector: string
      record: { name: string; value: string }
    }
    const use = () => ofAcme('sender-domain', 'dkim', '--domain', 'acme.example', '--use', key.selector)
    await expect(use()).rejects.toThrow('does not show this key')
    dns.texts.set(key.record.name.toLowerCase(), [key.record.value])
    expect(await use()).toMatchObject({ active: true })
    expect((await send('bob@example.com')).status).toBe(202)
    await until(() => expect(relay.mails.find(({ raw }) => raw.includes('To: <bob@example.com>'))?.raw).toContain(`s=${key.selector};`))
  })
})
