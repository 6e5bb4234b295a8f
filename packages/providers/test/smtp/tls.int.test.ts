import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import { newAuthority } from '@tidings/testing/certificates'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterEach, describe, expect, test } from 'vitest'
import { tryRelay } from '../../src/smtp/session.ts'
import { smtp } from '../../src/smtp/smtp.ts'
import { smtpProvider } from '../../src/smtp/smtp-provider.ts'
import { mail as message } from '../email/mail.fixture.ts'

const certificate = newAuthority('Test authority').issue('relay.test')
const publicUrl = 'http://127.0.0.1'
/** No call that is answered takes so long. */
const CALL_MS = 60_000

let close: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of close.toReversed()) await end()
  close = []
})

/** Whether each login that the server received went over TLS. */
const relay = async (offersTls: boolean): Promise<Readonly<{ sink: SmtpSink; logins: boolean[] }>> => {
  const logins: boolean[] = []
  const sink = await startSmtpSink({
    ...certificate,
    disabledCommands: offersTls ? [] : ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (_, { secure }, done) => {
      logins.push(secure)
      done(null, { user: 'shop' })
    },
  })
  close.push(sink.stop)
  return { sink, logins }
}
/** The same server by an address of this machine that is not a loopback address. */
const away = (sink: SmtpSink, query: string): string => `${sink.url.replace('://127.0.0.1', '://shop:s3cret@0.0.0.0')}?verify=off${query}`
const near = (sink: SmtpSink, query: string): string => `${sink.url.replace('://', '://shop:s3cret@')}?verify=off${query}`

const sending = (url: string) => {
  const provider = smtpProvider({ ...smtp.limits, url, publicUrl, callMs: CALL_MS })
  close.push(() => provider.close())
  return provider.send(message, { signal: new AbortController().signal, fence: () => undefined, priority: 'transactional' })
}

describe('a password', () => {
  test('is never sent in clear to another machine: a relay that offers no TLS cannot be used', async () => {
    const { sink, logins } = await relay(false)
    await expect(sending(away(sink, ''))).rejects.toMatchObject({ failure: 'outage' })
    expect([logins, sink.mails]).toEqual([[], []])
  })

  test('is sent in clear where the address has tls=optional', async () => {
    const { sink, logins } = await relay(false)
    await sending(away(sink, '&tls=optional'))
    expect(logins).toEqual([false])
  })

  test('is sent in clear on this machine, unless the address has tls=required', async () => {
    const { sink, logins } = await relay(false)
    await sending(near(sink, ''))
    expect(logins).toEqual([false])
    await expect(sending(near(sink, '&tls=required'))).rejects.toMatchObject({ failure: 'outage' })
    expect(logins).toEqual([false])
  })

  test.each(['', '&tls=optional', '&tls=required'])('goes over TLS where that is offered%s', async (query) => {
    const { sink, logins } = await relay(true)
    await sending(away(sink, query))
    expect(logins).toEqual([true])
  })

  test('and tls=off do not go together, and the sentence does not name it', () => {
    const open = (url: string) => () => smtpProvider({ ...smtp.limits, url, publicUrl })
    expect(open('smtp://shop:s3cret@relay.example?tls=off')).toThrow(/^(?!.*s3cret).*in clear/)
    expect(open('smtp://shop:s3cret@relay.example?tls=never')).toThrow(/^(?!.*s3cret).*unknown tls/)
    expect(open('smtp://relay.example?tls=off')).not.toThrow()
    expect(open('smtp://shop:s3cret@[::1]?tls=off')).not.toThrow()
  })
})

test('what a server sends in clear before TLS is ignored', async () => {
  const commands: string[] = []
  const sockets: Socket[] = []
  const server = createServer((plain) => {
    sockets.push(plain)
    plain.on('error', () => undefined)
    plain.write('220 relay\r\n')
    plain.on('data', function inClear(line) {
      if (line.toString().startsWith('EHLO')) plain.write('250-relay\r\n250 STARTTLS\r\n')
      else if (line.toString() === 'STARTTLS\r\n') {
        plain.off('data', inClear)
        // One write has the permission, an answer to the EHLO that follows, and half a line in front of the next one.
        plain.write('220 go on\r\n250-evil\r\n250-SIZE 1\r\n250 AUTH LOGIN\r\n250-evil', () => inTls(plain))
      }
    })
  })
  const inTls = (plain: Socket): void => {
    const secure = new TLSSocket(plain, { isServer: true, secureContext: createSecureContext(certificate) })
    secure.on('error', () => undefined)
    secure.on('data', (line) => {
      const [command = ''] = line.toString().split(' ')
      commands.push(command.trim())
      if (command === 'EHLO') secure.write('250-relay\r\n250 AUTH PLAIN\r\n')
      else if (command === 'AUTH') secure.write('235 welcome\r\n')
      else secure.write(command.startsWith('DATA') ? '354 go on\r\n' : '250 ok\r\n')
    })
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  close.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  await sending(`smtp://shop:s3cret@0.0.0.0:${port}?verify=off`)
  // The injected SIZE 1 would have refused the mail, the injected LOGIN another kind of login.
  expect(commands.slice(0, 4)).toEqual(['EHLO', 'AUTH', 'MAIL', 'RCPT'])
})

describe('a try of the relay', () => {
  test('gives port, TLS and login as sending uses them, and what the address lifts', async () => {
    const { sink } = await relay(true)
    const port = Number(new URL(sink.url).port)
    expect(await tryRelay(away(sink, ''), CALL_MS)).toEqual({
      said: `0.0.0.0:${port} answers (TLSv1.3, logged in)`,
      lifted: ['verify=off: the certificate is not checked'],
    })
    expect((await tryRelay(away(sink, '&tls=optional'), CALL_MS)).lifted).toContain('tls=optional: the password may be sent in clear')
  })

  test('fails where sending would: at the login, at TLS, at the port', async () => {
    const refusing = await startSmtpSink({ allowInsecureAuth: true, onAuth: (_, __, done) => done(new Error('who?')) })
    close.push(refusing.stop)
    await expect(tryRelay(near(refusing, ''), CALL_MS)).rejects.toThrow(/^127\.0\.0\.1:\d+ cannot be used: Invalid login: 535 who\?\.$/)
    const { sink } = await relay(false)
    await expect(tryRelay(away(sink, ''), CALL_MS)).rejects.toThrow('cannot be used')
    await sink.stop()
    await expect(tryRelay(near(sink, ''), CALL_MS)).rejects.toThrow('ECONNREFUSED')
  })
})
