import { expect, test } from 'vitest'
import { Tidings } from '../../clients/typescript/src/index.ts'

test('an attempt that may take for ever does not end at once', async () => {
  const answer = () => Promise.resolve(Response.json({ success: true, data: { apiVersion: '2026-01' } }))
  const fetch = async (_: string, { signal }: RequestInit) => {
    // What is due at once is due before this.
    await new Promise((resolve) => setTimeout(resolve, 20))
    signal?.throwIfAborted()
    return answer()
  }
  const client = new Tidings({
    url: 'http://localhost',
    workspace: 'demo',
    key: 'k',
    timeoutMs: Number.POSITIVE_INFINITY,
    retries: 0,
    fetch,
  })
  expect(await client.me()).toEqual({ apiVersion: '2026-01' })
})

test('a wait that is longer than a timer holds is not over at once', async () => {
  const caller = new AbortController()
  let calls = 0
  const fetch = async () => {
    calls++
    setTimeout(() => caller.abort(new Error('enough')), 20)
    return new Response('', { status: 503, headers: { 'Retry-After': '31536000' } })
  }
  const client = new Tidings({ url: 'http://localhost', workspace: 'demo', key: 'k', longestWaitMs: Number.POSITIVE_INFINITY, fetch })
  await expect(client.me({ signal: caller.signal })).rejects.toThrow('enough')
  expect(calls).toBe(1)
})
