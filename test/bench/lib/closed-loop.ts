import { percentile } from './report.ts'

/** Callers that each begin again when they are answered, for a while. */
export type ClosedLoop = Readonly<{ callers: number; seconds: number; call: (caller: number) => Promise<void> }>

/** Latencies in ms; calls that began within the time count. */
export type Looped = Readonly<{ perSecond: number; p50: number; p99: number }>

export async function closedLoop({ callers, seconds, call }: ClosedLoop): Promise<Looped> {
  const took: number[] = []
  const started = performance.now()
  const end = started + seconds * 1_000
  const caller = async (number: number): Promise<void> => {
    for (let begun = performance.now(); begun < end; begun = performance.now()) {
      await call(number)
      took.push(performance.now() - begun)
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, number) => caller(number)))
  const elapsed = (performance.now() - started) / 1_000
  return { perSecond: took.length / elapsed, p50: percentile(took, 0.5), p99: percentile(took, 0.99) }
}
