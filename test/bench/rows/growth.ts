import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Group } from '../lib/bench.ts'
import { residentMb } from '../lib/cpu.ts'
import { type Grown, type GrownService, growLog, serveGrown } from '../lib/grown.ts'
import { accepting, changing, type Figures, LESS, type Measure, pages } from '../lib/growth-figures.ts'
import { onDisk, reading, rebuilding } from '../lib/growth-of-log.ts'
import { median, type ReportRow, row } from '../lib/report.ts'

/** What a log is compared with. */
const SMALL = 10_000
const IDLE_MS = 10_000
const STARTS = 3
const SECONDS = 4
const RUNS = 3

type Pair = readonly [small: GrownService, large: GrownService]

/** A B A B: both see the same minutes. The first of each is the warm-up. */
const alternating = async (bench: Bench, pair: Pair, measure: Measure): Promise<readonly ReportRow[]> => {
  const [small, large]: readonly [Figures[], Figures[]] = [[], []]
  for (let run = 0; run <= bench.runs; run++) {
    for (const [figures, grown] of [[small, pair[0]] as const, [large, pair[1]] as const]) {
      const measured = await measure(bench, grown, run)
      const line = measured.map(({ name, unit, value }) => `${name.trim()} ${value.toFixed(value < 10 ? 2 : 0)} ${unit}`)
      bench.say(`${run === 0 ? 'warm-up' : `run ${run}`}, ${grown.events} events: ${line.join('; ')}`)
      if (run > 0) figures.push(measured)
    }
  }
  return (large[0] ?? []).map(({ name, unit, target }, place) => {
    const of = (runs: readonly Figures[]) => median(runs.map((figures) => figures[place]?.value ?? Number.NaN))
    return row(name, unit, of(large), { baseline: of(small), ...(target && { target }) })
  })
}

const startOf = async (bench: Bench, grown: Grown): Promise<readonly [seconds: number, idleMb: number]> => {
  const seconds: number[] = []
  let idleMb = Number.NaN
  for (let start = 0; start < STARTS; start++) {
    const { service, stop } = await serveGrown(bench, grown)
    seconds.push(service.startSeconds)
    if (start === STARTS - 1) {
      await sleep(IDLE_MS)
      idleMb = (await residentMb(service.pid)) ?? Number.NaN
    }
    await stop()
  }
  return [median(seconds), idleMb]
}

const startRows = async (bench: Bench, small: Grown, large: Grown): Promise<readonly ReportRow[]> => {
  const [before, after] = [await startOf(bench, small), await startOf(bench, large)]
  return [
    row('start until ready', 's', after[0], { baseline: before[0], target: LESS }),
    row('resident memory after it, idle for 10 s', 'MB', after[1], { baseline: before[1], target: LESS }),
  ]
}

const fillRows = (small: Grown, large: Grown): readonly ReportRow[] => {
  const rate = (seconds: (of: Grown) => number) =>
    [large.written.events / seconds(large), { baseline: small.written.events / seconds(small) }] as const
  return [
    row('events in the log', '', large.events, { baseline: small.events }),
    row('of these written and sealed as the service does', '', large.written.events, { baseline: small.written.events }),
    row('  written past HTTP', 'events/s', ...rate(({ written }) => written.seconds)),
    row('  followed by all projections of one process', 'events/s', ...rate(({ caughtUp }) => caughtUp.seconds)),
    row('  most memory of that process', 'MB', large.caughtUp.peakMb, { baseline: small.caughtUp.peakMb }),
  ]
}

/** What a log of `events` costs beside one of 10 000: on data directories of their own, alternately. `folder`: what was grown stays there, and is used again. */
export function growth(events: number, folder?: string): Group {
  return {
    name: `a log of ${events.toLocaleString('en')} events`,
    run: async (bench): Promise<readonly ReportRow[]> => {
      const [small, large] = [await growLog(bench, SMALL, folder), await growLog(bench, events, folder)]
      const rows: ReportRow[] = [...fillRows(small, large), ...(await startRows(bench, small, large))]
      const pair: Pair = [await serveGrown(bench, small), await serveGrown(bench, large)]
      const measured = { ...bench, seconds: SECONDS, runs: RUNS }
      for (const measure of [accepting('few'), accepting('all'), changing, pages, reading])
        rows.push(...(await alternating(measured, pair, measure)))
      rows.push(...(await onDisk(pair[1])))
      rows.push(...(await alternating({ ...bench, runs: 1 }, pair, rebuilding)))
      return rows
    },
  }
}
