import { asWorkspaceId } from '@tidings/domain'
import type { Appended, EventToAppend } from '@tidings/event-store'
import { recordInMemory } from '@tidings/observability/testing'
import type { TraceContext } from '@tidings/observability/traces'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AppendContext } from '../src/event-log.ts'
import { recordAppend } from '../src/record-append.ts'

let recording: ReturnType<typeof recordInMemory>
beforeEach(() => {
  recording = recordInMemory()
})
afterEach(() => recording.stop())

const MESSAGE = '0192f0c0-0000-7000-8000-00000000000f'
const place = (digit: string): TraceContext => ({ traceId: digit.repeat(32), spanId: digit.repeat(16), isSampled: true })
const context = (trace?: TraceContext): AppendContext => ({
  ...{ commandId: 'c', workspaceId: asWorkspaceId('0192f0c0-0000-7000-8000-000000000001'), actor: 'key:1', requestId: 'r', at: '' },
  ...(trace && { trace }),
})
const event = (n: number): EventToAppend => ({
  id: `0192f0c0-0000-7000-8000-${String(n).padStart(12, '0')}`,
  type: 'T',
  data: '{}',
  meta: '{}',
})
const appended: Appended = { revision: 0, position: { commit: 7n, prepare: 0n }, duplicate: false }

/** What the store was given. */
const append = async (
  stream: string,
  contexts: readonly AppendContext[] | AppendContext,
  count: number,
): Promise<readonly EventToAppend[]> => {
  const events = Array.from({ length: count }, (_, n) => event(n))
  let given: readonly EventToAppend[] = []
  await recordAppend(
    recording.traces,
    { drafts: [{ stream, expected: 'any', events: events.map(() => ({ type: 'T', data: {} })), context: contexts }], stored: [events] },
    async ([stored = []]) => {
      given = stored
      return [appended]
    },
  )
  return given
}

describe('an append', () => {
  it('outside of a trace is written as it is', async () => {
    expect(await append('contact-w-1', context(), 2)).toEqual([event(0), event(1)])
    expect(recording.spans()).toEqual([])
  })

  it('of one command is a span of its trace, and its events say so, and so does its message', async () => {
    const [stored] = await append(`message-w-${MESSAGE}`, context(place('a')), 1)
    const [span] = recording.spans()
    expect(span).toMatchObject({ name: 'send log', traceId: 'a'.repeat(32), parentSpanId: 'a'.repeat(16) })
    expect(span?.attributes).toMatchObject({ 'tidings.position': '00000000000000000007' })
    expect(stored?.trace).toEqual({ traceparent: `00-${'a'.repeat(32)}-${span?.spanId}-01`, ids: [MESSAGE] })
    expect(await recording.traces.contextOf([MESSAGE])).toMatchObject({ spanId: span?.spanId })
    // What is hashed and kept has no trace.
    expect([stored?.data, stored?.meta]).toEqual(['{}', '{}'])
  })

  it('of several commands is in the trace of the first and linked with the others; each event stays in its own', async () => {
    const stored = await append('tags-w', [context(place('a')), context(), context(place('b')), context(place('b'))], 4)
    const [span] = recording.spans()
    expect(span).toMatchObject({ traceId: 'a'.repeat(32), links: ['b'.repeat(16)] })
    expect(stored.map(({ trace }) => trace?.traceparent.slice(3, 35))).toEqual(['a'.repeat(32), undefined, 'b'.repeat(32), 'b'.repeat(32)])
  })

  it('of thousands of events names the trace of sixteen', async () => {
    const stored = await append('members-w', context(place('a')), 5_000)
    expect(stored.filter(({ trace }) => trace !== undefined)).toHaveLength(16)
    expect(stored).toHaveLength(5_000)
  })
})
