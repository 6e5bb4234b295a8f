import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { orStopped } from './or-stopped.ts'
import { aborted, pause } from './waiting.ts'

const HOUR_MS = 3_600_000
const listeners = ({ signal }: AbortController): number => getEventListeners(signal, 'abort').length

test('however many wait for a signal, it has one listener, and each is told', async () => {
  const stopping = new AbortController()
  const { signal } = stopping
  const told: string[] = []
  aborted(signal, () => told.push('first'))
  aborted(signal, () => told.push('second'))
  const takeBack = aborted(signal, () => told.push('third'))
  const waiting = [pause(HOUR_MS, signal), pause(HOUR_MS, signal), orStopped(new Promise(() => undefined), signal)]
  expect(listeners(stopping)).toBe(1)
  takeBack()
  stopping.abort()
  expect(told).toEqual(['first', 'second'])
  expect(await Promise.all(waiting)).toEqual([undefined, undefined, null])
})

test('who waits no more leaves nothing at the signal, and whoever comes then is told', async () => {
  const stopping = new AbortController()
  const told: string[] = []
  const takeBack = [aborted(stopping.signal, () => told.push('first')), aborted(stopping.signal, () => told.push('second'))]
  for (const take of [...takeBack, ...takeBack]) take()
  expect(listeners(stopping)).toBe(0)
  aborted(stopping.signal, () => told.push('third'))
  for (const take of takeBack) take()
  stopping.abort()
  expect(told).toEqual(['third'])
})

describe('after the signal', () => {
  const stopped = AbortSignal.abort()

  test('one is told at once', () => {
    const told: string[] = []
    aborted(stopped, () => told.push('at once'))()
    expect(told).toEqual(['at once'])
  })

  test('there is no pause, and nobody waits for work or hears that it failed', async () => {
    await pause(HOUR_MS, stopped)
    expect(await orStopped(Promise.reject(new Error('too late')), stopped)).toBeNull()
  })
})

test('before it, the work answers for itself', async () => {
  const { signal } = new AbortController()
  expect(await orStopped(Promise.resolve('done'), signal)).toBe('done')
  await expect(orStopped(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken')
  await pause(1, signal)
})
