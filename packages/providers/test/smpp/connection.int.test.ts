import { until } from '@tidings/testing'
import { newAuthority } from '@tidings/testing/certificates'
import { describe, expect, test } from 'vitest'
import { statusCode } from '../../src/smpp/pdu.ts'
import { LONG, opened, receiptOf, smsc } from './open-provider.ts'

describe('a connection', () => {
  test('that breaks leaves what was submitted unconfirmed, and is opened again without an outage', async () => {
    const server = await smsc()
    server.rules.submit = () => 'cut'
    const { send, outages } = opened(server.url)
    await expect(send()).rejects.toMatchObject({ failure: 'unconfirmed' })
    server.rules.submit = () => 0
    await send()
    expect(outages).toEqual([])
  })

  test('whose SMSC is away is one outage, and is over by itself', async () => {
    const server = await smsc()
    await server.stop()
    const { provider, send, outages } = opened(server.url)
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => send()))
    for (const result of results)
      expect(result).toMatchObject({ reason: { failure: 'outage', message: expect.stringContaining('ECONNREFUSED') } })
    expect(outages).toEqual([expect.stringMatching(/^The SMSC at 127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED.*\.$/)])
    expect(provider.outage()).toBe(outages[0])
    await server.start()
    await until(() => expect(provider.outage()).toBeNull())
    expect(outages).toHaveLength(2)
    await send()
  })

  test('whose password is wrong is an outage that says so without it', async () => {
    const server = await smsc()
    server.rules.bind = ({ password }) => statusCode(password === 'right' ? 'ESME_ROK' : 'ESME_RINVPASWD')
    const { send, outages } = opened(server.url)
    await expect(send()).rejects.toMatchObject({ failure: 'outage' })
    expect(outages[0]).toMatch(/^The SMSC at 127\.0\.0\.1:\d+ refuses the bind: the password is wrong, ESME_RINVPASWD \(0x0E\)\.$/)
    expect(outages[0]).not.toContain('s3cret')
  })

  test('whose bind is not answered is an outage', async () => {
    const server = await smsc()
    server.rules.bind = () => null
    await expect(opened(server.url, { callMs: 200 }).send()).rejects.toMatchObject({ failure: 'outage' })
  })

  test('whose SMSC falls silent is noticed by enquire_link', async () => {
    const server = await smsc()
    server.rules.ignoresEnquiries = true
    opened(`${server.url}?enquire=1`, { callMs: 1_000 })
    await until(() => expect(server.heard.filter((command) => command === 'bind_transceiver').length).toBeGreaterThan(1))
    expect(server.heard).toContain('enquire_link')
  })

  test('answers the enquiries of the SMSC, and its unbind with a new bind', async () => {
    const server = await smsc()
    const { send } = opened(server.url)
    await send()
    const [session] = server.sessions()
    const commands = await new Promise<string[]>((resolve) => {
      const heard: string[] = []
      session?.on('pdu', ({ command }) => heard.push(command) === 2 && resolve(heard))
      session?.enquire_link()
      session?.unbind()
    })
    expect(commands).toEqual(['enquire_link_resp', 'unbind_resp'])
    await send()
    expect(server.submitted).toHaveLength(2)
  })

  test('is ended by unbind when the provider is closed, after the answers', async () => {
    const server = await smsc()
    const gate = Promise.withResolvers<number>()
    server.rules.submit = () => gate.promise
    const { provider, send } = opened(server.url)
    const sending = send()
    await until(() => expect(server.submitted).toHaveLength(1))
    const closing = provider.close()
    await expect(send()).rejects.toMatchObject({ failure: 'outage' })
    expect(server.heard).not.toContain('unbind')
    gate.resolve(0)
    await sending
    await closing
    expect(server.heard.at(-1)).toBe('unbind')
  })

  test('is encrypted with smpps://, and the certificate is checked', async () => {
    const authority = newAuthority('tests')
    const server = await smsc(authority.issue('127.0.0.1'))
    await opened(server.url, { ca: authority.cert }).send()
    await opened(`${server.url}?verify=off`).send()
    await expect(opened(server.url).send()).rejects.toMatchObject({ failure: 'outage', message: expect.stringContaining('certificate') })
    expect(server.submitted).toHaveLength(2)
  })

  test('may bring PDUs in pieces', async () => {
    const server = await smsc()
    server.rules.bytesAtOnce = 3
    const { send, receipts } = opened(server.url)
    await send({ body: LONG })
    for (const id of ['smsc-0', 'smsc-1', 'smsc-2']) expect(await server.deliver(receiptOf(id, 'DELIVRD'))).toBe(0)
    expect(receipts.map(({ partId, status }) => [partId, status])).toEqual([0, 1, 2].map((n) => [`smsc-${n}`, 'delivered']))
  })
})
