import fc from 'fast-check'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { keepCounts, mergeMetrics, type ShownMetrics } from '../../src/processes/merge-metrics.ts'

type Figures = Readonly<{ sent: number; seconds: readonly number[]; waiting: number; rss: number }>

const shownBy = ({ sent, seconds, waiting, rss }: Figures): Promise<ShownMetrics> => {
  const registers = [new Registry()]
  new Counter({ name: 'sent_total', help: '-', labelNames: ['route'], registers }).inc({ route: 'a' }, sent)
  const took = new Histogram({ name: 'took_seconds', help: '-', buckets: [1, 5], registers })
  for (const second of seconds) took.observe(second)
  new Gauge({ name: 'tidings_inbox_jobs', help: '-', registers }).set(waiting)
  new Gauge({ name: 'process_resident_memory_bytes', help: '-', registers }).set(rss)
  return Promise.all(registers.map((registry) => registry.getMetricsAsJSON())).then(([shown]) => shown ?? [])
}

const sampleOf = (page: string, sample: string): number =>
  Number(
    page
      .split('\n')
      .find((line) => line.startsWith(`${sample} `))
      ?.split(' ')[1],
  )

const figures = fc.record({
  sent: fc.nat(),
  seconds: fc.array(fc.nat(9), { maxLength: 5 }),
  waiting: fc.nat(),
  rss: fc.nat(),
})

it('one page sums counters, histograms and what each process has; of the installation it shows the highest', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(figures, { minLength: 1, maxLength: 4 }), async (each) => {
      const page = await mergeMetrics(await Promise.all(each.map(shownBy)))
      const seconds = each.flatMap((process) => process.seconds)
      const sum = (figureOf: (process: Figures) => number) => each.reduce((total, process) => total + figureOf(process), 0)
      expect(sampleOf(page, 'sent_total{route="a"}')).toBe(sum(({ sent }) => sent))
      expect(sampleOf(page, 'took_seconds_count')).toBe(seconds.length)
      expect(sampleOf(page, 'took_seconds_bucket{le="1"}')).toBe(seconds.filter((second) => second <= 1).length)
      expect(sampleOf(page, 'process_resident_memory_bytes')).toBe(sum(({ rss }) => rss))
      expect(sampleOf(page, 'tidings_inbox_jobs')).toBe(Math.max(...each.map(({ waiting }) => waiting)))
    }),
    { numRuns: 30 },
  )
})

it('what processes counted that have ended stays in the sum, and their gauges do not', async () => {
  const ended = { sent: 3, seconds: [2], waiting: 9, rss: 100 }
  const kept = await keepCounts([await keepCounts([[], await shownBy(ended)]), await shownBy(ended)])
  const page = await mergeMetrics([kept, await shownBy({ sent: 1, seconds: [2], waiting: 4, rss: 50 })])
  expect(sampleOf(page, 'sent_total{route="a"}')).toBe(7)
  expect(sampleOf(page, 'took_seconds_bucket{le="5"}')).toBe(3)
  expect(sampleOf(page, 'tidings_inbox_jobs')).toBe(4)
  expect(sampleOf(page, 'process_resident_memory_bytes')).toBe(50)
})
