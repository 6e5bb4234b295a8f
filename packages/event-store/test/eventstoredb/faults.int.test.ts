import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { RecordedEvent } from '../../src/port.ts'
import { aFixture, anEvent, aStore, aStream } from './fixture.testing.ts'

const WRITERS = 12
const EACH = 25

test('while one fault follows another, every append lands once in its place and every subscriber sees it once', async () => {
  const fixture = await aFixture()
  const store = aStore(fixture, {
    times: { append: { attemptMs: 1_000, deadlineMs: 120_000 }, feed: { heartbeatMs: 50, watchdogMs: 2_000 } },
  })
  const streams = Array.from({ length: WRITERS }, aStream)
  let landed = 0
  const write = async (stream: string) => {
    for (let n = 0; n < EACH; n++) {
      await store.append(stream, n === 0 ? 'no_stream' : n - 1, [anEvent('Numbered', { n })])
      landed++
    }
  }
  let writing = true
  const written = Promise.all(streams.map(write)).finally(() => {
    writing = false
  })
  const disturbed = (async () => {
    const { faults } = fixture
    // However slow the machine is, some appends land between two faults.
    const quiet = async () => {
      const before = landed
      await expect.poll(() => !writing || landed > before, { interval: 5 }).toBe(true)
    }
    const during = async (on: () => void, off: () => void) => {
      on()
      await pause(40)
      off()
      await quiet()
    }
    while (writing) {
      await during(
        () => (faults.swallowAnswers = true),
        () => (faults.swallowAnswers = false),
      )
      await during(
        () => (faults.dropAfterAppend = true),
        () => (faults.dropAfterAppend = false),
      )
      await during(
        () => (faults.serverBusy = true),
        () => (faults.serverBusy = false),
      )
      await during(
        () => (faults.errorWithoutDetails = faults.unknownCorrelation = true),
        () => (faults.errorWithoutDetails = faults.unknownCorrelation = false),
      )
      await during(fixture.endSubscriptions, fixture.failSubscriptions)
      await fixture.stop()
      await fixture.start()
      await quiet()
    }
  })()
  const seen: RecordedEvent[] = []
  for await (const { events } of store.subscribe({ from: 'start', signal: AbortSignal.timeout(240_000) })) {
    seen.push(...events)
    if (seen.length >= WRITERS * EACH) break
  }
  await Promise.all([written, disturbed])
  const numbers = Array.from({ length: EACH }, (_, n) => n)
  for (const stream of streams) {
    expect((await store.readStream(stream)).map((event) => JSON.parse(event.data).n)).toEqual(numbers)
    expect(seen.filter((event) => event.stream === stream).map((event) => event.revision)).toEqual(numbers)
  }
})
