import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { newAuthority } from '@tidings/testing/certificates'
import { type Greenmail, startGreenmail } from '@tidings/testing/greenmail'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mailboxAddress } from '../../src/mailbox/mailbox-address.ts'
import { type Mailbox, openMailbox, tryMailbox } from '../../src/mailbox/open-mailbox.ts'

const CALL_MS = 60_000
const TIMES = { callMs: CALL_MS }
const greenmail: Greenmail | null = await startGreenmail()
afterAll(() => greenmail?.stop())

const send = (raw: string) => greenmail!.post('bounces+x@example.com', raw)
const START = { uidValidity: 0n, uid: 0 }
const authority = newAuthority('Test')
/** The mail server with TLS in front of it, as many have it. */
const overTls = async ({ imap }: Greenmail) => {
  const server = createServer(authority.issue('127.0.0.1'), (socket) => {
    const inner = connect(Number(new URL(imap).port), '127.0.0.1')
    socket
      .on('error', () => inner.destroy())
      .pipe(inner)
      .on('error', () => socket.destroy())
      .pipe(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => new Promise((resolve) => server.close(resolve)) }
}
const never = new AbortController().signal

describe.runIf(greenmail !== null)('a mailbox on a real server', () => {
  let mailbox: Mailbox
  beforeAll(async () => {
    mailbox = await openMailbox(mailboxAddress(greenmail!.imap), TIMES)
  })
  afterAll(() => mailbox.close())

  test('is empty, then lists what came, the oldest first, and from where the last look ended', async () => {
    const empty = await mailbox.list(START)
    expect(empty).toMatchObject({ uids: [], more: false })
    const woken = mailbox.waitForMail(60_000, never)
    for (const n of [1, 2, 3]) await send(`Subject: ${n}\r\n\r\nbody\r\n`)
    await woken
    const { uidValidity, uids } = await mailbox.list(START)
    expect(uids).toHaveLength(3)
    const mails = await mailbox.read([...uids].reverse())
    expect(mails.map(({ uid, raw }) => [uid, /^Subject: (.*)$/m.exec(raw.toString())?.[1]?.trim()])).toEqual(
      uids.map((uid, n) => [uid, `${n + 1}`]),
    )
    expect((await mailbox.list({ uidValidity, uid: uids[0] ?? 0 })).uids).toEqual(uids.slice(1))
    expect((await mailbox.list({ uidValidity, uid: uids[2] ?? 0 })).uids).toEqual([])
    expect((await mailbox.list({ uidValidity: uidValidity + 1n, uid: 1_000 })).uids).toEqual(uids)
  })

  test('gives the first 256 KiB of a huge mail', async () => {
    const { uidValidity, uids } = await mailbox.list(START)
    await send(`Subject: huge\r\n\r\n${'x'.repeat(70)}\r\n${`${'y'.repeat(76)}\r\n`.repeat(40_000)}`)
    const [uid = 0] = (await mailbox.list({ uidValidity, uid: uids.at(-1) ?? 0 })).uids
    const [mail] = await mailbox.read([uid])
    expect(mail?.raw.length).toBe(256 * 1024)
    expect(mail?.raw.toString()).toContain('Subject: huge')
  })

  test('does without a mail that is gone, and flags what is there', async () => {
    const { uids } = await mailbox.list(START)
    expect(await mailbox.read([...uids, 4_000_000])).toHaveLength(uids.length)
    expect(await mailbox.flag(uids, '\\Seen')).toBe(true)
    expect(await mailbox.flag(uids.slice(0, 1), '\\Flagged')).toBe(true)
    const flags = await greenmail!.flags()
    expect(flags.map((of) => [of.includes('\\Seen'), of.includes('\\Flagged')])).toEqual(uids.map((_, n) => [true, n === 0]))
  })

  test('does not wait for mail that the server announced while something else was asked', async () => {
    const { uids } = await mailbox.list(START)
    await send('Subject: meanwhile\r\n\r\nbody\r\n')
    await mailbox.read(uids)
    await mailbox.waitForMail(60_000, never)
    expect((await mailbox.list(START)).uids).toHaveLength(uids.length + 1)
  })

  test('whose server goes away says so, without the password, and can be opened again', async () => {
    await greenmail!.stop()
    await expect(mailbox.list(START)).rejects.toMatchObject({ name: 'MailboxAway', retryable: true })
    const again = openMailbox(mailboxAddress(greenmail!.imap), TIMES)
    await expect(again).rejects.toThrow(/^127\.0\.0\.1:\d+ cannot be used: (?!.*s3cret)/)
    await greenmail!.start()
    mailbox = await openMailbox(mailboxAddress(greenmail!.imap), TIMES)
    expect((await mailbox.list(START)).uids).toEqual([])
  })

  test('is read over TLS from the first byte, where its certificate is one to trust, and not otherwise', async () => {
    const { port, close } = await overTls(greenmail!)
    const imaps = `imaps://bounces:s3cret@127.0.0.1:${port}`
    await expect(tryMailbox(imaps, CALL_MS)).rejects.toThrow(/certificate/)
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, authority.cert])
    try {
      expect(await tryMailbox(imaps, CALL_MS)).toBe(`127.0.0.1:${port} answers, and INBOX can be read`)
      const secure = await openMailbox(mailboxAddress(imaps), TIMES)
      await send('Subject: sealed\r\n\r\nbody\r\n')
      const { uids } = await secure.list(START)
      expect((await secure.read(uids.slice(-1)))[0]?.raw.toString()).toContain('Subject: sealed')
      await secure.close()
    } finally {
      setDefaultCACertificates(before)
      await close()
    }
  })

  test('is tried by doctor; a wrong password or folder is one sentence without the password', async () => {
    const { imap } = greenmail!
    expect(await tryMailbox(imap, CALL_MS)).toMatch(/^127\.0\.0\.1:\d+ answers, and INBOX can be read; the password may be sent in clear$/)
    await expect(tryMailbox(imap.replace('s3cret', 'wr0ng'), CALL_MS)).rejects.toThrow(/cannot be used: (?!.*wr0ng)/)
    await expect(tryMailbox(`${imap}/Nowhere`, CALL_MS)).rejects.toThrow('cannot be used')
    await expect(tryMailbox(`${imap}?tls=required`, CALL_MS)).rejects.toThrow('cannot be used')
  })
})
