import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import { expect, test } from 'vitest'
import { RequestRefused } from '../../src/errors/problems.ts'
import { fairShare } from '../../src/rate-limit/fair-share.ts'

/** Work that ends when it is let go, and which of it has begun. */
const works = () => {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name)
      ends.set(name, () => resolve(name))
    })
  return { begun, work, end: (name: string) => ends.get(name)?.() }
}

const by = (workspaceId: WorkspaceId, isGone = () => false) => ({ workspaceId, isGone })
const passed = () => new Promise((resolve) => setImmediate(resolve))

test('a workspace has its share at a time, all have theirs, and the rest goes on in its order', async () => {
  const { begun, work, end } = works()
  const share = fairShare({ each: 2, all: 3 })
  const running = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => share(by(asWorkspaceId(name.charAt(0))), work(name)))
  await passed()
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  end('a1')
  await passed()
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2'])
  for (const name of ['a2', 'b1']) end(name)
  await passed()
  expect(begun.slice(4).toSorted()).toEqual(['a3', 'c1'])
  for (const name of ['b2', 'a3', 'c1']) end(name)
  expect(await Promise.all(running)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'])
})

test('refuses what would wait behind twenty, of that workspace alone, until some have ended', async () => {
  const { work, end } = works()
  const share = fairShare({ each: 1, all: 2 })
  const running = Array.from({ length: 21 }, (_, n) => share(by(asWorkspaceId('a')), n === 0 ? work('a0') : async () => 'next'))
  await expect(share(by(asWorkspaceId('a')), work('more'))).rejects.toMatchObject({
    problem: { status: 503, headers: { 'Retry-After': '1' } },
  })
  expect(await share(by(asWorkspaceId('b')), async () => 'other')).toBe('other')
  end('a0')
  expect(await Promise.all(running)).toHaveLength(21)
  expect(await share(by(asWorkspaceId('a')), async () => 'again')).toBe('again')
})

test('does not begin for a request that has gone, and goes on after what failed', async () => {
  const { begun, work, end } = works()
  const share = fairShare({ each: 1, all: 1 })
  let gone = false
  const first = share(by(asWorkspaceId('a')), work('first'))
  const second = share(
    by(asWorkspaceId('a'), () => gone),
    work('second'),
  )
  const failing = share(by(asWorkspaceId('b')), () => Promise.reject(new Error('no')))
  const refused = [expect(second).rejects.toThrow(RequestRefused), expect(failing).rejects.toThrow('no')]
  await passed()
  gone = true
  end('first')
  await Promise.all([first, ...refused])
  expect(begun).toEqual(['first'])
  expect(await share(by(asWorkspaceId('b')), async () => 'done')).toBe('done')
})
