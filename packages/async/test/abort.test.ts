import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { onAbort, pause, unlessAborted } from '../src/abort.ts'

const HOUR_MS = 3_600_000
const listeners = ({ signal }: AbortController): number => getEventListeners(signal, 'abort').length

test('a signal has one listener for all callbacks, and each is called', async () => {
  const stopping = new AbortController()
  const { signal } = stopping
  const called: string[] = []
  onAbort(signal, () => called.push('first'))
  onAbort(signal, () => called.push('second'))
  const removals = onAbort(signal, () => called.push('third'))
  const waiting = [pause(HOUR_MS, signal), pause(HOUR_MS, signal), unlessAborted(new Promise(() => undefined), signal)]
  expect(listeners(stopping)).toBe(1)
  removals()
  stopping.abort()
  expect(called).toEqual(['first', 'second'])
  expect(await Promise.all(waiting)).toEqual([undefined, undefined, null])
})

test('the last callback removes the listener, and one that is added later is called', async () => {
  const stopping = new AbortController()
  const called: string[] = []
  const removals = [onAbort(stopping.signal, () => called.push('first')), onAbort(stopping.signal, () => called.push('second'))]
  for (const take of [...removals, ...removals]) take()
  expect(listeners(stopping)).toBe(0)
  onAbort(stopping.signal, () => called.push('third'))
  for (const take of removals) take()
  stopping.abort()
  expect(called).toEqual(['third'])
})

describe('after the abort', () => {
  const stopped = AbortSignal.abort()

  test('a callback is called at once', () => {
    const called: string[] = []
    onAbort(stopped, () => called.push('at once'))()
    expect(called).toEqual(['at once'])
  })

  test('there is no pause, and the result and the failure of the work are dropped', async () => {
    await pause(HOUR_MS, stopped)
    expect(await unlessAborted(Promise.reject(new Error('too late')), stopped)).toBeNull()
  })
})

test('before the abort, the work settles the promise', async () => {
  const { signal } = new AbortController()
  expect(await unlessAborted(Promise.resolve('done'), signal)).toBe('done')
  await expect(unlessAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken')
  await pause(1, signal)
})
