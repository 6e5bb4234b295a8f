import { expect, onTestFinished, test } from 'vitest'
import { mailboxAddress } from '../../src/mailbox/mailbox-address.ts'
import { openMailbox } from '../../src/mailbox/open-mailbox.ts'
import { type ImapFolder, startImapServer } from './imap-server.fixture.ts'

const opened = async (folder: ImapFolder, lookMs = 240_000) => {
  const server = await startImapServer(folder)
  onTestFinished(server.stop)
  return { ...server, open: () => openMailbox(mailboxAddress(server.url), { callMs: 60_000, lookMs }) }
}
const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, n) => from + n)
const UID_VALIDITY = 7
const start = { uidValidity: BigInt(UID_VALIDITY), uid: 0 }

test.each([
  ['one after the other', range(1, 70_000)],
  ['behind millions that are gone', range(5_000_000, 70_000)],
  ['with gaps, up to the last number that there is', [...range(1, 3), ...range(2_000_000_000, 70_000), 0xffff_fffe]],
])('a folder of 70 000 mails, %s, is listed part by part, each in a line of a safe length', async (_, uids) => {
  const { open, commands, lines } = await opened({ uids, uidValidity: UID_VALIDITY })
  const mailbox = await open()
  const listed: number[] = []
  for (let more = true; more; ) {
    const listing = await mailbox.list({ ...start, uid: listed.at(-1) ?? 0 })
    listed.push(...listing.uids)
    more = listing.more
  }
  await mailbox.close()
  expect(listed).toEqual(uids)
  expect(Math.max(...lines)).toBeLessThan(64 * 1_024)
  expect(Math.max(...commands.map(({ length }) => length))).toBeLessThan(100)
  expect(commands.length).toBeLessThan(800)
})

test('nothing new costs one look at the last mail, whatever the server says to be next', async () => {
  for (const uidNext of [undefined, 1, 4_000_000_000]) {
    const { open, commands } = await opened({ uids: range(1, 1_000), uidValidity: UID_VALIDITY, ...(uidNext && { uidNext }) })
    const mailbox = await open()
    const before = commands.length
    expect(await mailbox.list({ ...start, uid: 1_000 })).toMatchObject({ uids: [], more: false })
    expect(commands.slice(before).filter((command) => !command.startsWith('SELECT'))).toEqual(['FETCH 1000 UID'])
    expect((await mailbox.list({ ...start, uid: 997 })).uids).toEqual([998, 999, 1_000])
    await mailbox.close()
  }
})

test('what another client expunges between two commands hides no mail', async () => {
  const folder: ImapFolder = { uids: range(1, 100), uidValidity: UID_VALIDITY }
  const { open } = await opened(folder)
  folder.beforeSearch = () => {
    folder.uids = folder.uids.filter((uid) => uid > 30)
    delete folder.beforeSearch
  }
  const mailbox = await open()
  expect((await mailbox.list({ ...start, uid: 50 })).uids).toEqual(range(51, 50))
  await mailbox.close()
})

test.each(['LOGIN', 'SELECT', 'FETCH', 'UID SEARCH', 'UID FETCH', 'UID STORE'])(
  'a server that only says OK, and never answers %s, is given up',
  async (stallsAt) => {
    const { open } = await opened({ uids: [1], uidValidity: UID_VALIDITY, stallsAt }, 300)
    const look = async (): Promise<void> => {
      const mailbox = await open()
      await mailbox.list(start)
      await mailbox.read([1])
      await mailbox.flag([1], '\\Seen')
    }
    await expect(look()).rejects.toMatchObject({
      name: 'MailboxAway',
      message: expect.stringMatching(/cannot be used: no answer in 0\.3 s$/),
    })
  },
)
