import {
  Counter,
  type CounterConfiguration,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  Registry,
} from 'prom-client'

/** The registry that `/metrics` shows. */
export const metrics = new Registry()

const registers = [metrics]

/** `begins`: labels that are shown with 0 before anything is counted: without it, what was never seen looks like what does not exist. */
export function counter<Label extends string = never>(
  settings: CounterConfiguration<Label>,
  begins: readonly Partial<Record<Label, string>>[] = [],
): Counter<Label> {
  const made = new Counter({ ...settings, registers })
  for (const labels of begins) made.inc(labels, 0)
  return made
}

/** Each value of a label, for `begins`. */
export function eachOf<Label extends string>(label: Label, values: readonly string[]): readonly Partial<Record<Label, string>>[] {
  return values.map((value) => ({ [label]: value }) as Partial<Record<Label, string>>)
}

/** A gauge that code sets, and that is not shown before: a process whose part does not run has nothing to say of it. */
export function gauge<Label extends string = never>(settings: GaugeConfiguration<Label>): Gauge<Label> {
  const made = new Gauge({ ...settings, registers })
  // One without labels begins with 0.
  if (settings.labelNames === undefined) made.remove()
  return made
}

export function histogram<Label extends string = never>(settings: HistogramConfiguration<Label>): Histogram<Label> {
  return new Histogram({ ...settings, registers })
}

/** One value of a gauge with labels. */
export type Sample = Readonly<{ labels: Readonly<Record<string, string>>; value: number }>

/** `read`: the value, or one sample for each set of labels. */
type Observed = Readonly<{
  name: string
  help: string
  labelNames?: readonly string[]
  read: () => number | readonly Sample[] | Promise<number | readonly Sample[]>
}>

/**
 * A gauge that is read when it is scraped. A database that does not answer leaves it empty: `/health/ready` says why. It takes the place of a
 * gauge of the same name, which read for a service that has stopped.
 */
export function observe({ name, help, labelNames = [], read }: Observed): void {
  metrics.removeSingleMetric(name)
  new Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers,
    async collect() {
      const found = await readOrNothing(read)
      if (typeof found === 'number') return this.set(found)
      // `reset` gives a gauge without labels the value 0.
      if (labelNames.length === 0) this.remove()
      else this.reset()
      for (const { labels, value } of found) this.set({ ...labels }, value)
    },
  })
}

const readOrNothing = async (read: Observed['read']): Promise<number | readonly Sample[]> => {
  try {
    return await read()
  } catch {
    return []
  }
}

const KEPT_MS = 5_000

/** `now`: by the clock of the process, in ms. */
type Sharing = Readonly<{ keptMs?: number; now?: () => number }>

/**
 * Shares one read between callers: calls during it wait for it, calls within `keptMs` after it (default 5 s) get its result. So the number of
 * scrapes does not matter to what is read. A failure is not kept.
 */
export function sharedRead<Value>(
  read: () => Promise<Value>,
  { keptMs = KEPT_MS, now = () => performance.now() }: Sharing = {},
): () => Promise<Value> {
  let last: Promise<Value> | null = null
  let until = 0
  const begin = async (): Promise<Value> => {
    until = Number.POSITIVE_INFINITY
    try {
      const value = await read()
      until = now() + keptMs
      return value
    } catch (error) {
      last = null
      throw error
    }
  }
  return () => {
    if (last === null || now() >= until) last = begin()
    return last
  }
}
