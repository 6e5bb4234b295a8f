import { expect, it, onTestFinished } from 'vitest'
import { startSmtpSink } from './children.ts'
import { startListmonkStandIn } from './listmonk.testing.ts'
import { openPeer, type PeerSettings, peerSettings } from './listmonk.ts'

const NAMED = { BESIDE_LISTMONK: 'http://127.0.0.1:9000/', BESIDE_LISTMONK_USER: 'bench', BESIDE_LISTMONK_TOKEN: 'secret' }
const FROM = 'Bench <hello@bench.example>'

const started = async () => {
  const sink = await startSmtpSink()
  onTestFinished(sink.stop)
  const listmonk = await startListmonkStandIn(sink.port, { token: 'token bench:secret' })
  onTestFinished(listmonk.close)
  const settings: PeerSettings = { url: listmonk.url, user: 'bench', token: 'secret', smtpPort: sink.port, pids: [process.pid] }
  return { sink, listmonk, settings }
}

it('takes the peer from the environment, or says what is missing', () => {
  expect(peerSettings(NAMED)).toEqual({ url: 'http://127.0.0.1:9000', user: 'bench', token: 'secret', smtpPort: 2525, pids: [] })
  expect(peerSettings({ ...NAMED, BESIDE_SMTP_PORT: '2600', BESIDE_PIDS: '11,12' })).toMatchObject({ smtpPort: 2600, pids: [11, 12] })
  expect(peerSettings({})).toMatch('BESIDE_LISTMONK must name')
  expect(peerSettings({ ...NAMED, BESIDE_LISTMONK: 'localhost 9000' })).toMatch('must be a URL')
  expect(peerSettings({ ...NAMED, BESIDE_LISTMONK_TOKEN: '' })).toMatch('must name an API user')
  expect(peerSettings({ ...NAMED, BESIDE_SMTP_PORT: 'mail' })).toMatch('must be a port')
  expect(peerSettings({ ...NAMED, BESIDE_PIDS: '11,-2' })).toMatch('must be a port')
})

it('measures what the peer has sent: every transactional mail that it took, and each campaign to all of its subscribers', async () => {
  const { sink, listmonk, settings } = await started()
  const peer = await openPeer(settings, { sink, subscribers: 30, from: FROM })
  expect(listmonk.taken.imported).toHaveLength(30)
  expect(new Set(listmonk.taken.imported).size).toBe(30)
  const before = await sink.count()
  const singles = await peer.singles(0.05)
  // Each connection of the load asks at least once.
  expect(singles.messages).toBeGreaterThanOrEqual(64)
  expect(await sink.count()).toBe(before + singles.messages)
  expect(singles.perSecond).toBeGreaterThan(0)
  expect(singles.cpuUs).toEqual(expect.any(Number))
  expect((await peer.campaign(0)).messages).toBe(30)
  expect((await peer.campaign(1)).messages).toBe(30)
  expect(listmonk.taken.running).toEqual([1, 2])
  expect([...listmonk.taken.authorization]).toEqual(['token bench:secret'])
})

it('ends where the peer refuses, with what it answered, and names no token', async () => {
  const { sink, settings } = await started()
  const opened = openPeer({ ...settings, token: 'other-secret' }, { sink, subscribers: 1, from: FROM })
  await expect(opened).rejects.toThrow('listmonk answered POST /lists with 403: {"message":"refused"}')
  await expect(opened).rejects.not.toThrow('other-secret')
})

it('tells no CPU where the processes of the peer are not named', async () => {
  const { sink, settings } = await started()
  const peer = await openPeer({ ...settings, pids: [] }, { sink, subscribers: 2, from: FROM })
  expect((await peer.campaign(0)).cpuUs).toBeNull()
})
